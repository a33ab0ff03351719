import { chatModel } from '../../engine/nodes.mts';
import { ask, runAgent, type AiModel } from '../agentLoop.mts';
import type { IntelligenceScenario } from '../intelligenceRecord.mts';
import { MODEL, type IntelligenceScene } from '../intelligenceScene.mts';

const supplied = async ({ stage }: IntelligenceScene) =>
	(await stage.engine.supply(chatModel(MODEL))).response as AiModel;

/** An agent that asks for a price, then deploys; or deploys two at once. */
const agent = (name: string, isStreamed: boolean, isParallel = false): IntelligenceScenario => ({
	name,
	async play(scene) {
		const operation = isParallel ? 'agent with parallel calls' : 'agent';
		const question = scene.question(isParallel ? 'Deploy both.' : 'Deploy the cheapest.');
		try {
			const model = await supplied(scene);
			const message = await scene.during(
				runAgent(model, question, isStreamed, (call) => scene.record.runs.push(call)),
			);
			const { text } = message;
			scene.record.said.push({
				operation,
				json: { text },
				wanted: scene.textFor(question),
				text,
				isUncounted: !message.usage_metadata?.total_tokens,
			});
		} catch (error) {
			scene.fail(operation, error as Error);
		}
	},
});

const JPEG = '/9j/4AAQSkZJRg==';
const dataUrl = (type: string) => `data:${type};base64,${JPEG}`;
const block = (type: string, mime: string) => ({
	type,
	source_type: 'base64',
	mime_type: mime,
	data: JPEG,
});

/** Blocks as n8n's agent and LangChain make them, and the URL at which the model must see them; none for what is no image. */
const BLOCKS: Array<[name: string, block: object, url?: string]> = [
	[
		'image_url',
		{ type: 'image_url', image_url: { url: dataUrl('image/jpeg') } },
		dataUrl('image/jpeg'),
	],
	[
		'image_url text',
		{ type: 'image_url', image_url: dataUrl('image/webp') },
		dataUrl('image/webp'),
	],
	[
		'image_url https',
		{ type: 'image_url', image_url: { url: 'https://example.com/a.jpg', detail: 'low' } },
		'https://example.com/a.jpg',
	],
	['base64 image', block('image', 'image/jpeg'), dataUrl('image/jpeg')],
	[
		'image of LangChain 1',
		{ type: 'image', mimeType: 'image/gif', data: JPEG },
		dataUrl('image/gif'),
	],
	[
		'image by URL',
		{ type: 'image', source_type: 'url', url: 'https://example.com/b.png' },
		'https://example.com/b.png',
	],
	['file that is an image', block('file', 'image/png'), dataUrl('image/png')],
	['PDF', { ...block('file', 'application/pdf'), metadata: { filename: 'a.pdf' } }],
	['audio', block('audio', 'audio/wav')],
	['input_audio', { type: 'input_audio', input_audio: { data: JPEG, format: 'wav' } }],
];

const pictures: IntelligenceScenario = {
	name: 'pictures',
	async play(scene) {
		const { sandbox } = scene.stage;
		for (const [name, content, url] of BLOCKS)
			for (const isStreamed of [false, true]) {
				const before = sandbox.requests.length;
				const question = scene.question();
				const human = ['human', [{ type: 'text', text: question }, content]];
				const model = await supplied(scene);
				const outcome = await scene.during(
					ask(model, [human], isStreamed).then(
						({ text }) => ({ text }),
						(error: Error) => ({ error }),
					),
				);
				const sent = JSON.stringify(sandbox.requests.slice(before).map(({ body }) => body));
				if ('text' in outcome)
					scene.record.said.push({ operation: 'picture', json: { text: outcome.text } });
				if ('error' in outcome && url !== undefined) scene.fail('picture', outcome.error);
				const arrives = url !== undefined && sent.includes(JSON.stringify({ url }).slice(1, -1));
				const isRefused = 'error' in outcome && /image/.test(outcome.error.message);
				if (!arrives && !isRefused) scene.record.lost.push(`${name}: sent ${sent.slice(0, 300)}`);
			}
	},
};

export const agents: readonly IntelligenceScenario[] = [
	agent('agent', false),
	agent('agent streamed', true),
	agent('parallel', false, true),
	agent('parallel streamed', true, true),
	pictures,
];
