import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answersOf, runAsTool } from '../../engine/agent.mts';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { deployment, locator, RETRY } from '../../engine/nodes.mts';
import type { Call } from './service.mts';
import { deploy, destroyMany, extend, stage, type Stage } from './stage.mts';

const isPost = ({ method }: Call) => method === 'POST';
/** What the model fills in, whatever it is. */
const byModel = (key: string) => `={{ $fromAI("${key}", "", "json") }}`;
const name = { resourcePrivateName: byModel('name') };
const limited = { safety: { maxPrice: 10 } };

/** The calls of an agent, by n8n's engine or by the agent itself; what the model reads. */
async function call(
	{ engine, time }: Stage,
	how: string,
	node: NodeUnderTest,
	calls: IDataObject[],
): Promise<string[]> {
	if (how === 'engine') {
		const run = await time.during(runAsTool(engine, node, calls), 24 * 3_600_000);
		return answersOf(run).map((answer) => JSON.stringify(answer));
	}
	const tool = engine.tool(node);
	const answers: string[] = [];
	for (const args of calls)
		answers.push(
			await time.during(
				tool(args).catch((error: Error) => error.message),
				24 * 3_600_000,
			),
		);
	return answers;
}

describe.each(['engine', 'agent'])('a tool that is called by the %s', (how) => {
	it.each([
		[{}],
		[{ safety: {} }],
		[{ safety: { maxPrice: byModel('limit') } }],
		[{ safety: { maxHourlyPrice: 5 }, durationHours: byModel('hours') }],
		[{ safety: { maxPrice: 10, currency: byModel('currency') } }],
		[{ safety: { maxRunningCost: 10 } }],
		[{ safety: { dryRun: byModel('dry') } }],
		[{ safety: { maxPrice: '' } }],
		[{ safety: { maxPrice: null } }],
	])('buys nothing with %j, which no person has limited', async (changes) => {
		const set = await stage();
		const args = { name: 'x', limit: 1e9, hours: 1, currency: 'usdc', dry: false };
		await call(set, how, deploy({ ...name, ...changes } as IDataObject), [args]);
		expect(set.service.sent('POST')).toEqual([]);
	});

	it('buys once what it orders three times in the same words', async () => {
		for (const lost of [0, 1, 3]) {
			const set = await stage();
			const { service } = set;
			service.listed = ({ boughtAt }, entry) =>
				service.clock.now() >= boughtAt + 50_000 ? entry : undefined;
			let count = 0;
			service.answered = (one, said) => (isPost(one) && ++count <= lost ? { reset: true } : said);
			const answers = await call(set, how, deploy({ ...name, ...limited }, RETRY), [
				{ name: 'x' },
				{ name: 'x' },
				{ name: 'x' },
			]);
			expect(service.machines).toHaveLength(1);
			expect(answers.join()).toContain('dep-1');
		}
	});

	const STRANGE: IDataObject[] = [
		{},
		{ name: null },
		{ name: '' },
		{ name: '   ' },
		{ name: { first: 'x' } },
		{ name: ['x', 'y'] },
		{ name: true },
	];
	it.each(STRANGE)('buys nothing under the name in %j', async (args) => {
		const set = await stage();
		await call(set, how, deploy({ ...name, ...limited }), [args]);
		expect(set.service.machines).toEqual([]);
	});

	it.each([
		'__proto__',
		'constructor',
		'toString',
		'a\nb',
		'x'.repeat(5_000),
		'💥',
		'../../x',
		'{{ 1 }}',
	])('buys at most one under the name %j, twice called, and can destroy it', async (own) => {
		const set = await stage();
		const { service } = set;
		const answers = await call(set, how, deploy({ ...name, ...limited }), [
			{ name: own },
			{ name: own },
		]);
		expect(service.machines.length).toBeLessThanOrEqual(1);
		if (service.machines.length === 1) expect(answers.join()).toContain('dep-1');
		const node = deployment('destroy', {
			deploymentId: locator(byModel('name'), 'name'),
			options: {},
		});
		await call(set, how, node, [{ name: own }]);
		expect(service.bills).toEqual([]);
	});

	it.each([
		1e9,
		9_000,
		0,
		-5,
		1.5,
		'1e3',
		'0x10',
		'many',
		null,
		[],
		[1, 2],
		{ value: 1 },
		true,
		Infinity,
	])('extends by at most what its limit allows for %j hours', async (hours) => {
		const set = await stage();
		const machine = set.service.add();
		const node = extend('dep-1', byModel('hours'), { maxPrice: 10 });
		await call(set, how, node, [{ hours } as IDataObject]);
		expect(machine.hours).toBeLessThanOrEqual(15);
	});

	it('extends once for a call whose answer is lost, and is repeated', async () => {
		for (const settings of [{}, RETRY]) {
			const set = await stage();
			const machine = set.service.add();
			let count = 0;
			set.service.answered = (one, said) =>
				isPost(one) && ++count === 1 ? { status: 502, text: 'Bad Gateway' } : said;
			const node = extend('dep-1', byModel('hours'), { maxPrice: 10 }, settings);
			await call(set, how, node, [{ hours: 2 }]);
			expect(machine.hours).toBe(7);
		}
	});

	it('does not destroy many', async () => {
		for (const changes of [
			{},
			{ dryRun: byModel('dry') },
			{ options: { allowAiAgents: byModel('allow') } },
			{ options: { allowAiAgents: 'true' } },
		]) {
			const set = await stage();
			set.service.add({ name: 'a' });
			set.service.add({ name: 'ab' });
			const node = destroyMany(byModel('prefix'), changes as IDataObject);
			await call(set, how, node, [{ prefix: 'a', dry: false, allow: true }]);
			expect(set.service.sent('DELETE')).toEqual([]);
		}
	});

	it.each([
		[['dep-1', 'dep-2', 'dep-3']],
		['dep-1,dep-2,dep-3'],
		[['dep-1', '../dep-2']],
		['*'],
		[''],
		[null],
	])('destroys no more than one deployment with the ID %j', async (id) => {
		const set = await stage();
		['a', 'b', 'c'].forEach((one) => set.service.add({ name: one }));
		const node = deployment('destroy', { deploymentId: locator(byModel('id')), options: {} });
		await call(set, how, node, [{ id } as IDataObject]);
		expect(set.service.bills.length).toBeGreaterThanOrEqual(2);
	});

	it.each(['id', 'name'] as const)(
		'destroys several by %s where a person allows it',
		async (mode) => {
			const set = await stage();
			['a', 'b'].forEach((one) => set.service.add({ name: one }));
			const of = (options: IDataObject) =>
				deployment('destroy', { deploymentId: locator(byModel('these'), mode), options });
			const args = { these: mode === 'id' ? ['dep-1', 'dep-2'] : ['a', 'b'], allow: true };
			const [refusal] = await call(set, how, of({ allowAiAgents: byModel('allow') }), [args]);
			expect(refusal).toContain('several deployments in one call is not allowed for AI agents');
			expect(set.service.sent('DELETE')).toEqual([]);
			await call(set, how, of({ allowAiAgents: true }), [args]);
			expect(set.service.bills).toEqual([]);
		},
	);
});
