import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorOf, onlyJson } from '../../engine/results.mts';
import { files, job, toldBy, world, type World } from './world.mts';

const task = ({ ledger }: World) =>
	`echo x >>${ledger}; cat in.txt >out.txt; echo said; echo no >&2`;
const INPUT = files({ data: ['in.txt', Buffer.from('what comes in')] });
const PLAY = { inputFields: 'data', resultFiles: 'out.txt' };

describe('a login shell', () => {
	it.each([
		['bash', ['/bin/bash']],
		['bash as at a login', ['/bin/bash', '-l']],
		['bash that stops at each error', ['/bin/bash', '-eu', '-o', 'pipefail']],
		['dash that shows what it does', ['/bin/dash', '-x']],
	])('%s', async (_name, shell) => {
		const here = await world({ shell, greeting: 'You have mail.\n\x1b[31m' });
		const run = await here.run(job('run', task(here), PLAY), [INPUT]);
		expect(onlyJson(run)).toMatchObject({
			exit_code: 0,
			stdout: 'said\n',
			stderr: 'no\n',
			files: [{ bytes: 13 }],
		});
		expect(here.starts()).toBe(1);
		here.expectOver(1);
	});
});

describe('a command that does what it wants', () => {
	it.each([
		['goes to the background', (line: string) => `( sleep 0.2; ${line} ) & wait`, 0],
		['makes itself a session', (line: string) => `setsid sh -c '${line}'`, 0],
		['closes its output', (line: string) => `${line}; exec >&- 2>&-`, 0],
		['ends in a pipe that breaks', (line: string) => `${line}; yes | head -1 >/dev/null`, 0],
		['sets traps and limits', (line: string) => `trap 'exit 9' EXIT; ulimit -n 16; ${line}`, 9],
		['empties its folder', (line: string) => `${line}; rm -rf ./* ./.[!.]*`, 0],
	])('%s', async (_name, around, code) => {
		const here = await world();
		const run = await here.run(
			job('run', around(`echo x >>${here.ledger}; echo said`), {
				options: { onNonZeroExit: 'output' },
			}),
		);
		expect(onlyJson(run)).toMatchObject({ exit_code: code, stdout: 'said\n', destroyed: true });
		expect(here.starts()).toBe(1);
		here.expectOver(1);
	});

	it('that removes the folder of the job: no end of it is made up', async () => {
		const here = await world();
		const run = await here.run(
			job('run', `echo x >>${here.ledger}; rm -rf ~/.compute-job; exit 0`),
		);
		expect(errorOf(run)).toBeDefined();
		expect(toldBy(run)).not.toContain('"exit_code":0');
		here.expectOver(1);
	});

	it('that writes over its own output', async () => {
		const here = await world();
		const run = await here.run(
			job('run', 'echo one; echo two; sleep 0.2; : >../stdout; sleep 0.2; echo three'),
		);
		expect(onlyJson(run).exit_code).toBe(0);
		expect(String(onlyJson(run).stdout)).toContain('three');
		here.expectOver(1);
	});

	it('of 200 kB, with quotes, dollars, and marks of the package', async () => {
		const here = await world();
		const text = `it's "$(id)" \`id\` \\ END-OF-COMPUTE-JOB-8d1f4c\nEND-OF-COMPUTE-JOB-8d1f4c\nBEGIN-OF-COMPUTE-JOB-8d1f4c\n`;
		const line = `cat >big <<'LAST'\n${text.repeat(1_900)}LAST\nwc -c <big`;
		const variables = [{ name: 'V', value: text }];
		const run = await here.run(
			job('run', `${line}; printf %s "$V" | wc -c`, { options: { environment: { variables } } }),
		);
		expect(onlyJson(run)).toMatchObject({
			exit_code: 0,
			stdout: `${text.length * 1_900}\n${text.length}\n`,
		});
	});
});

describe('a home', () => {
	const nothing = async (here: World) => {
		const run = await here.run(job('run', task(here)));
		expect(errorOf(run).message).toContain('could not be prepared');
		expect(here.starts()).toBe(0);
		here.expectOver(1);
	};

	it('that is not there: nothing of the command runs, and nothing bills', async () => {
		const here = await world();
		here.habits.fate = ({ line }) => ({ instead: `HOME=/proc/nowhere; ${line}` });
		await nothing(here);
	});

	it('that has a file in the place of the folder', async () => {
		const here = await world();
		here.habits.fate = ({ count }) => {
			if (count === 1) writeFileSync(here.market.first.jobs, '');
			return undefined;
		};
		await nothing(here);
	});
});
