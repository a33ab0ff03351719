import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { deployParameters } from '../../engine/nodes.mts';
import { errorOf, onlyJson } from '../../engine/results.mts';
import { RETRY } from '../../engine/nodes.mts';
import { command, fileOf, files, SECRET, toldBy, world, type World } from './world.mts';

let here: World;
beforeEach(async () => {
	here = await world();
	here.market.books.buy(deployParameters());
	// The first answer of the service starts it
	await here.run(command('getAll'));
});
const home = () => here.market.first.home;
const run = async (line: string, options = {}) =>
	await here.run(command('runCommand', { command: line, options }));

describe('a command', () => {
	it('with a folder, variables and an input of any characters', async () => {
		for (const folder of ["it's $(touch pwned) a", '-rf', 'a"b', 'new\nline', '*', '`id`']) {
			mkdirSync(join(home(), folder));
			const value = `'"$(touch ~/pwned)\n\\`;
			const variables = [{ name: 'V', value }];
			const item = onlyJson(
				await run('pwd; printf %s "$V"; cat', {
					cwd: folder,
					environment: { variables },
					stdin: '$(id)\n',
				}),
			);
			expect(item.stdout).toBe(`${join(home(), folder)}\n${value}$(id)\n`);
		}
		expect(readdirSync(home())).not.toContain('pwned');
	});

	it.each([
		['exit 137', 137],
		['exit 255', 255],
		['kill -9 $$', null],
	])('%s', async (line, code) => {
		expect(onlyJson(await run(line, { onNonZeroExit: 'output' }))).toMatchObject({
			exit_code: code,
			...(code === null && { signal: 'SIGKILL' }),
		});
		expect(errorOf(await run(line)).message).toContain(
			code === null ? 'signal SIGKILL' : `exit code ${code}`,
		);
	});

	it('whose channel closes without a status: success is not said', async () => {
		here.habits.fate = () => 'no status';
		expect(errorOf(await run('echo said')).message).toContain('no exit code');
		expect(onlyJson(await run('echo said', { onNonZeroExit: 'output' }))).toMatchObject({
			exit_code: null,
			stdout: 'said\n',
		});
	});

	it.each(['lost', 'hang'] as const)(
		'that is %s, with Retry On Fail: sent once, and its outcome unknown',
		async (fate) => {
			here.habits.fate = () => fate;
			const failed = await here.run({
				...command('runCommand', { command: `echo x >>${here.ledger}` }),
				...RETRY,
			});
			expect(errorOf(failed).message).toContain('outcome unknown');
			expect(here.market.first.execs).toHaveLength(1);
			expect(here.starts()).toBeLessThanOrEqual(1);
		},
	);

	it('that leaves something that writes without end: its end is told, soon', async () => {
		const from = here.clock.now();
		let over = false;
		// Each of its words comes after a second of the clock
		here.habits.fate = () => 'no close';
		const talk = (async () => {
			while (!over) {
				await here.clock.wait(1_000);
				here.market.first.talk('tick\n');
			}
		})();
		const item = onlyJson(await run('echo said', { timeout: 600 }));
		over = true;
		expect(item).toMatchObject({ exit_code: 0 });
		expect(String(item.stdout)).toContain('said\n');
		expect(here.clock.now() - from).toBeLessThan(120_000);
		await here.clock.goBy(2_000);
		await talk;
	});

	it('with 60 MB of output, without an end of line', async () => {
		const item = onlyJson(
			await run('head -c 60000000 /dev/zero; printf end', { maxOutputBytes: 100 }),
		);
		expect(item).toMatchObject({ stdout_bytes: 60_000_003, stdout_truncated: true, exit_code: 0 });
		expect(String(item.stdout)).toHaveLength(100);
		expect(String(item.stdout).endsWith('end')).toBe(true);
	});

	it('that fails with a secret in its environment', async () => {
		const variables = [{ name: 'TOKEN', value: SECRET }];
		expect(toldBy(await run('exit 4', { environment: { variables } }))).toContain('exit code 4');
		here.habits.fate = () => 'hang';
		expect(toldBy(await run('echo', { environment: { variables } }))).toContain('outcome unknown');
	});
});

describe('a file', () => {
	const NAMES = [
		'a b',
		"it's",
		'-rf',
		'$(touch pwned)',
		'new\nline',
		'*',
		'back\\slash',
		'ünï',
		'd/e/f g',
	];

	it('of any name goes there and comes back', async () => {
		for (const name of NAMES) {
			const item = files({ data: ['x', Buffer.from(name)] });
			const up = onlyJson(
				await here.run(
					command('uploadFile', {
						binaryPropertyName: 'data',
						remotePath: name,
						options: { createFolders: true },
					}),
					[item],
				),
			);
			expect(readFileSync(join(home(), name), 'utf8')).toBe(name);
			expect(up).toMatchObject({ remote_path: name, size_in_bytes: Buffer.byteLength(name) });
			const down = await here.run(
				command('downloadFile', { remotePath: name, binaryPropertyName: 'data' }),
			);
			expect(fileOf(down, 'data')).toBe(name);
		}
		expect(
			readdirSync(home()).filter((name) => name.endsWith('.part') || name === 'pwned'),
		).toEqual([]);
	});

	it.each([
		['write', 1],
		['close', 1],
		['rename', 1],
		['rename', 2],
	] as const)('whose upload fails at "%s" %i: the old one is not lost', async (at, nth) => {
		for (const fault of [4, 'cut'] as const) {
			writeFileSync(join(home(), 'model'), 'old');
			let seen = 0;
			here.habits.file = (step) => (step === at && ++seen === nth ? fault : undefined);
			const item = files({ data: ['x', Buffer.alloc(100_000, 1)] });
			const upload = command('uploadFile', { binaryPropertyName: 'data', remotePath: 'model' });
			const failed = await here.run(upload, [item]);
			expect(errorOf(failed)).toBeDefined();
			expect(toldBy(failed)).not.toContain('sha256');
			const all = readdirSync(home()).map((name) => readFileSync(join(home(), name), 'utf8'));
			expect(all).toContain('old');
			if (fault === 4) expect(readFileSync(join(home(), 'model'), 'utf8')).toBe('old');
		}
	});

	it('that ends too early, is gone, or is a folder is no file', async () => {
		writeFileSync(join(home(), 'big'), Buffer.alloc(300_000, 7));
		mkdirSync(join(home(), 'folder'));
		const get = async (remotePath: string) =>
			await here.run(command('downloadFile', { remotePath, binaryPropertyName: 'data' }));
		for (const nth of [1, 3, 9]) {
			let reads = 0;
			here.habits.file = (step) => (step === 'read' && ++reads === nth ? 'eof' : undefined);
			const partly = await get('big');
			if (!partly.data.resultData.error) expect(onlyJson(partly).size_in_bytes).toBe(300_000);
		}
		here.habits.file = () => undefined;
		expect(errorOf(await get('none')).message).toContain('no such file');
		expect(errorOf(await get('folder')).message).toContain('folder');
		expect(onlyJson(await get('big')).size_in_bytes).toBe(300_000);
	});

	it('that grows while it is read, and one without a size', async () => {
		writeFileSync(join(home(), 'log'), Buffer.alloc(100_000, 65));
		let isDone = false;
		here.habits.file = (step) => {
			if (step === 'read' && !isDone) writeFileSync(join(home(), 'log'), 'B', { flag: 'a' });
			isDone = true;
			return undefined;
		};
		const get = async (remotePath: string) =>
			await here.run(command('downloadFile', { remotePath, binaryPropertyName: 'data' }));
		expect(onlyJson(await get('log')).size_in_bytes).toBeGreaterThanOrEqual(100_000);
		expect(Number(onlyJson(await get('/proc/cpuinfo')).size_in_bytes)).toBeGreaterThan(0);
		expect(
			Number(
				onlyJson(
					await get('/sys/kernel/mm/transparent_hugepage/enabled').catch(
						async () => await get('/proc/cpuinfo'),
					),
				).size_in_bytes,
			),
		).toBeGreaterThan(0);
	});
});
