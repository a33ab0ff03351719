import { describe, expect, it, vi } from 'vitest';
import { withBlocks } from '../../nodes/LmChatCompute/blocks.ts';
import { gate } from '../../nodes/LmChatCompute/gate.ts';

describe('the blocks of a LangChain message', () => {
	/** A model that shows what it is given; bound tools make another one, as with n8n's SDK. */
	const shown = () => {
		const calls: unknown[][] = [];
		const model = {
			_generate: (...given: unknown[]) => calls.push(['whole', ...given]),
			_streamResponseChunks: (...given: unknown[]) => calls.push(['stream', ...given]),
			bindTools: vi.fn((..._tools: unknown[]) => shown().model),
		};
		return { calls, model };
	};
	type Shown = ReturnType<typeof shown>['model'];
	const read = (content: unknown, type = 'human') => {
		const { calls, model } = shown();
		(withBlocks(model) as Shown)._generate([{ type, content }]);
		const [[, [message] = []] = []] = calls as [[string, [{ content: unknown }]]];
		return message?.content;
	};
	const one = (block: unknown, type?: string) => (read([block], type) as unknown[])[0];
	const DATA = 'data:image/png;base64,AQID';

	it('are read on all ways to the service', () => {
		const { calls, model } = shown();
		const adapted = withBlocks(model) as Shown;
		expect(adapted).toBe(model);
		const messages = [{ type: 'human', content: [{ type: 'image_url', image_url: DATA }] }];
		const block = { type: 'file', mimeType: 'image/png', data: 'AQID', metadata: {} };
		adapted._generate(messages, 'options', 'manager');
		adapted._streamResponseChunks(messages, 'options');
		const expected = [expect.objectContaining({ content: [block] })];
		expect(calls).toEqual([
			['whole', expected, 'options', 'manager'],
			['stream', expected, 'options'],
		]);
		expect(messages[0]?.content[0]?.type).toBe('image_url');
	});

	it('are read by a model with tools too', () => {
		const { model } = shown();
		const { bindTools } = model;
		const bound = (withBlocks(model) as Shown).bindTools(['tool'], 'options');
		expect(bindTools).toHaveBeenCalledWith(['tool'], 'options');
		expect(bound._generate.name).not.toBe('_generate');
		const calls: unknown[] = [];
		const other = { ...model, _generate: (given: unknown) => calls.push(given), bindTools };
		(withBlocks(other) as unknown as Shown)._generate([
			{ type: 'human', content: [{ type: 'image_url', image_url: DATA }] },
		]);
		expect(calls).toMatchObject([[{ content: [{ type: 'file' }] }]]);
	});

	it('of what is no LangChain model are left alone', () => {
		const model = { generate: () => undefined };
		expect(withBlocks(model)).toBe(model);
		expect(Object.keys(model)).toEqual(['generate']);
	});

	it('keep the kind of their message', () => {
		class HumanMessage {
			type = 'human';
			content = ['a'];
		}
		const { calls, model } = shown();
		(withBlocks(model) as Shown)._generate([new HumanMessage()]);
		expect((calls as unknown[][][])[0]?.[1]?.[0]).toBeInstanceOf(HumanMessage);
	});

	it('are left alone in texts and in what the model said', () => {
		expect(read('Why?')).toBe('Why?');
		const thought = [{ type: 'thinking', thinking: 'hm' }];
		expect(read(thought, 'ai')).toBe(thought);
	});

	it('are text in the result of a tool', () => {
		const block = { type: 'text', text: 'a' };
		expect(one(block, 'tool')).toBe(block);
		expect(one({ type: 'image_url', image_url: 'u' }, 'tool')).toEqual({
			type: 'text',
			text: '{"type":"image_url","image_url":"u"}',
		});
		expect(one('b', 'tool')).toEqual({ type: 'text', text: '"b"' });
	});

	const noType = { mimeType: undefined };
	it.each([
		['text', { type: 'input_text', text: 'a' }, { type: 'text', text: 'a' }],
		['a value', 'a', 'a'],
		[
			'a link',
			{ type: 'image_url', image_url: { url: 'https://a/b', detail: 'low' } },
			{ type: 'file', ...noType, data: undefined, url: 'https://a/b', metadata: { detail: 'low' } },
		],
		[
			'a link of the older form',
			{ type: 'image_url', image_url: 'https://a/b' },
			{ type: 'file', ...noType, data: undefined, url: 'https://a/b', metadata: {} },
		],
		[
			'a link of the newer form',
			{ type: 'image', url: 'https://a/b', metadata: { detail: 'high' } },
			{
				type: 'file',
				...noType,
				data: undefined,
				url: 'https://a/b',
				metadata: { detail: 'high' },
			},
		],
		[
			'a link beside an empty form',
			{ type: 'image_url', image_url: {}, url: 'https://a/b' },
			{ type: 'file', ...noType, data: undefined, url: 'https://a/b', metadata: {} },
		],
		[
			'data',
			{ type: 'image_url', image_url: { url: DATA } },
			{ type: 'file', mimeType: 'image/png', data: 'AQID', metadata: {} },
		],
		[
			'data with parameters, on several lines',
			{ type: 'image_url', image_url: 'data:image/png;a=b;base64,AQ\nID' },
			{ type: 'file', mimeType: 'image/png', data: 'AQ\nID', metadata: {} },
		],
		[
			'data with a type beside it',
			{ type: 'image', mime_type: 'image/gif', data: 'AQID' },
			{ type: 'file', mimeType: 'image/gif', data: 'AQID', metadata: {} },
		],
		[
			'data with a type in camel case',
			{ type: 'image', mimeType: 'image/gif', data: 'AQID' },
			{ type: 'file', mimeType: 'image/gif', data: 'AQID', metadata: {} },
		],
		[
			'a link that only ends in data',
			{ type: 'image_url', image_url: `https://a?${DATA}` },
			{ type: 'file', ...noType, data: undefined, url: `https://a?${DATA}`, metadata: {} },
		],
		[
			'an image without a link',
			{ type: 'image', data: 'AQID' },
			{ type: 'file', mimeType: 'a block of the type image', data: 'AQID', metadata: {} },
		],
		[
			'another block',
			{ type: 'audio', url: 'https://a/b', metadata: 'none' },
			{
				type: 'file',
				mimeType: 'a block of the type audio',
				data: undefined,
				url: 'https://a/b',
				metadata: {},
			},
		],
	])('are files: %s', (_, given, expected) => expect(one(given)).toStrictEqual(expected));
});

describe('requests at once', () => {
	it('wait for a place, in their order', async () => {
		const begin = gate(1);
		const order: string[] = [];
		const end = await begin();
		const waiting = ['a', 'b'].map(async (name) => {
			const leave = await begin();
			order.push(name);
			leave();
		});
		await Promise.resolve();
		expect(order).toEqual([]);
		end();
		await Promise.all(waiting);
		expect(order).toEqual(['a', 'b']);
		(await begin())();
	});

	it('do not wait without a limit', async () => {
		const begin = gate();
		expect(await Promise.all(Array.from({ length: 20 }, async () => await begin()))).toHaveLength(
			20,
		);
	});

	it('that are given up while they wait take no place', async () => {
		const begin = gate(1);
		const end = await begin();
		const gone = new AbortController();
		const leaving = begin(gone.signal);
		const staying = begin(new AbortController().signal);
		gone.abort();
		(await leaving)();
		expect((await begin(AbortSignal.abort()))()).toBeUndefined();
		end();
		(await staying)();
		await begin();
		let isBegun = false;
		void begin().then(() => (isBegun = true));
		await new Promise(setImmediate);
		expect(isBegun).toBe(false);
	});

	it('listen to their signal no longer than they wait', async () => {
		const begin = gate(1);
		const end = await begin();
		const { signal } = new AbortController();
		const removed = vi.spyOn(signal, 'removeEventListener');
		const next = begin(signal);
		end();
		await next;
		expect(removed).toHaveBeenCalledOnce();
	});
});
