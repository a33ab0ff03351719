import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chatModel, subNode } from '../engine/nodes.mts';

const fixture = useFixture();
const supplied = async (options: IDataObject = {}) =>
	await fixture.engine.supply(chatModel('a-model', options));

/** In a file of its own: a module that could not be loaded once is not looked up again in the same process. */
describe('the chat model where n8n has no SDK for AI nodes', () => {
	it('the package loads, with the list search of the node; the model is an error that says what is missing', async () => {
		expect(Object.keys(fixture.engine.loader.known.nodes)).toEqual(
			expect.arrayContaining(['lmChatCompute', 'chatCompletion', 'vmaas']),
		);
		expect(
			(await fixture.engine.search(chatModel(''), 'searchModels', 'llama')).results,
		).toHaveLength(1);
		await expect(supplied()).rejects.toThrow('This n8n does not have the SDK for AI nodes');
	});

	it('nor does the memory work; embeddings and the retriever do', async () => {
		const session = { sessionIdType: 'customKey', sessionKey: 's' };
		await expect(fixture.engine.supply(subNode('memoryCompute', session))).rejects.toMatchObject({
			message: 'This n8n does not have the SDK for AI nodes',
			description:
				'The memory requires n8n 2.16 or later. The other nodes of the package work without the SDK.',
		});
		const embeddings = subNode('embeddingsCompute', { model: 'a-model' });
		expect((await fixture.engine.supply(embeddings)).response).toBeDefined();
		const retriever = subNode('retrieverCompute', {});
		expect((await fixture.engine.supply(retriever)).response).toBeDefined();
	});

	it('a wrong option is an error before that', async () => {
		await expect(supplied({ temperature: 3 })).rejects.toThrow(
			'Options: Temperature must be a number from 0 to 2, got 3',
		);
		await expect(supplied({ extraBody: '{"stream": true}' })).rejects.toThrow(
			'Options: Extra Body Fields must not contain stream',
		);
	});
});
