import { describe, expect, it } from 'vitest';
import {
	CONTINUE,
	deployment,
	jobParameters,
	MARKETPLACE,
	RETRY,
	SSH,
	vmaas,
} from '../../engine/nodes.mts';
import type { Call, Said } from './service.mts';
import { deploy, destroy, destroyMany, extend, stage, told, type Stage } from './stage.mts';

const isList = ({ path }: Call) => path === '/deployments';
const isDetails = ({ method, path }: Call) =>
	method === 'GET' && /^\/deployment\/[^/]+$/.test(path);

/** What a service says to reads that it does not offer, or cannot answer now. */
const READS: Array<[string, (call: Call) => Said | undefined]> = [
	[
		'neither list nor details',
		(call) => (isList(call) || isDetails(call) ? { status: 404, text: 'Not found' } : undefined),
	],
	['no list', (call) => (isList(call) ? { status: 405 } : undefined)],
	['no details', (call) => (isDetails(call) ? { status: 501 } : undefined)],
	['a list that is forbidden', (call) => (isList(call) ? { status: 403 } : undefined)],
	['a list that is down', (call) => (isList(call) ? { status: 500 } : undefined)],
	['details that are down', (call) => (isDetails(call) ? { status: 503 } : undefined)],
	['all reads down', (call) => (call.method === 'GET' ? { status: 502 } : undefined)],
	[
		'reads that want a pause',
		(call) =>
			call.method === 'GET' && call.at % 7 !== 0
				? { status: 429, headers: { 'retry-after': '3' } }
				: undefined,
	],
	[
		'lists that are a page of a proxy',
		(call) => (isList(call) ? { text: '<!doctype html><title>Sign in</title>' } : undefined),
	],
	[
		'lists that say no with 200',
		(call) => (isList(call) ? { json: { success: false, message: 'busy' } } : undefined),
	],
	[
		'empty envelopes',
		(call) =>
			isList(call)
				? { json: { data: {}, status: 'failed' } }
				: isDetails(call)
					? { json: { data: {}, status: 'succeeded' } }
					: undefined,
	],
	[
		'null in place of lists',
		(call) => (isList(call) ? { json: { data: { deployments: null } } } : undefined),
	],
];

describe.each(READS)('a service with %s', (_, reads) => {
	const bare = async (): Promise<Stage> => await stage({ instead: reads });

	it('sells once, with and without a lost answer, whatever the rules of the name', async () => {
		const rules = [
			{},
			{ uniqueName: true },
			{ ifNameExists: 'deploy' },
			{ ifNameExists: 'useExisting' },
		];
		for (const safety of rules)
			for (const lost of [false, true]) {
				const { service, run } = await bare();
				service.answered = (call, said) =>
					lost && call.method === 'POST' ? { reset: true } : said;
				const { all } = told(await run(deploy({ safety }, { ...RETRY, ...CONTINUE })));
				expect(service.machines.length).toBeLessThanOrEqual(1);
				for (const { name, id } of service.machines)
					expect(all.includes(id) || all.includes(name)).toBe(true);
			}
	});

	it('is not said to have ended what runs on', async () => {
		for (const node of [destroy('dep-1'), destroy('job', {}, 'name'), destroyMany('jo')]) {
			for (const isDone of [false, true]) {
				const { service, run } = await stage();
				const machine = service.add();
				service.instead = (call) => {
					if (call.method !== 'DELETE') return reads(call);
					if (isDone) machine.endedAt ??= service.clock.now();
					return { json: { status: 'ok' } };
				};
				const { of, error } = told(await run(node));
				const isClaimed = of().some(({ deleted }) => deleted === true);
				expect(isClaimed && !isDone).toBe(false);
				// Nothing runs on in silence
				if (!isDone) expect(error !== undefined || of().length > 0).toBe(true);
			}
		}
	});

	it('extends once, and claims no hours that nobody has seen', async () => {
		for (const lost of [false, true]) {
			const { service, run } = await bare();
			const machine = service.add();
			service.answered = (call, said) => (lost && call.method === 'POST' ? { reset: true } : said);
			const { of } = told(await run(extend('dep-1', 2, {}, { ...RETRY, ...CONTINUE })));
			expect(machine.hours).toBeLessThanOrEqual(7);
			if (of()[0]?.added_hours === 2) expect(machine.hours).toBe(7);
		}
	});

	it('shows no sums of what it does not show', async () => {
		const { service, run } = await bare();
		service.add();
		const node = deployment('getSpending', { groupBy: 'none', filters: {}, options: {} });
		const { of, error } = told(await run(node));
		const [sums] = of();
		expect(error !== undefined || sums?.paid === 5 || sums?.is_complete === false).toBe(true);
	});

	it('keeps no machine of a job in silence', async () => {
		const { service, run } = await bare();
		const credentials = { ...MARKETPLACE, ...SSH };
		const parameters = jobParameters({ options: { waitTimeout: 60 } });
		const node = vmaas('job', 'run', parameters, { credentials });
		const { error } = told(await run(node));
		expect(service.machines.length).toBeLessThanOrEqual(1);
		for (const { name, endedAt } of service.machines)
			if (endedAt === undefined) expect(error).toContain(name);
	});

	it('does not sell above a limit on what runs', async () => {
		const { service, run } = await bare();
		service.add();
		service.add({ name: 'other' });
		const order = deploy({
			resourcePrivateName: 'x',
			safety: { maxPrice: 9, maxRunningCost: 2.5 },
		});
		await run(order);
		expect(service.machines).toHaveLength(2);
	});
});
