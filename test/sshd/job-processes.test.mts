import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { packageTime } from '../engine/time.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { systemClock } from '../sandbox/index.mts';
import { workerIds } from '../sandbox/compute/views.mts';
import { jobParameters } from '../engine/nodes.mts';
import { filesBelow, jobNode, jsonOf } from '../integration/jobFixture.mts';

/** Two n8n processes on one account: this one, and a child that can be killed. Pauses of both are cut to a thirtieth. */
const HASTE = 30;
const fixture = useFixture({ clock: systemClock(HASTE), time: 'real', ssh: true });

let child: ChildProcess | undefined;
const time = packageTime();
const real = { ...time };

/** The pauses of this process are cut as those of the other one, and its time goes by as much faster. */
function hasten(): void {
	time.delay = async (ms, signal) => await real.delay(Math.ceil(ms / HASTE), signal);
	time.now = () => fixture.sandbox.clock.now();
	time.elapsed = () => fixture.sandbox.clock.now();
}

afterEach(() => {
	Object.assign(time, real);
	child?.kill('SIGKILL');
});

const bought = () => fixture.sandbox.books.deployments;
const states = () => bought().map(({ state }) => state);

/** The home of the VM that was bought first, if it runs. */
function homeOfFirst(): string | undefined {
	const [id = ''] = bought().slice(0, 1).flatMap(workerIds);
	return fixture.sandbox.vms.homeOf(id);
}

/** Begins a job in a process of its own. */
function begin(parameters: IDataObject, executionId: string, operation = 'run'): Promise<string> {
	const given = {
		credentials: sandboxCredentials(fixture.sandbox),
		parameters,
		executionId,
		haste: HASTE,
		operation,
	};
	const file = `${import.meta.dirname}/jobChild.mts`;
	child = spawn(process.execPath, ['--import', 'tsx', file, JSON.stringify(given)], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	if (!child.stdout) throw new Error('The process has no output');
	return text(child.stdout);
}

/** Waits without taking time from the other process, which has to load n8n first. */
async function eventually(what: string, condition: () => boolean): Promise<void> {
	for (let looks = 0; !condition(); looks++) {
		if (looks > 2_000) throw new Error(`Still not: ${what}`);
		await setTimeout(30);
	}
}

/** Resolves when the first deployment has such a file in its home. */
async function shows(pattern: RegExp): Promise<void> {
	await eventually(String(pattern), () => {
		const home = homeOfFirst();
		return home !== undefined && filesBelow(home).some((file) => pattern.test(file));
	});
}

async function kill(): Promise<void> {
	child?.kill('SIGKILL');
	if (child) await once(child, 'exit');
}

async function runNext(changes: IDataObject = {}): Promise<IDataObject> {
	hasten();
	const node = jobNode('run', jobParameters({ command: 'echo next', ...changes }));
	return jsonOf(await fixture.engine.runItems(node, [{ json: {} }], { executionId: 'next' }));
}

const LONG = jobParameters({ command: 'touch ~/begun; sleep 120' });

/** A job looks at the list until two minutes after its deploy */
const JOBS_MS = 300_000;

describe('n8n is killed', () => {
	it.each([
		['while the VM starts', () => eventually('a purchase', () => bought().length === 1)],
		['while the command runs', async () => await shows(/\/begun$/)],
	])('%s: the next execution ends what it left', async (_, moment) => {
		void begin(LONG, 'first');
		await moment();
		await kill();
		const json = await runNext();
		const [first] = bought();
		expect(json).toMatchObject({
			stdout: 'next\n',
			ended_leftovers: [{ deployment_id: first?.id, destroyed: true, verified: true }],
		});
		expect(states()).toEqual(['destroyed', 'destroyed']);
	});

	it('with another SSH key: what it left is left alone, and the output says so', async () => {
		void begin(LONG, 'first');
		await shows(/\/begun$/);
		await kill();
		const stranger = { computeSshApi: { id: 'compute-ssh-stranger', name: 'Another' } };
		hasten();
		const node = jobNode('run', jobParameters(), { credentials: stranger });
		const json = jsonOf(
			await fixture.engine.runItems(node, [{ json: {} }], { executionId: 'next' }),
		);
		expect(json.left_alone).toMatchObject([
			{
				deployment_id: bought()[0]?.id,
				reason: expect.stringContaining('rejects this SSH key') as unknown,
			},
		]);
		expect(states()).toEqual(['running', 'destroyed']);
	});

	it('after Start: Run never ends what Start has begun', async () => {
		await begin(LONG, 'first', 'start');
		const json = await runNext();
		expect(json).not.toHaveProperty('ended_leftovers');
		expect(states()).toEqual(['running', 'destroyed']);
	});
});

describe('another process is alive', () => {
	it('its run is left alone, and ends by itself', { timeout: JOBS_MS }, async () => {
		const command = 'touch ~/begun; while [ ! -e ~/go ]; do sleep 0.1; done; echo first';
		const running = begin(jobParameters({ command }), 'first');
		await shows(/\/begun$/);
		const json = await runNext({
			command: `touch ${homeOfFirst()}/go`,
		});
		expect(json.left_alone).toMatchObject([
			{ deployment_id: bought()[0]?.id, reason: 'an execution of another n8n process works on it' },
		]);
		expect(JSON.parse(await running)).toMatchObject({
			json: { stdout: 'first\n', destroyed: true },
		});
		expect(states()).toEqual(['destroyed', 'destroyed']);
	});
});
