import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { openLog } from '../engine/logs.mts';
import { startFixture } from '../engine/start.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { operationOf, nodeFor, allOperations } from './hostile/nodes.mts';
import { headerFault, messageFault, prototypeFault, Routes } from './hostile/probe.mts';
import { hostileValue } from './hostile/values.mts';

/** What hostile-input.test.mts cannot run with items: the trigger, whose parameters an import may have filled in with anything, and the searches. */

const VALUES = Number(process.env.HOSTILE_VALUES ?? 4);
const SEED = Number(process.env.HOSTILE_SEED ?? 1);

const first = await startFixture();
const trigger = operationOf(first.engine, 'caasLogsTrigger');
const searches = [
	...new Map(allOperations(first.engine).map((operation) => [operation.node, operation])).values(),
].flatMap((operation) =>
	Object.keys(first.engine.nodeType(operation.node).methods?.listSearch ?? {}).map(
		(method) => [operation.node, method, operation] as const,
	),
);
await first.sandbox.close();

const fixture = useFixture({ time: 'real' });
let cases = 0;
afterAll(() =>
	console.log(
		`${cases} hostile values in ${trigger.leaves.length} parameters of the trigger and ${searches.length} searches`,
	),
);

/** Why the activation failed, or undefined; what it opened is closed again. */
async function activate(parameters: object): Promise<Error | undefined> {
	const published = new ActiveTrigger(
		fixture.engine,
		nodeFor('caasLogsTrigger', { ...parameters }),
	);
	try {
		await published.activate();
		return undefined;
	} catch (error) {
		return error as Error;
	} finally {
		await published.deactivate();
	}
}

describe('the logs trigger', () => {
	it.each(trigger.leaves.map((leaf, place) => [leaf.title, leaf, place] as const))(
		'%s: it follows the log or says what is wrong',
		async (_, leaf, place) => {
			openLog(fixture.sandbox);
			expect(await activate(trigger.parameters)).toBeUndefined();
			await activate(leaf.set(leaf.sample));
			const routes = new Routes(fixture.sandbox.requests, ['d1', 'c1']);
			await fc.assert(
				fc.asyncProperty(hostileValue, async (value) => {
					cases++;
					fixture.sandbox.requests.length = 0;
					const error = await activate(leaf.set(value));
					if (error) {
						expect(error.name).toMatch(/^Node(Api|Operation)Error$/);
						expect(messageFault(error.message, value)).toBeUndefined();
						if (fixture.sandbox.requests.length === 0)
							expect(
								leaf.labels.some((label) => error.message.includes(label)),
								error.message,
							).toBe(true);
					}
					expect(
						fixture.sandbox.requests
							.flatMap((request) => [routes.fault(request), headerFault(request)])
							.filter(Boolean),
					).toEqual([]);
					expect(prototypeFault()).toBeUndefined();
				}),
				{ numRuns: VALUES, seed: SEED + place, endOnFailure: true },
			);
		},
		300_000,
	);
});

describe('searches', () => {
	it.each(searches)(
		'%s: %s finds or finds nothing, whatever is typed',
		async (node, method, { parameters }) => {
			await fixture.engine.search(nodeFor(node, parameters), method, 'a').catch(() => undefined);
			const routes = new Routes(fixture.sandbox.requests, ['d1', 'c1']);
			await fc.assert(
				fc.asyncProperty(
					fc.oneof(
						fc.string({ unit: 'binary', maxLength: 200 }),
						hostileValue.filter((value) => typeof value === 'string') as fc.Arbitrary<string>,
					),
					async (text) => {
						cases++;
						fixture.sandbox.requests.length = 0;
						const found = await fixture.engine
							.search(nodeFor(node, parameters), method, text)
							.catch((error: Error) => error);
						if (found instanceof Error) {
							expect(found.name).toMatch(/^Node(Api|Operation)Error$/);
							expect(messageFault(found.message, text)).toBeUndefined();
						} else expect(Array.isArray(found.results)).toBe(true);
						expect(
							fixture.sandbox.requests
								.flatMap((request) => [routes.fault(request), headerFault(request)])
								.filter(Boolean),
						).toEqual([]);
						expect(prototypeFault()).toBeUndefined();
					},
				),
				{ numRuns: VALUES, seed: SEED, endOnFailure: true },
			);
		},
		300_000,
	);
});
