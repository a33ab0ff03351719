import { expect, it } from 'vitest';
import type { NodeUnderTest } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { chat, deployment, deployParameters, locator, rag, vmaas } from '../engine/nodes.mts';
import { errorOf } from '../engine/results.mts';
import { until } from '../engine/time.mts';

/** How long a service may take for its whole response: a deadline that is too short would lose what was paid. */

const fixture = useFixture();

const MODEL = locator('meta-llama/Llama-3.3-70B-Instruct');
const DOCUMENT = '11111111-1111-4111-8111-111111111111';
const ask = { query: 'Why?', topK: 1, promptName: locator('rag'), options: {} };
const cases: Array<[what: string, seconds: number, path: RegExp, node: NodeUnderTest]> = [
	['a read', 60, /\/hardware$/, vmaas('hardware', 'getAll', { returnAll: true })],
	['Deploy', 120, /\/deploy$/, deployment('deploy', deployParameters())],
	[
		'Extend',
		120,
		/\/extend$/,
		deployment('extend', { deploymentId: locator('held', 'name'), durationHours: 1 }),
	],
	['a RAG answer', 300, /\/retrieval\/rag$/, rag('retrieval', 'rag', ask)],
	[
		'a chat',
		600,
		/\/chat\/completions$/,
		chat('chat', 'complete', { model: MODEL, input: 'prompt', prompt: 'Why?' }),
	],
	[
		'embeddings',
		600,
		/\/embeddings$/,
		chat('embedding', 'create', { model: MODEL, input: 'Why?' }),
	],
	[
		'an agent',
		600,
		/\/workflows\/run$/,
		chat('agent', 'run', {
			agentName: locator('summary_agent'),
			objective: 'Why?',
			arguments: {},
			options: {},
		}),
	],
	['a file', 600, /\/download$/, rag('document', 'download', { documentId: locator(DOCUMENT) })],
];

it.each(cases)('%s has %d seconds', async (_, seconds, path, node) => {
	fixture.sandbox.addResident({ name: 'held' });
	fixture.sandbox.faults.add({ match: { path }, times: Infinity, hang: true });
	let ended = false;
	const running = fixture.run(node).finally(() => (ended = true));
	const asked = () => fixture.sandbox.requests.filter((request) => path.test(request.path)).length;
	for (let seen = 0; !ended; seen = asked()) {
		await until(() => ended || asked() > seen);
		if (!ended) fixture.sandbox.clock.advance(seconds * 1_000);
	}
	expect(errorOf(await running).message).toContain(`No response within ${seconds} seconds`);
});
