import type { IDataObject, IRun } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { RecordedRequest, Sandbox, SandboxOptions } from '../sandbox/index.mts';
import { Client, cloud } from '../sandbox/testing/client.mts';
import type { Engine, NodeUnderTest, RunOptions } from './engine.mts';
import { logsTrigger } from './logs.mts';
import { startFixture, type Started } from './start.mts';
import { useHastyTime, useSandboxTime, type SandboxTime } from './time.mts';
import { ActiveTrigger, type Consume } from './trigger.mts';
import { eventually } from './wait.mts';

export interface FixtureOptions extends SandboxOptions {
	/**
	 * What `client` talks to, with its key. `vmaas` (the default), `caas` and `rag`: paths of that part; `token` and
	 * `intelligence`: full paths, with the access token or the intelligence key.
	 */
	part?: 'vmaas' | 'caas' | 'token' | 'intelligence' | 'rag';
	/**
	 * The clock of the package. `sandbox`, the default: that of the sandbox, which each wait moves on. `immediate`: a wait
	 * takes no time, a deadline its own. `real`: both take their own time.
	 */
	time?: 'sandbox' | 'immediate' | 'real';
}

/** What a test file needs. Every test finds a sandbox as it was at the start. */
export interface Fixture {
	/** The service in memory: its requests, its faults, its clock, and what it knows. */
	readonly sandbox: Sandbox;
	/** n8n's engine with the package and the credentials of the sandbox. */
	readonly engine: Engine;
	/** The package's clock: what it waited for. Only with `time: 'sandbox'`. */
	readonly time: SandboxTime;
	/** undici, straight to the sandbox: it knows nothing of the package. */
	readonly client: Client;
	/** Runs one node with these items. */
	run(node: NodeUnderTest, items?: IDataObject[], options?: RunOptions): Promise<IRun>;
	/** The requests whose method and path match, in order of arrival. */
	sent(method: string, path: RegExp): RecordedRequest[];
	/** What was logged during this test, warnings and errors. */
	readonly log: Engine['log'];

	/** The trigger of this test; it is deactivated when the test ends. */
	trigger: ActiveTrigger;
	/**
	 * Makes a logs trigger the trigger of this test. It is not active yet.
	 * @param consume what the node after the trigger does with the items of an execution
	 */
	follow(parameters?: IDataObject, consume?: Consume): ActiveTrigger;
	/** Resolves when the trigger has delivered so many lines, or more. */
	delivered(count: number): Promise<void>;
	/** Resolves when all executions that the trigger started have ended. */
	idle(): Promise<void>;
	/**
	 * Resolves when what the package does at once is done: so many requests of another
	 * client, for the hardware, were answered one after the other.
	 * Where no wait takes time (`time` is not `real`), a request that has not come by then does not come.
	 */
	quiet(): Promise<void>;
}

/** Requests in `quiet`: a request of the package takes about one, a wait and its request two. */
const ROUND_TRIPS = 10;

/**
 * A sandbox with n8n's engine for the tests of a file, or of a `describe`.
 * @param options of the sandbox, and the two of the fixture itself
 */
export function useFixture({
	part = 'vmaas',
	time: clock = 'sandbox',
	...options
}: FixtureOptions = {}): Fixture {
	let started: (Started & { client: Client }) | undefined;
	let time: SandboxTime | undefined;
	let restore: (() => void) | undefined;
	let trigger: ActiveTrigger | undefined;
	let logged = 0;
	beforeAll(async () => {
		const { sandbox, engine } = await startFixture(options);
		started = { sandbox, engine, client: clientOf(sandbox, part) };
		if (clock === 'sandbox') time = useSandboxTime(sandbox);
		restore = time?.restore ?? (clock === 'immediate' ? useHastyTime().restore : undefined);
	});
	beforeEach(() => {
		up(started).sandbox.reset();
		logged = up(started).engine.log.length;
		if (!time) return;
		time.waits.length = 0;
		time.onWait = undefined;
	});
	afterEach(async () => {
		await trigger?.deactivate();
		trigger = undefined;
	});
	afterAll(async () => {
		restore?.();
		await started?.client.close();
		await started?.sandbox.close();
	});
	return {
		get sandbox() {
			return up(started).sandbox;
		},
		get engine() {
			return up(started).engine;
		},
		get time() {
			return up(time);
		},
		get client() {
			return up(started).client;
		},
		get log() {
			return up(started).engine.log.slice(logged);
		},
		get trigger() {
			return up(trigger);
		},
		set trigger(other) {
			trigger = other;
		},
		run: async (node, items, runOptions) => await up(started).engine.run(node, items, runOptions),
		sent: (method, path) =>
			up(started).sandbox.requests.filter(
				(request) => request.method === method && path.test(request.path),
			),
		follow(parameters = {}, consume) {
			trigger = new ActiveTrigger(up(started).engine, logsTrigger(parameters), consume);
			return trigger;
		},
		delivered: async (count) =>
			await eventually(`${count} lines`, () => up(trigger).lines.length >= count),
		idle: async () =>
			await eventually('all executions have ended', () =>
				up(trigger).executions.every(({ run }) => run !== undefined),
			),
		async quiet() {
			// A client of its own, closed afterwards: tests count the sockets that are open
			const client = cloud(up(started).sandbox, 'vmaas');
			for (let trip = 0; trip < ROUND_TRIPS; trip++) await client.get('/hardware');
			await client.close();
		},
	};
}

function up<T>(value: T | undefined): T {
	if (value === undefined) throw new Error('This part of the fixture is not there (yet)');
	return value;
}

function clientOf(sandbox: Sandbox, part: NonNullable<FixtureOptions['part']>): Client {
	const { url, intelligenceUrl, keys } = sandbox;
	if (part === 'vmaas' || part === 'caas') return cloud(sandbox, part);
	if (part === 'token') return new Client(url, { authorization: `Bearer ${keys.accessToken}` });
	const base = part === 'rag' ? `${intelligenceUrl}/api/rag/v3` : url;
	return new Client(base, { authorization: `Bearer ${keys.intelligenceKey}` });
}
