import type { IDataObject } from 'n8n-workflow';
import type { Embeddings } from '../../../nodes/EmbeddingsCompute/embeddings.ts';
import { chat, locator, subNode } from '../../engine/nodes.mts';
import { TOOLS } from '../agentLoop.mts';
import { DIMENSIONS, type IntelligenceScenario } from '../intelligenceRecord.mts';
import type { IntelligenceScene } from '../intelligenceScene.mts';

const SCHEMA = JSON.stringify({
	type: 'object',
	properties: { answer: { type: 'string' } },
	required: ['answer'],
});

const EMBEDDING = locator('mixedbread-ai/mxbai-embed-large-v1');

const itemsOf = (scene: IntelligenceScene, count: number) =>
	Array.from({ length: count }, () => ({ q: scene.question() }));

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Answers of single items as text. */
const answers = (name: string, isStreamed: boolean, count = 3): IntelligenceScenario => ({
	name,
	async play(scene) {
		const items = itemsOf(scene, count);
		const operation = count > 3 ? 'batch' : isStreamed ? 'answer as a stream' : 'answer';
		const node = scene.chat(isStreamed ? { stream: true } : {});
		await scene.run(operation, node, items, (json, index) => {
			if (scene.record.world.name.includes('"reasoning"') && !json.reasoning_content)
				return 'the reasoning is lost';
			return { wanted: scene.textFor(items[index]?.q ?? ''), text: textOf(json.content) };
		});
		for (const said of scene.record.said) said.isUncounted = isStreamed && said.json.usage === null;
	},
});

const inJson: IntelligenceScenario = {
	name: 'JSON',
	async play(scene) {
		for (const stream of [false, true]) {
			const items = itemsOf(scene, 2);
			await scene.run(
				'answer in JSON',
				scene.chat({ jsonSchema: SCHEMA, stream }),
				items,
				({ content }, index) => ({
					wanted: scene.textFor(items[index]?.q ?? ''),
					text: textOf((content as IDataObject | null)?.answer),
				}),
			);
		}
	},
};

const tools: IntelligenceScenario = {
	name: 'tools',
	async play(scene) {
		for (const stream of [false, true]) {
			const options = { tools: JSON.stringify(TOOLS), stream };
			await scene.run(
				'call tools',
				scene.chat(options),
				[{ q: scene.question('both') }],
				(json) => {
					const calls = (json.tool_calls ?? []) as Array<{
						id: unknown;
						function: { name: string; arguments: string };
					}>;
					for (const { function: called } of calls)
						scene.record.runs.push({ name: called.name, args: parsed(called.arguments) });
					if (calls.length === 0) return 'no call';
					return calls.every(({ id }) => typeof id === 'string' && id !== '') ? {} : 'no ID';
				},
			);
		}
	},
};

function parsed(text: unknown): unknown {
	try {
		return JSON.parse(String(text)) as unknown;
	} catch {
		return text;
	}
}

const choices: IntelligenceScenario = {
	name: 'choices',
	async play(scene) {
		for (const stream of [false, true]) {
			const item = { q: scene.question() };
			const node = scene.chat({ n: 3, stream });
			await scene.run('several choices', node, [item], ({ content }, index) => ({
				wanted: scene.textFor(item.q, index),
				text: textOf(content),
			}));
		}
	},
};

const embeddings: IntelligenceScenario = {
	name: 'embeddings',
	async play(scene) {
		const texts = Array.from({ length: 12 }, () => [scene.question(), scene.question()]);
		const items = texts.map((pair) => ({ q: pair }));
		const input = '={{ $json.q }}';
		const node = chat('embedding', 'create', {
			model: EMBEDDING,
			input,
			options: { batchSize: 5 },
		});
		await scene.run('embed', node, items, ({ embedding }) =>
			Array.isArray(embedding) && embedding.length === DIMENSIONS ? {} : 'no vector',
		);
		const count = scene.record.said.length;
		if (count !== 0 && count !== 24)
			scene.record.refusals.push({ operation: 'embed', reason: `${count} vectors of 24` });
	},
};

/** A vector store inserts documents, then somebody asks for one of them. n8n tries each again when it fails. */
const store: IntelligenceScenario = {
	name: 'vector store',
	async play(scene) {
		const options = { batchSize: 5 };
		const { response } = await scene.stage.engine.supply(
			subNode('embeddingsCompute', { model: EMBEDDING, options }),
		);
		const { embedDocuments, embedQuery } = response as Embeddings;
		const documents = Array.from({ length: 12 }, () => scene.question());
		const query = scene.question();
		const calls: Array<[texts: string[], call: () => Promise<number[][]>]> = [
			[documents, async () => await embedDocuments(documents)],
			[[query], async () => [await embedQuery(query)]],
		];
		for (const [texts, call] of calls) {
			try {
				const vectors = await scene.during(call().catch(call));
				scene.record.vectors.push({ texts, vectors });
			} catch (error) {
				scene.fail('embed', error as Error);
			}
		}
	},
};

const models: IntelligenceScenario = {
	name: 'models',
	async play(scene) {
		for (const resource of ['model', 'embeddingModel'])
			await scene.run(
				'list models',
				chat(resource, 'getAll', { returnAll: true }),
				[{}],
				({ id }) => (typeof id === 'string' ? {} : 'no ID'),
			);
	},
};

export const chats: readonly IntelligenceScenario[] = [
	answers('whole', false),
	answers('streamed', true),
	inJson,
	tools,
	choices,
	answers('batch', false, 20),
	embeddings,
	store,
	models,
];
