import { describe, expect, it } from 'vitest';
import { chat, CONTINUE, locator, RETRY, textDocument } from '../../engine/nodes.mts';
import { lost, whole } from '../intelligence4/service.mts';
import { CHAT, complete, DOCUMENTS, useStage } from '../intelligence4/stage.mts';
import { by } from './service.mts';
import { embed, EMBED, KEY, UPLOAD } from './stage.mts';

const stage = useStage(KEY);
const answer = (content: string) =>
	whole({
		choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
	});
const asks = () => stage.service.of(CHAT).map(({ json }) => json.messages.at(-1)?.content);

describe('with Retry On Fail and On Error: Continue, the first of three items always fails: the others are asked once', () => {
	const BOTH = { ...RETRY, ...CONTINUE };
	const ITEMS = ['bad', 'b', 'c'].map((text) => ({ ask: text, t: text }));

	it('a chat', async () => {
		stage.service.on(
			CHAT,
			by(({ json }) => (json.messages.at(-1)?.content === 'bad' ? lost : answer('x'))),
		);
		const { items } = await stage.run(complete({}, BOTH), ITEMS);
		expect(items.map(({ content }) => content)).toEqual([undefined, 'x', 'x']);
		const others = asks().filter((one) => one !== 'bad');
		expect(others.sort()).toEqual(['b', 'c']);
	});

	it('embeddings', async () => {
		stage.service.on(
			EMBED,
			by(({ json }) =>
				json.input.includes('bad')
					? whole({ detail: 'bad text' }, 400)
					: whole({ data: json.input.map((_, index) => ({ index, embedding: [1, 2] })) }),
			),
		);
		const { items } = await stage.run(embed({ batchSize: 1 }, BOTH), ITEMS);
		expect(items.map(({ embedding }) => embedding)).toEqual([undefined, [1, 2], [1, 2]]);
		const others = stage.service
			.of(EMBED)
			.flatMap(({ json }) => json.input.filter((t) => t !== 'bad'));
		expect(others.sort()).toEqual(['b', 'c']);
	});

	it('documents', async () => {
		const stored: string[] = [];
		stage.service.on(DOCUMENTS, whole({ results: [], total_entries: 0 }));
		stage.service.on(
			UPLOAD,
			by(({ text }) => {
				if (text.includes('bad')) return whole({ detail: `unsupported ${KEY}` }, 415);
				stored.push(/name="raw_text"[\s\S]*?\r\n\r\n([^\r]*)/.exec(text)?.[1] ?? '?');
				return whole({ results: { message: 'ok', document_id: `d${stored.length}` } });
			}),
		);
		const node = { ...textDocument('={{ $json.t }}'), ...BOTH };
		const { items, all } = await stage.run(node, ITEMS);
		expect(items.map(({ error }) => error)).toEqual([
			'Request rejected (415): unsupported ***',
			undefined,
			undefined,
		]);
		expect(stored.sort()).toEqual(['b', 'c']);
		expect(all).not.toContain(KEY);
	});
});

it('Retry On Fail pays once for four of five items, where one is lost twice', async () => {
	let times = 0;
	stage.service.on(
		CHAT,
		by(({ json }) => {
			const ask = json.messages.at(-1)?.content ?? '';
			return ask === '3' && times++ < 2 ? lost : answer(`re ${ask}`);
		}),
	);
	const { items } = await stage.run(
		complete({}, RETRY),
		['1', '2', '3', '4', '5'].map((ask) => ({ ask })),
	);
	expect(items.map(({ content }) => content)).toEqual(['re 1', 're 2', 're 3', 're 4', 're 5']);
	expect(asks().sort()).toEqual(['1', '2', '3', '3', '3', '4', '5']);
});

it('an agent whose answer is lost, then cut, then whole has the whole one with Retry On Fail', async () => {
	const cut = whole('{"result": "half');
	stage.service.on(/^POST .*\/workflows\/run$/, lost, cut, whole({ result: 'whole' }));
	const parameters = { agentName: locator('summary_agent'), objective: 'x', arguments: {} };
	const { items } = await stage.run(chat('agent', 'run', parameters, RETRY));
	expect(items).toEqual([{ result: 'whole' }]);
	expect(stage.service.asked).toHaveLength(3);
});
