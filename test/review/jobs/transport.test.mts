import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorOf, onlyJson } from '../../engine/results.mts';
import { files, job, toldBy, world, type World } from './world.mts';
import { Habits } from './vm.mts';

const INPUT = files({ data: ['in.txt', Buffer.from('what comes in')] });
const PLAY = { inputFields: 'data', resultFiles: 'out.txt' };
const task = ({ ledger }: World) =>
	`echo x >>${ledger}; cat in.txt in.txt >out.txt; echo said; exit 0`;

/** The job ran once, and all that it has made is there. */
async function expectDone(here: World, parameters = {}): Promise<void> {
	const run = await here.run(job('run', task(here), { ...PLAY, ...parameters }), [INPUT]);
	expect(onlyJson(run)).toMatchObject({
		exit_code: 0,
		stdout: 'said\n',
		destroyed: true,
		missing_files: [],
	});
	expect(onlyJson(run).files).toMatchObject([{ path: 'out.txt', bytes: 26 }]);
	expect(here.starts()).toBe(1);
	here.expectOver(1);
}

describe('an image that sends root away until it is set up', () => {
	const words = 'Please login as the user "ubuntu" rather than the user "root".';
	const away = { instead: `echo '${words}'; exit 142` };

	it('is waited for', async () => {
		const here = await world();
		const from = here.clock.now();
		here.habits.fate = () => (here.clock.now() < from + 100_000 ? away : undefined);
		await expectDone(here);
	});

	it('and never ends that: the wait has its time, and the words are told', async () => {
		const here = await world({ fate: () => away });
		const from = here.clock.now();
		const run = await here.run(job('run', task(here), { options: { waitTimeout: 120 } }));
		expect(toldBy(run)).toContain('Please login as the user');
		expect(here.clock.now() - from).toBeLessThan(300_000);
		expect(here.starts()).toBe(0);
		here.expectOver(1);
	});
});

describe('a VM that restarts after its first boot', () => {
	it.each([2, 3, 4])('before command %i, and rejects logins for a while', async (count) => {
		const here = await world();
		let until = 0;
		here.habits.fate = (exec) => {
			if (exec.count !== count || until > 0) return undefined;
			until = here.clock.now() + 90_000;
			return 'cut';
		};
		here.habits.admits = () => here.clock.now() >= until;
		await expectDone(here);
	});

	it('and comes back with another home: the command, which may have begun, is not started again', async () => {
		const here = await world();
		let isDone = false;
		here.habits.fate = ({ stdin }) => {
			if (!stdin.includes('setsid') || isDone) return undefined;
			isDone = true;
			rmSync(here.market.first.jobs, { recursive: true });
			return 'cut';
		};
		const run = await here.run(job('run', task(here), PLAY), [INPUT]);
		expect(errorOf(run).message).toMatch(/not started again|could not be started/);
		expect(here.starts()).toBe(0);
		here.expectOver(1);
	});
});

describe('a server with few sessions', () => {
	it.each([1, 2])('%i on a connection', async (sessions) => {
		await expectDone(await world({ sessions }));
	});
});

describe('a network that breaks', () => {
	it.each([
		['start', 1],
		['open', 1],
		['open', 2],
		['write', 1],
		['close', 1],
		['rename', 1],
		['read', 1],
		['start', 2],
	] as const)('at "%s" of SFTP, number %i', async (name, nth) => {
		let seen = 0;
		const file: Habits['file'] = (step) => (step === name && ++seen === nth ? 'cut' : undefined);
		await expectDone(await world({ file }));
	});

	it.each(['lost', 'cut', 'no status', 'no close', 'hang'] as const)(
		'each third command: %s',
		async (fate) => {
			await expectDone(await world({ fate: ({ count }) => (count % 3 === 0 ? fate : undefined) }));
		},
	);

	// Hundreds of commands: a busy machine takes longer for them than for other tests
	it('after most answers', { timeout: 600_000 }, async () => {
		const chance = (count: number) => ((count * 2_654_435_761) % 2 ** 32) / 2 ** 32;
		await expectDone(
			await world({ fate: ({ count }) => (chance(count) < 0.6 ? 'lost' : undefined) }),
		);
	});

	it('for 20 minutes in mid-run', async () => {
		const here = await world();
		let until = 0;
		here.habits.fate = ({ stdin }) => {
			if (!stdin.includes('show stdout') || until > 0) return undefined;
			until = here.clock.now() + 1_200_000;
			return 'cut';
		};
		here.habits.answers = () => here.clock.now() >= until;
		await expectDone(here);
	});
});

describe('a login shell that greets', () => {
	it.each([
		['20,000 bytes', 'Welcome to the machine.\n'.repeat(900)],
		['200,000 bytes', 'Welcome to the machine.\n'.repeat(9_000)],
		['without an end of line', 'last login: never> '],
		['with NULs', '\0\0\xff\0'],
	])('%s', async (_name, greeting) => {
		await expectDone(await world({ greeting }), { options: { maxOutputBytes: 1_024 } });
	});
});

describe('a VM that never comes up', () => {
	it.each([
		['nothing listens', { answers: () => false }],
		['commands hang', { fate: () => 'hang' as const }],
		['its address is a word', { access: 'pending' }],
		['no key is taken', { admits: () => false }],
	])('%s', async (_name, habits) => {
		const here = await world(habits);
		const run = await here.run(job('run', task(here)));
		expect(errorOf(run).description).toContain('was destroyed');
		here.expectOver(1);
		expect(here.starts()).toBe(0);
	});
});

describe('SFTP', () => {
	it('that is not there: the output of the command is told', async () => {
		const here = await world({ hasSftp: false });
		const run = await here.run(
			job('run', `echo x >>${here.ledger}; echo said >out.txt; echo said`, {
				resultFiles: 'out.txt',
			}),
		);
		expect(toldBy(run)).toContain('SFTP');
		expect(toldBy(run)).toContain('said');
		here.expectOver(1);
	});

	it('that shows the end of a file before it: no part is taken for the whole', async () => {
		let reads = 0;
		const here = await world({
			file: (step) => (step === 'read' && ++reads === 2 ? 'eof' : undefined),
		});
		const run = await here.run(
			job('run', 'head -c 200000 /dev/zero >out.bin', { resultFiles: 'out.bin' }),
		);
		const told = toldBy(run);
		if (run.data.resultData.error) expect(told).toContain('out.bin');
		else expect(onlyJson(run).files).toMatchObject([{ bytes: 200_000 }]);
		here.expectOver(1);
	});

	it('on a disk that is full after a part', async () => {
		let writes = 0;
		const here = await world({
			file: (step) => (step === 'write' && ++writes > 2 ? 4 : undefined),
		});
		const big = files({ data: ['in.txt', Buffer.alloc(200_000)] });
		const run = await here.run(job('run', task(here), PLAY), [big]);
		expect(errorOf(run).description).toContain('was destroyed');
		expect(here.starts()).toBe(0);
		here.expectOver(1);
	});
});
