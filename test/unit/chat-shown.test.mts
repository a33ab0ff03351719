import { describe, expect, it } from 'vitest';
import { isChat, readAnswer } from '../../nodes/intelligence/chatStream.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import { node } from './parameters-form.mts';

interface Chat {
	isStreaming?: boolean;
	isTool?: boolean;
	continues?: boolean;
	/** What the chat fails with, at a chunk of this text. */
	failsAt?: string;
}

/** The node's context in an execution, and what n8n's chat got of it. */
function chat({ isStreaming = true, isTool = false, continues = false, failsAt }: Chat = {}) {
	const chunks: unknown[] = [];
	const functions = {
		isStreaming: () => isStreaming,
		isToolExecution: () => isTool,
		continueOnFail: () => continues,
		getNode: () => node,
		sendChunk: async (...[type, item, text]: unknown[]) => {
			if (text !== undefined && text === failsAt) throw new Error('The chat is gone');
			chunks.push(text === undefined ? [type, item] : [type, item, text]);
		},
	};
	return { chunks, context: { functions, itemIndex: 3 } as unknown as OperationContext };
}

/** Pieces that end with an answer, or with an error. */
function pieces(texts: string[], end: string | Error = 'answer') {
	const seen = { isClosed: false };
	async function* read(): AsyncGenerator<string, string> {
		try {
			yield* texts;
			if (end instanceof Error) throw end;
			return end;
		} finally {
			seen.isClosed = true;
		}
	}
	return { seen, read: read() };
}

const asIs = (text: string) => text;

describe('an answer that comes in pieces', () => {
	it('is shown in a chat as it comes, with what ends it', async () => {
		const { context, chunks } = chat();
		const { read, seen } = pieces(['a', '', 'b']);
		expect(await readAnswer(context, read, asIs, (answer) => ` (${answer})`)).toBe('answer');
		expect(chunks).toEqual([
			['begin', 3],
			['item', 3, 'a'],
			['item', 3, 'b'],
			['item', 3, ' (answer)'],
			['end', 3],
		]);
		expect(seen.isClosed).toBe(true);
	});

	it('needs nothing that ends it', async () => {
		const { context, chunks } = chat();
		await readAnswer(context, pieces([]).read, asIs);
		expect(chunks).toEqual([
			['begin', 3],
			['end', 3],
		]);
	});

	it.each<[string, Chat, boolean | undefined]>([
		['where the execution streams to none', { isStreaming: false }, undefined],
		['where an agent has asked', { isTool: true }, undefined],
		['where it must not be', {}, false],
	])('is not shown %s', async (_, given, isShown) => {
		const { context, chunks } = chat({ ...given, continues: true });
		const read: string[] = [];
		const textOf = (text: string) => String(read.push(text));
		expect(await readAnswer(context, pieces(['a']).read, textOf, asIs, isShown)).toBe('answer');
		expect([chunks, read]).toEqual([[], []]);
		const broken = pieces(['a'], new Error('cut')).read;
		await expect(readAnswer(context, broken, asIs, asIs, isShown)).rejects.toThrow('cut');
		expect(chunks).toEqual([]);
	});

	it('that breaks has no end; the chat is told where it becomes an item', async () => {
		for (const continues of [false, true]) {
			const { context, chunks } = chat({ continues });
			const { read } = pieces(['a'], new Error('cut'));
			await expect(readAnswer(context, read, asIs)).rejects.toThrow('cut');
			expect(chunks).toEqual([
				['begin', 3],
				['item', 3, 'a'],
				...(continues ? [['error', 3, 'The response ended early']] : []),
			]);
		}
	});

	it('is read no more where the chat fails', async () => {
		const { context, chunks } = chat({ failsAt: 'b' });
		const { read, seen } = pieces(['a', 'b', 'c']);
		await expect(readAnswer(context, read, asIs)).rejects.toThrow('The chat is gone');
		expect(seen.isClosed).toBe(true);
		expect(chunks).toEqual([
			['begin', 3],
			['item', 3, 'a'],
		]);
	});
});

it.each<[Chat, boolean]>([
	[{}, true],
	[{ isStreaming: false }, false],
	[{ isTool: true }, false],
])('an execution with %j streams to a chat: %s', (given, expected) =>
	expect(isChat(chat(given).context)).toBe(expected),
);
