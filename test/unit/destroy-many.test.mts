import { NodeConnectionTypes, type IDataObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';
import { destroyMany } from '../../nodes/marketplace/operations/destroyMany.ts';
import { noteConfirmed } from '../../nodes/marketplace/ownDeployments.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { now } from '../../nodes/shared/time.ts';
import { inputOf } from './job-bench.mts';
import { NODE } from './log-parts.mts';
import { Market, productContext, REFUSED, refusalOf } from './market-parts.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const OPERATION = destroyMany(VMAAS);
const FORM = { namePrefix: 'job', match: 'prefix', limit: 50, dryRun: false, options: {} };
const GONE = { deleted: true, already_gone: false, verified: true, status: 'success' };

const deletes = ({ asked }: Market) => asked.filter((request) => request.startsWith('DELETE'));
const inputWith = (values: IDataObject) => inputOf(OPERATION, { ...FORM, ...values });

/** Runs the operation, also with what n8n is told beside the items. */
async function run(market: Market, values: IDataObject, functions: object = {}) {
	const addExecutionHints = vi.fn();
	const context = await productContext(market, { functions: { addExecutionHints, ...functions } });
	const items = await OPERATION.run(context, inputWith(values));
	return { items, hints: addExecutionHints.mock.calls.flat() as unknown[] };
}

const named = (...names: string[]) => {
	const market = new Market();
	names.forEach((name, index) => market.add(`d${index + 1}`, { resource_private_name: name }));
	return market;
};

describe('Destroy Many', () => {
	it('ends what has a name with the prefix, and tells of each', async () => {
		const market = named('job', 'my job', 'job-2', 'Job');
		const { items, hints } = await run(market, {});
		expect(items).toEqual([
			{ resource_private_name: 'job', deployment_id: 'd1', ...GONE },
			{ resource_private_name: 'job-2', deployment_id: 'd3', ...GONE },
		]);
		expect(deletes(market)).toEqual(['DELETE deployment/d1', 'DELETE deployment/d3']);
		expect(hints).toEqual([]);
	});

	it('ends only what has the whole name where that is to match', async () => {
		const market = named('job', 'job-2');
		await run(market, { match: 'exact' });
		expect(deletes(market)).toEqual(['DELETE deployment/d1']);
	});

	it('shows in a dry run what it would end, and ends nothing', async () => {
		const market = named('job', 'other');
		expect((await run(market, { dryRun: true })).items).toEqual([
			{
				deleted: false,
				dry_run: true,
				deployment_id: 'd1',
				resource_private_name: 'job',
				status: 'running',
			},
		]);
		expect(deletes(market)).toEqual([]);
	});

	it.each([
		[true, ['d1', 'd3']],
		[false, ['d1']],
	])('leaves what has ended, and with Verify: %j waits for what ends', async (verify, ids) => {
		const market = new Market()
			.add('d1')
			.add('d2', { status: 'failed' })
			.add('d3', { status: 'terminating' });
		const { items } = await run(market, { dryRun: true, options: { verify } });
		expect(items.map((item) => (item as IDataObject).deployment_id)).toEqual(ids);
	});

	it.each<[IDataObject, IDataObject, string]>([
		[{}, {}, 'start with'],
		[{ match: 'exact', dryRun: true }, { dry_run: true }, 'are named'],
	])('names what is above the limit: %j', async (values, more, matches) => {
		const market = named('job', 'job', 'job');
		const { items, hints } = await run(market, { ...values, limit: 1 });
		const hint = `2 more deployments ${matches} "job": the Limit is 1`;
		expect(items).toHaveLength(2);
		expect(items[1]).toEqual({
			deleted: false,
			...more,
			reason: 'limit',
			left_over: 2,
			deployment_ids: ['d2', 'd3'],
			hint,
		});
		expect(hints).toEqual([{ message: hint, type: 'warning', location: 'outputPane' }]);
		expect(deletes(market)).toEqual(values.dryRun ? [] : ['DELETE deployment/d1']);
	});

	it.each([
		['prefix', 'start with', 'd1 ("JOB"), d2 ("Job-2")'],
		['exact', 'are named', 'd1 ("JOB")'],
	])('names what has a similar name where none matches (%s)', async (match, matches, similar) => {
		const market = named('JOB', 'Job-2', 'other').add('d9', {
			resource_private_name: 'JOB',
			status: 'destroyed',
		});
		expect((await run(market, { match })).items).toEqual([
			{
				deleted: false,
				reason: 'similar name',
				hint: `No deployments ${matches} "job", but these have a similar name: ${similar}`,
			},
		]);
		expect((await run(market, { namePrefix: 'none', match })).items).toEqual([]);
		expect((await run(market.add('d4'), { match, dryRun: true })).items).toHaveLength(1);
	});

	it('ends also what was bought here and has no ID yet, by its name', async () => {
		const context = await productContext(new Market());
		noteConfirmed(context, 'job-late', { purchaseId: 'p', sentAt: now(), knownIds: [] });
		const items = await OPERATION.run(context, inputWith({ dryRun: true }));
		expect(items).toEqual([
			expect.objectContaining({
				deleted: false,
				deployment_id: null,
				resource_private_name: 'job-late',
			}),
		]);
	});

	it('ends in a retry the same ones, and not the next ones', async () => {
		const market = named('job', 'job');
		market.instead = (request) => (request === 'DELETE deployment/d1' ? REFUSED : undefined);
		const flow = {};
		const functions = { addExecutionHints: () => undefined };
		const first = await productContext(market, { flow, functions });
		await refusalOf(OPERATION.run(first, inputWith({ limit: 1 })));
		expect(first.journal.intent()).toEqual({
			found: [{ deployment_id: 'd1', resource_private_name: 'job' }],
			left: ['d2'],
			what: 'Destroy of d1',
		});
		market.instead = () => undefined;
		market.hide('d1', { status: 'running', resource_private_name: 'job' });
		const again = await productContext(market, { flow, functions });
		const items = await OPERATION.run(again, inputWith({ limit: 1 }));
		expect(items[0]).toEqual({ deployment_id: 'd1', resource_private_name: 'job', ...GONE });
		expect(deletes(market)).not.toContain('DELETE deployment/d2');
	});

	it('tells of one that stays without a name of its own, where the node goes on', async () => {
		const market = named('job', 'job');
		market.instead = (request) => (request === 'DELETE deployment/d1' ? REFUSED : undefined);
		const { items } = await run(market, {}, { continueOnFail: () => true });
		expect(items).toEqual([
			{ error: expect.stringMatching(/not allowed/) as string, details: { deployment_id: 'd1' } },
			{ resource_private_name: 'job', deployment_id: 'd2', ...GONE },
		]);
	});

	it('says that it is the list that cannot be read', async () => {
		const market = new Market();
		market.instead = () => REFUSED;
		const refusal = await refusalOf(run(market, {}));
		expect(refusal?.message).toMatch(/^The list of deployments could not be read: /);
	});
});

describe('an AI agent with Destroy Many', () => {
	const agent = (allowAiAgents: boolean) => ({
		getNode: () => ({
			...NODE,
			parameters: { options: { allowAiAgents } },
			rewireOutputLogTo: NodeConnectionTypes.AiTool,
		}),
	});

	it('ends nothing unless a person has allowed it', async () => {
		const market = named('job');
		const refusal = await refusalOf(run(market, {}, agent(false)));
		expect(refusal?.message).toBe(
			'Destroy Many is not allowed for AI agents. Nothing was destroyed. A person must add the option Allow AI Agents to this node and turn it on; Destroy with one ID is allowed',
		);
		expect(market.asked).toEqual([]);
		await run(market, {}, agent(true));
		expect(deletes(market)).toEqual(['DELETE deployment/d1']);
	});

	it('may list in a dry run', async () => {
		expect((await run(named('job'), { dryRun: true }, agent(false))).items).toHaveLength(1);
	});
});

it('the form of Destroy Many keeps blanks of a name, and tells what was not destroyed', () => {
	const input = inputWith({ namePrefix: ' job ' });
	expect(input).toEqual({
		namePrefix: ' job ',
		match: 'prefix',
		limit: 50,
		dryRun: false,
		options: { verify: true, verifyTimeout: 120, ifNotFound: 'error' },
	});
	expect(() => inputWith({ limit: 0 })).toThrow(/Limit/);
	expect(() => inputWith({ match: 'like' })).toThrow(/Match/);
	const exact = inputWith({ match: 'exact' });
	expect(OPERATION.describeUnsent?.([input, exact, inputWith({ dryRun: true })])).toBe(
		'. Nothing was destroyed now:  job *, job may still run and bill',
	);
	expect(OPERATION.describeUnsent?.([inputWith({ dryRun: true })])).toBe('');
});
