import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE } from '../engine/nodes.mts';
import { startFixture } from '../engine/start.mts';
import { allOperations, itemsWith, nodeFor } from './hostile/nodes.mts';
import { failureOf, messageFault, prototypeFault } from './hostile/probe.mts';
import { corners } from './hostile/values.mts';

/** Hostile values in the parameters of jobs that have no price limit: whatever is in the others, nothing is sent. */
const first = await startFixture();
const operations = allOperations(first.engine).filter(
	({ parameters: { resource, operation } }) =>
		resource === 'job' && ['run', 'start'].includes(String(operation)),
);
await first.sandbox.close();

const fixture = useFixture();

it('there is something to try', () => expect(operations).toHaveLength(2));

describe.each(operations.map((operation) => [operation.title, operation] as const))(
	'%s',
	(_title, { node, leaves }) => {
		const tried = leaves.filter((leaf) => JSON.stringify(leaf.set(1).safety) === '{}');
		it.each(tried.map((leaf) => [leaf.title, leaf] as const))('%s', async (_leaf, leaf) => {
			fixture.sandbox.reset();
			const parameters = { ...leaf.set('={{ $json.value }}'), safety: {} };
			const run = await fixture.engine.runItems(
				nodeFor(node, parameters, CONTINUE),
				itemsWith(corners),
			);
			const items = run.data.resultData.runData.Node?.[0]?.data?.main?.[0] ?? [];
			const faults = items.flatMap((item, index) => {
				const message = failureOf(item);
				return message === undefined
					? [`no error for ${JSON.stringify(corners[index])}`]
					: (messageFault(message, corners[index]) ?? []);
			});
			expect([...faults, prototypeFault()].filter((fault) => fault !== undefined)).toEqual([]);
			expect(items.length > 0 || run.data.resultData.error !== undefined).toBe(true);
			expect(fixture.sandbox.requests).toEqual([]);
		});
	},
);
