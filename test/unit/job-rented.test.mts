import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { now } from '../../nodes/shared/time.ts';
import { run } from '../../nodes/Vmaas/resources/job/run.ts';
import { start } from '../../nodes/Vmaas/resources/job/start.ts';
import { jobParameters } from '../engine/nodes.mts';
import { inputOf, outcome, poll, type Said } from './job-bench.mts';
import { CHOSEN, destroyedBy, jobContext, shopOf, working, type Shop } from './job-shop.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

/** A job that runs for so many seconds and then says this. */
function lasting(seconds: number, last: string): () => Said {
	let until: number | undefined;
	return () => {
		until ??= now() + seconds * 1_000;
		return { stdout: now() < until ? poll('running') : last, exitCode: 0 };
	};
}

const done = (state = 'ended 0') => poll(state, { stdout: 'done\n' });

async function ran(shop: Shop, changes: IDataObject = {}, context = jobContext(shop)) {
	const input = inputOf(run, jobParameters(changes));
	const result = await outcome(async () => await run.run(context, input));
	return result instanceof Error ? result : (result[0] as IDataObject);
}

async function failed(...job: Parameters<typeof ran>) {
	const error = await ran(...job);
	if (!(error instanceof Error)) throw new Error('No error');
	const known = error.context.known as IDataObject;
	return { message: error.message, description: error.description, known };
}

const nameIn = ({ sold }: Shop) => String(sold[0]?.resource_private_name);
const OUTPUT = { stdout: 'done\n', stderr: '', stdout_bytes: 5, stderr_bytes: 0 };
const wasDestroyed = (shop: Shop) =>
	`Deployment ${shop.ids[0]} ("${nameIn(shop)}") was destroyed, and its end was seen.`;

describe('a job that is run', () => {
	it('has its output, what it has cost and how long it took, and its VM has ended', async () => {
		const shop = shopOf({ vm: working(lasting(360, done())) }, { amount_paid: 1.5 });
		expect(await ran(shop)).toEqual({
			...CHOSEN,
			job_key: 'train',
			job_id: nameIn(shop).slice(-10),
			exit_code: 0,
			...OUTPUT,
			files: [],
			missing_files: [],
			seconds: 361,
			hours: 0.1,
			deployment_id: shop.ids[0],
			resource_private_name: nameIn(shop),
			destroyed: true,
			verified: true,
			amount_paid: 1.5,
		});
		expect(destroyedBy(shop)).toBe(1);
		expect(shop.logged).toEqual([]);
		expect(shop.scripts.filter((script) => script.includes('heartbeat')).length).toBeGreaterThan(
			15,
		);
	});

	it('goes on after a lost connection: it is not started again, and has its time from the start', async () => {
		let polls = 0;
		let searches = 0;
		const look = lasting(60, done());
		const vm = working(() => (++polls === 3 ? {} : look()));
		const isFirstSearch = (script: string) => script.includes('count=0') && ++searches === 1;
		const shop = shopOf({ vm: (script) => (isFirstSearch(script) ? {} : vm(script)) });
		const item = await ran(shop, { resultFiles: 'a' });
		expect(item).toMatchObject({ exit_code: 0, missing_files: ['a'] });
		expect((item as IDataObject).seconds).toBeLessThan(75);
		expect(shop.scripts.filter((script) => script.includes('mkdir lock'))).toHaveLength(1);
	});

	it('is ended when the time of its command is over, counted from its start', async () => {
		let polls = 0;
		const running = { stdout: poll('running', { stdout: 'x' }), exitCode: 0 };
		const shop = shopOf({ vm: working(() => (++polls === 5 ? {} : running)) });
		const startedAt = now();
		const error = await failed(shop, { options: { commandTimeout: 150 } });
		expect((now() - startedAt) / 1_000).toBeCloseTo(150, 0);
		expect(error).toEqual({
			message: 'The command has not ended within its time',
			description: `Raise Command Timeout under Options, or choose a longer Duration.\n${wasDestroyed(shop)}`,
			known: {
				resource_private_name: nameIn(shop),
				deployment_id: shop.ids[0],
				exit_code: null,
				stdout: expect.stringMatching(/^x+$/) as unknown,
				stderr: '',
				stdout_bytes: 1,
				stderr_bytes: 0,
				destroyed: true,
				verified: true,
				amount_paid: null,
			},
		});
	});

	it.each([
		['stderr', 'ended 3', { stdout: 'out', stderr: ' no disk\n' }, 'no disk'],
		['stdout, where stderr is empty', 'ended 3', { stdout: ' out\n', stderr: ' \n' }, 'out'],
		['the last 2000 characters', 'ended 3', { stderr: `a${'b'.repeat(2_000)}` }, 'b'.repeat(2_000)],
	])('is an error with %s where it fails, and brings no files', async (_, state, said, tail) => {
		const shop = shopOf({ vm: working(() => ({ stdout: poll(state, said), exitCode: 0 })) });
		const error = await failed(shop, { resultFiles: 'a' });
		expect(error.message).toBe('The command ended with exit code 3');
		expect(error.description).toBe(`${tail}\n${wasDestroyed(shop)}`);
		expect(error.known).toMatchObject({ exit_code: 3, destroyed: true });
		expect(shop.scripts.some((script) => script.includes('count=0'))).toBe(false);
	});

	it('is an item with its files where it fails, if that is chosen', async () => {
		const shop = shopOf({ vm: working(() => ({ stdout: done('ended 3'), exitCode: 0 })) });
		const options = { onNonZeroExit: 'output' };
		expect(await ran(shop, { options, resultFiles: 'a' })).toMatchObject({
			...OUTPUT,
			exit_code: 3,
			missing_files: ['a'],
			destroyed: true,
		});
	});

	it('warns where the end of its VM was not seen, in the item, the editor and the log', async () => {
		const shop = shopOf(
			{
				vm: working(() => ({ stdout: done(), exitCode: 0 })),
				destroy: () => [403, { message: 'locked' }],
			},
			{ amount_paid: 3 },
		);
		const context = jobContext(shop);
		const shown: unknown[] = [];
		Object.assign(context.functions, { addExecutionHints: (hint: unknown) => shown.push(hint) });
		const item = await ran(shop, {}, context);
		const warning = expect.stringMatching(
			new RegExp(
				`^Deployment ${shop.ids[0]} \\("${nameIn(shop)}"\\) may still run and bill: .*\\D$`,
			),
		) as unknown;
		const end = {
			deployment_id: shop.ids[0],
			resource_private_name: nameIn(shop),
			destroyed: null,
			verified: false,
			amount_paid: null,
		};
		expect(item).toMatchObject({
			...end,
			exit_code: 0,
			hint: expect.stringMatching(
				/^The service shows 3 paid instead of the price of 2\. Deployment .*\.$/,
			) as unknown,
		});
		expect(shown).toEqual([{ message: warning, type: 'warning', location: 'outputPane' }]);
		expect(shop.logged).toEqual([
			[expect.stringMatching(/^A job has ended\. Deployment .* may still run and bill/), end],
		]);
	});

	it('tells what it has left alone', async () => {
		const vm = working(() => ({ stdout: done(), exitCode: 0 }));
		const item = await ran(shopOf({ list: [404, {}], vm }));
		expect(item).toMatchObject({
			left_alone: [
				{ reason: 'the service has no list of deployments: earlier runs cannot be found' },
			],
		});
		expect(item).not.toHaveProperty('ended_leftovers');
	});

	it('has its files again for a retry of another item', async () => {
		const shop = shopOf({ vm: working(() => ({ stdout: done(), exitCode: 0 })) });
		const context = jobContext(shop, 1);
		const item = await ran(shop, {}, context);
		expect(await run.again?.(context, [{}])).toEqual([item]);
		expect(await run.again?.(jobContext(shop, 0), [{}])).toEqual([{}]);
	});
});

describe('a job that is started', () => {
	async function started(shop: Shop, changes: IDataObject = {}) {
		const input = inputOf(start, jobParameters(changes));
		return await outcome(async () => await start.run(jobContext(shop), input));
	}

	it.each([
		['running', 'running'],
		['ended 0', 'finished'],
	])('goes on on its VM: %s', async (state, shown) => {
		const shop = shopOf({ vm: working(() => ({ stdout: poll(state), exitCode: 0 })) });
		const boughtAt = now();
		const [item] = (await started(shop)) as [IDataObject];
		expect(item).toEqual({
			...CHOSEN,
			deployment_id: shop.ids[0],
			job_id: nameIn(shop).slice(-10),
			job_key: 'train',
			resource_private_name: nameIn(shop),
			state: shown,
			expires_at: new Date(boughtAt + 7_200_000).toISOString(),
			vm_id: '1',
			ssh_user: 'ubuntu',
			ssh_host: '192.0.2.1',
			ssh_port: 22,
		});
		expect(nameIn(shop)).toMatch(/^train-start-[0-9a-f]{10}$/);
		expect(destroyedBy(shop)).toBe(0);
		expect(shop.scripts.some((script) => script.includes('heartbeat'))).toBe(false);
	});

	it('is named after its node where it has no key, and passes on what the service says', async () => {
		const vm = working(() => ({ stdout: poll('running'), exitCode: 0 }));
		const shop = shopOf({ vm }, { amount_paid: 3 });
		expect(await started(shop, { jobKey: '' })).toMatchObject([
			{
				job_key: expect.stringMatching(/^Node-[0-9a-f]{8}$/) as unknown,
				resource_private_name: expect.stringMatching(/^Node-[0-9a-f]{8}-start-/) as unknown,
				hint: 'The service shows 3 paid instead of the price of 2.',
			},
		]);
	});

	it('is not started for an AI agent unless a person allows it', async () => {
		const shop = shopOf();
		const context = jobContext(shop);
		Object.assign(context.functions, { isToolExecution: () => true });
		const input = inputOf(start, jobParameters());
		const error = await outcome(async () => await start.run(context, input));
		expect(error).toMatchObject({
			message: expect.stringMatching(
				/^Job > Start is not allowed for AI agents\. Nothing was sent\./,
			) as unknown,
		});
		expect(shop.requests).toEqual([]);
	});
});
