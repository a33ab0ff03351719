import { describe, expect, it } from 'vitest';
import type { IRun } from 'n8n-workflow';
import { outputOf } from '../../engine/engine.mts';
import { CONTINUE, MARKETPLACE, RETRY, SSH } from '../../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../../engine/results.mts';
import type { Call, Gateway } from '../money/service.mts';
import { expectNoSecret, job, toldBy, world, type World } from './world.mts';

const isDeploy = ({ method, path }: Call) => method === 'POST' && path.endsWith('/deploy');
const isDelete = ({ method }: Call) => method === 'DELETE';
const task = ({ ledger }: World) => `echo x >>${ledger}; echo said`;

/** What bills is named, and nothing is called destroyed that is not. */
function expectHonest(here: World, ...runs: IRun[]): void {
	const told = runs.map(toldBy).join('\n');
	const alive = here.market.books.alive();
	for (const { id, name } of alive) expect(told.includes(id) || told.includes(name)).toBe(true);
	for (const run of runs)
		for (const item of run.data.resultData.error ? [] : outputOf(run)) {
			if (item.json.destroyed !== true) continue;
			expect(alive.map(({ id }) => id)).not.toContain(item.json.deployment_id);
		}
}

const LOST: Gateway = (call, forward) => ({
	...forward(call),
	...(isDeploy(call) && { cut: 'before' as const }),
});

describe('a purchase', () => {
	const ANSWERS: Array<[string, Gateway]> = [
		['whose answer is lost', LOST],
		[
			'whose answer is cut amid',
			(call, forward) => ({ ...forward(call), ...(isDeploy(call) && { cut: 'amid' as const }) }),
		],
		[
			'that is made, with a 502',
			(call, forward) => {
				const made = forward(call);
				return isDeploy(call) ? { status: 502, body: '<html>' } : made;
			},
		],
		[
			'that is made, with a no',
			(call, forward) => {
				const made = forward(call);
				return isDeploy(call) ? { status: 200, body: { success: false, error: 'timeout' } } : made;
			},
		],
		[
			'that is made, with nothing',
			(call, forward) => {
				const made = forward(call);
				return isDeploy(call) ? { status: 202 } : made;
			},
		],
	];

	it.each(ANSWERS)('%s: one machine, which is used and ended', async (_name, gateway) => {
		for (const listBehind of [0, 50_000]) {
			const here = await world();
			Object.assign(here.market.books.behaviour, { listBehind, detailsBehind: listBehind });
			here.market.gateway = gateway;
			const run = await here.run(job('run', task(here), {}, RETRY));
			await here.clock.goBy(100_000);
			here.expectOver(1);
			expectHonest(here, run);
			expect(here.starts()).toBeLessThanOrEqual(1);
			if (!run.data.resultData.error)
				expect(onlyJson(run)).toMatchObject({ stdout: 'said\n', destroyed: true });
		}
	});

	it('that is made and never shows: its name is told, and nothing is bought beside it', async () => {
		const here = await world();
		Object.assign(here.market.books.behaviour, { listBehind: 3_000_000, detailsBehind: 3_000_000 });
		here.market.gateway = LOST;
		const run = await here.run(job('run', task(here), {}, RETRY));
		expect(here.market.books.machines).toHaveLength(1);
		expectHonest(here, run);
	});

	it('whose price rises between its look and the order: not above the limit', async () => {
		const here = await world();
		here.market.gateway = (call, forward) => {
			const answer = forward(call);
			if (call.path.endsWith('/hardware')) here.market.books.behaviour.rate = 5;
			return answer;
		};
		const run = await here.run(job('run', task(here)));
		expect(errorOf(run)).toBeDefined();
		here.expectOver(0);
	});

	it.each([{ safety: {} }, { safety: { maxPrice: 0 } }, { safety: { uniqueName: true } }])(
		'without a limit: %j',
		async (parameters) => {
			const here = await world();
			errorOf(await here.run(job('run', task(here), parameters)));
			here.expectOver(0);
		},
	);
});

const LONG = { durationHours: 5 };

describe('an end', () => {
	it('that is refused is told, and the next run makes it first', async () => {
		const here = await world();
		let refuses = true;
		here.market.gateway = (call, forward) =>
			isDelete(call) && refuses ? { status: 403, body: { detail: 'Not allowed' } } : forward(call);
		const first = await here.run(job('run', task(here), LONG));
		expect(onlyJson(first)).toMatchObject({ stdout: 'said\n', destroyed: null, verified: false });
		expectHonest(here, first);
		const second = await here.run(job('run', task(here), LONG, RETRY));
		expect(errorOf(second).message).toContain('could not be ended');
		expect(here.market.books.machines).toHaveLength(1);
		refuses = false;
		// Of another job
		const other = await here.run(job('run', task(here), { ...LONG, jobKey: 'train-run' }));
		expect(onlyJson(other).ended_leftovers).toBeUndefined();
		expect(here.market.books.alive()).toHaveLength(1);
		const third = await here.run(job('run', task(here), LONG));
		expect(onlyJson(third).ended_leftovers).toMatchObject([
			{ deployment_id: 'dep-1', destroyed: true },
		]);
		here.expectOver(3);
	});

	it.each([0, 45_000])(
		'whose answers are lost, of a service that takes its time and is %i ms behind',
		async (listBehind) => {
			const here = await world();
			Object.assign(here.market.books.behaviour, {
				endTakes: 200_000,
				listBehind,
				detailsBehind: listBehind,
			});
			here.market.gateway = (call, forward) => ({
				...forward(call),
				...(isDelete(call) && { cut: 'before' as const }),
			});
			const run = await here.run(job('run', task(here)));
			expect(onlyJson(run)).toMatchObject({ destroyed: true, verified: true });
			here.expectOver(1);
		},
	);

	it('that a 200 claims and that does not come', async () => {
		const here = await world();
		here.market.gateway = (call, forward) =>
			isDelete(call) ? { status: 200, body: { status: 'succeeded' } } : forward(call);
		const run = await here.run(job('run', `${task(here)}; exit 1`));
		expectHonest(here, run);
		expect(errorOf(run).message).toContain('may still run');
	});
});

describe('an execution that is stopped', () => {
	const at =
		(part: string, method = 'GET'): ((here: World, stop: () => void) => void) =>
		(here, stop) => {
			here.market.gateway = (call, forward) => {
				const answer = forward(call);
				if (call.method === method && call.path.endsWith(part)) stop();
				return answer;
			};
		};
	const onScript =
		(text: string): ((here: World, stop: () => void) => void) =>
		(here, stop) => {
			here.habits.fate = ({ stdin }) => {
				if (stdin.includes(text)) stop();
				return undefined;
			};
		};
	it.each([
		['at the hardware list', at('/hardware')],
		['at the order', at('/deploy', 'POST')],
		['while it boots', at('/vms')],
		['before the start', onScript('mkdir -p')],
		['at the start', onScript('setsid')],
		['in mid-run', onScript('show stdout')],
		[
			'at the files',
			(here: World, stop: () => void) => {
				here.habits.file = () => {
					stop();
					return undefined;
				};
			},
		],
		['at the end', at('', 'DELETE')],
	] as const)('%s: nothing runs on', async (_name, prepare) => {
		const here = await world();
		const controller = new AbortController();
		prepare(here, () => controller.abort());
		const logged = here.engine.log.length;
		await here
			.run(
				job('run', `${task(here)}; echo r >r`, { resultFiles: 'r' }),
				undefined,
				controller.signal,
			)
			.catch(() => undefined);
		await here.clock.goBy(1_200_000);
		here.expectOver();
		expect(here.starts()).toBeLessThanOrEqual(1);
		const log = JSON.stringify(here.engine.log.slice(logged));
		expectNoSecret(log);
		for (const { id } of here.market.books.machines) expect(log).toContain(id);
	});
});

describe('several at once', () => {
	it('items of which one fails', async () => {
		const here = await world();
		const items = [0, 1, 0].map((code) => ({ json: { code } }));
		const line = `=${task(here)}; exit {{ $json.code }}`;
		const run = await here.run(job('run', line, {}, CONTINUE), items);
		expect(jsonOf(run)).toMatchObject([
			{ exit_code: 0 },
			{ details: { exit_code: 1, destroyed: true } },
			{ exit_code: 0 },
		]);
		expect(here.starts()).toBe(3);
		here.expectOver(3);
	});

	it('items, with Retry On Fail: what is done is not done again', async () => {
		const here = await world();
		const items = [0, 1].map((code) => ({ json: { code } }));
		const run = await here.run(
			job('run', `=${task(here)}; exit {{ $json.code }}`, {}, RETRY),
			items,
		);
		expect(errorOf(run).message).toContain('exit code 1');
		expect(here.starts()).toBe(4);
		here.expectOver(4);
	});

	it('executions of one key, of a key before it, and of another process', async () => {
		const here = await world();
		const runs = await Promise.all([
			here.run(job('run', task(here))),
			here.run(job('run', task(here), { jobKey: 'train-2' })),
			here.run(job('run', task(here), {}, { credentials: { ...MARKETPLACE, ...SSH } })),
		]);
		for (const run of runs) expect(onlyJson(run)).toMatchObject({ exit_code: 0, stdout: 'said\n' });
		expect(here.starts()).toBe(3);
		here.expectOver(3);
	});
});

describe('a paid hour', () => {
	it('that is over in mid-run', async () => {
		const here = await world();
		here.habits.fate = ({ count }) => {
			if (count === 9) here.clock.pass(3_590_000);
			return undefined;
		};
		const run = await here.run(job('run', `${task(here)}; sleep 600`));
		expect(errorOf(run).message).toMatch(/ended before|its time/);
		expect(toldBy(run)).toContain('said');
		here.expectOver(1);
	});
});
