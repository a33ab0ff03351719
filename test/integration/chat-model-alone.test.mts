import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chatModel } from '../engine/nodes.mts';

const fixture = useFixture();
const supplied = async (options: IDataObject = {}) =>
	await fixture.engine.supply(chatModel('a-model', options));

/** In a file of its own: what could not be loaded once is not looked for again in the same process. */
describe('the chat model where n8n has no SDK for AI nodes', () => {
	it('the package loads, with its form and its picker; the model says what is missing', async () => {
		expect(Object.keys(fixture.engine.loader.known.nodes)).toEqual(
			expect.arrayContaining(['lmChatCompute', 'chatCompletion', 'vmaas']),
		);
		expect(
			(await fixture.engine.search(chatModel(''), 'searchModels', 'llama')).results,
		).toHaveLength(1);
		await expect(supplied()).rejects.toThrow('This n8n does not have the SDK for AI nodes');
	});

	it('a wrong option is told before that', async () => {
		await expect(supplied({ temperature: 3 })).rejects.toThrow(
			'Options: Temperature must be a number from 0 to 2, got 3',
		);
		await expect(supplied({ extraBody: '{"stream": true}' })).rejects.toThrow(
			'Options: Extra Body Fields must not contain stream',
		);
	});
});
