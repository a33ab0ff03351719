import { NodeConnectionTypes, type IDataObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';
import { destroyEach, listed, notDestroyed, tellEach } from '../../nodes/marketplace/destroy.ts';
import { destroy } from '../../nodes/marketplace/operations/destroy.ts';
import { noteDestroyed } from '../../nodes/marketplace/ownDeployments.ts';
import { VMAAS, type ProductContext } from '../../nodes/marketplace/product.ts';
import type { Reference } from '../../nodes/marketplace/references.ts';
import type { DestroyOptions } from '../../nodes/marketplace/teardown.ts';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { inputOf } from './job-bench.mts';
import { NODE } from './log-parts.mts';
import { Market, productContext, REFUSED, refusalOf } from './market-parts.mts';
import { ended, pass, useStillTime } from './still-time.mts';

useStillTime();

const OPTIONS: DestroyOptions = { verify: true, verifyTimeout: 120, ifNotFound: 'error' };
const GONE = { deleted: true, already_gone: false, verified: true, status: 'success' };
const OPERATION = destroy(VMAAS);

const deletes = ({ asked }: Market) => asked.filter((request) => request.startsWith('DELETE'));
const byId = (...ids: string[]): Reference[] => ids.map((id) => ({ id }));
/** Some deployments with names of their own. */
function several(count: number): Market {
	const market = new Market();
	for (let index = 1; index <= count; index++)
		market.add(`d${index}`, { resource_private_name: `job-${index}` });
	return market;
}

const asked = (context: ProductContext, references: Reference[]) =>
	references.map((reference) => ({ context, reference }));

describe('several deployments', () => {
	it('are told to end five at a time, whether or not the end of any is seen', async () => {
		const market = several(7);
		let isHeld = true;
		market.instead = async (request) => {
			while (isHeld && request.startsWith('DELETE'))
				await new Promise((resolve) => setTimeout(resolve, 1_000));
			return undefined;
		};
		const context = await productContext(market);
		tellEach(asked(context, byId('d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd1')));
		await pass(1_000);
		expect(deletes(market)).toHaveLength(5);
		isHeld = false;
		await pass(2_000);
		expect(deletes(market)).toEqual([1, 2, 3, 4, 5, 6, 7].map((id) => `DELETE deployment/d${id}`));
	});

	it('are not told again where this execution has destroyed them', async () => {
		const market = several(2).hide('d1', { status: 'destroyed' });
		const context = await productContext(market);
		noteDestroyed(context, 'd1');
		const begun = tellEach(asked(context, byId('d1', 'd2')));
		expect(await Promise.all(begun.values())).toMatchObject([undefined, { id: 'd2' }]);
		expect(deletes(market)).toEqual(['DELETE deployment/d2']);
	});

	it('are told although one of them cannot be found, which is looked for again', async () => {
		const market = several(1).add('d2').add('d3');
		const begun = tellEach(
			asked(await productContext(market), [{ name: 'job' }, { name: 'job-1' }]),
		);
		expect(await Promise.all(begun.values())).toMatchObject([undefined, { id: 'd1' }]);
	});

	it('of which one stays are destroyed, and where the node goes on that one comes first', async () => {
		const market = several(3);
		market.instead = (request) => (request === 'DELETE deployment/d2' ? REFUSED : undefined);
		const context = await productContext(market, { functions: { continueOnFail: () => true } });
		expect(await destroyEach(context, byId('d1', 'd2', 'd3'), OPTIONS)).toEqual([
			{ error: expect.stringMatching(/not allowed/) as string, details: { deployment_id: 'd2' } },
			{ deployment_id: 'd1', ...GONE },
			{ deployment_id: 'd3', ...GONE },
		]);
		const alone = destroyEach(context, byId('d2'), OPTIONS);
		expect((await refusalOf(alone))?.description).toMatch(/^Deployment d2 may still run and bill/);
	});

	it('that may still run are named, also those whose end was not seen', async () => {
		const market = several(2);
		market.instead = (request) => {
			if (request === 'DELETE deployment/d2') return REFUSED;
			return request === 'DELETE deployment/d1' ? { json: {} } : undefined;
		};
		const options = { ...OPTIONS, verify: false };
		const refusal = await refusalOf(
			destroyEach(await productContext(market), byId('d1', 'd2'), options),
		);
		expect(refusal?.message).toBe('1 of 2 deployments may still run: d2');
		expect(refusal?.description).toMatch(/^d2: .*\nd1 may still run$/);
	});

	it.each([false, true])(
		'may still run once the execution is cancelled, which the log says; going on: %j',
		async (goesOn) => {
			const controller = new AbortController();
			controller.abort();
			const market = several(2);
			const context = await productContext(market, {
				signal: controller.signal,
				functions: { continueOnFail: () => goesOn },
			});
			const log = vi.fn();
			const references = [...byId('d1'), { name: 'job-2' }];
			const work = destroyEach({ ...context, log }, references, OPTIONS);
			expect(await refusalOf(work)).toMatchObject({
				message: '2 of 2 deployments may still run: d1, "job-2"',
				description: 'd1: The execution was cancelled\n"job-2": The execution was cancelled',
			});
			const text = 'Cancelled before the end was seen: the deployment may still run and bill.';
			expect(log.mock.calls).toEqual([
				[text, { deployment_id: 'd1' }],
				[text, { resource_private_name: 'job-2' }],
			]);
			expect(deletes(market)).toEqual([]);
		},
	);

	it('that fail are not logged as cancelled', async () => {
		const market = several(1);
		market.instead = (request) => (request.startsWith('DELETE') ? REFUSED : undefined);
		const log = vi.fn();
		await refusalOf(destroyEach({ ...(await productContext(market)), log }, byId('d1'), OPTIONS));
		expect(log).not.toHaveBeenCalled();
	});

	it('of one name that have all ended are told without an ID', async () => {
		const market = new Market().add('d1', { status: 'failed' }).add('d2', { status: 'destroyed' });
		const context = await productContext(market);
		expect((await ended(destroyEach(context, [{ name: 'job' }], OPTIONS))).value).toEqual([
			{
				deleted: true,
				deployment_id: null,
				already_gone: true,
				verified: true,
				resource_private_name: 'job',
				hint: 'Every deployment of this name has ended: d1, d2',
			},
		]);
	});
});

describe('a list of deployments in an error', () => {
	const labels = (count: number) => Array.from({ length: count }, (_, index) => `d${index + 1}`);

	it('names twenty at most', () => {
		expect(listed(labels(2))).toBe('d1, d2');
		expect(listed(labels(20))).toMatch(/, d20$/);
		expect(listed(labels(22))).toMatch(/, d20 and 2 more$/);
		expect(notDestroyed(['d1'])).toBe('. Nothing was destroyed now: d1 may still run and bill');
	});
});

describe('the form of Destroy', () => {
	const read = (options: IDataObject) => inputOf(OPERATION, { deploymentId: 'd1', options });

	it('verifies the end unless the option is there and off', () => {
		expect(read({})).toEqual({ references: [{ id: 'd1' }], options: OPTIONS });
		expect(read({ verify: true }).options.verify).toBe(true);
		expect(read({ verify: false, verifyTimeout: 5, ifNotFound: 'output' }).options).toEqual({
			verify: false,
			verifyTimeout: 5,
			ifNotFound: 'output',
		});
	});

	it.each([
		[{ verifyTimeout: 0 }, /Verify Timeout/],
		[{ ifNotFound: 'nothing' }, /If Not Found/],
	])('refuses %j', (options, field) => {
		expect(() => read(options)).toThrow(field);
	});

	it('tells what of invalid items was not destroyed', () => {
		const input = { references: [{ id: 'd1' }, { name: 'job' }], options: OPTIONS };
		expect(OPERATION.describeUnsent?.([input, { ...input, references: byId('d2') }])).toBe(
			'. Nothing was destroyed now: d1, "job", d2 may still run and bill',
		);
	});
});

describe('Destroy of several items', () => {
	const inputs = (...ids: string[]) =>
		ids.map((id) => ({ references: byId(id), options: OPTIONS }));
	const itemOf = async (context: ProductContext, index: number) => {
		const input = { references: byId(`d${index + 1}`), options: OPTIONS };
		return await OPERATION.run({ ...context, itemIndex: index }, input);
	};

	it('tells all of them before it waits for the first, and none again', async () => {
		const market = several(3);
		const context = await productContext(market);
		context.inputs = [...inputs('d1', 'd2', 'd3'), undefined];
		expect(await itemOf(context, 0)).toEqual([{ deployment_id: 'd1', ...GONE }]);
		expect(deletes(market)).toEqual([1, 2, 3].map((id) => `DELETE deployment/d${id}`));
		expect(await itemOf(context, 2)).toEqual([{ deployment_id: 'd3', ...GONE }]);
		expect(deletes(market)).toHaveLength(3);
	});

	it('does not tell what an earlier try of the node has done', async () => {
		const market = several(3);
		const context = await productContext(market);
		context.inputs = inputs('d1', 'd2', 'd3');
		openJournals(context.functions)(1).done([{ deployment_id: 'd2' }]);
		await itemOf(context, 0);
		expect(deletes(market)).toEqual(['DELETE deployment/d1', 'DELETE deployment/d3']);
	});

	it.each<[boolean, number]>([
		[false, 1],
		[false, 2],
		[true, 2],
	])('by an AI agent is allowed: %j, deployments: %i', async (allowAiAgents, count) => {
		const market = several(3);
		const node = {
			...NODE,
			parameters: { options: { allowAiAgents } },
			rewireOutputLogTo: NodeConnectionTypes.AiTool,
		};
		const context = await productContext(market, { functions: { getNode: () => node } });
		context.inputs = inputs('d1', 'd2', 'd3').slice(0, count);
		const refusal = await refusalOf(itemOf(context, 0));
		const isAllowed = allowAiAgents || count === 1;
		expect(refusal?.message).toBe(
			isAllowed
				? undefined
				: 'Destroy of several deployments in one call is not allowed for AI agents. Nothing was destroyed. A person must add the option Allow AI Agents to this node and turn it on; Destroy with one ID is allowed',
		);
		expect(deletes(market)).toHaveLength(isAllowed ? count : 0);
	});
});
