import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { chat, fileItem, locator } from '../../engine/nodes.mts';
import { ask, useStage } from './play.mts';

const stage = useStage();

describe('wrong input is refused before anything is sent', () => {
	const messages = (list: unknown): IDataObject => ({
		input: 'json',
		messagesJson: JSON.stringify(list),
	});
	it.each<[string, IDataObject, IDataObject, RegExp]>([
		['n', { n: 21 }, {}, /1 to 20/],
		['n', { n: 0 }, {}, /1 to 20/],
		['n', { n: 1.5 }, {}, /whole number/],
		['temperature', { temperature: 'hot' }, {}, /Temperature/],
		['maxRetries', { maxRetries: -1 }, {}, /Max Retries.*0 to 20/],
		['timeout', { timeout: 0 }, {}, /Timeout.*1 to 3600/],
		['tools', { tools: '{}' }, {}, /Tools/],
		['tools', { tools: '[{"type":"function"}]' }, {}, /position 1/],
		['tools', { tools: '[1' }, {}, /Tools/],
		['schema', { jsonSchema: '{"type":"objekt"}' }, {}, /JSON: Schema/],
		['schema', { jsonSchema: '{"pattern":"("}' }, {}, /JSON: Schema/],
		['format without schema', { responseFormat: 'json_schema' }, {}, /JSON: Schema/],
		['a list of no messages', {}, messages([]), /at least one/],
		['a role', {}, messages([{ role: 'robot', content: 'x' }]), /roles .*position 1/],
		['a content', {}, messages([{ role: 'user', content: 5 }]), /content.*position 1/],
		['an empty prompt', {}, { prompt: ' ' }, /Prompt/],
		[
			'11 images',
			{},
			messages([
				{
					role: 'user',
					content: Array.from({ length: 11 }, () => ({
						type: 'image_url',
						image_url: { url: 'https://x/y.png' },
					})),
				},
			]),
			/at most 10 images, got 11/,
		],
		[
			'a file that is no image',
			{},
			messages([
				{
					role: 'user',
					content: [{ type: 'image_url', image_url: { url: 'data:application/pdf;base64,AAAA' } }],
				},
			]),
			/JPEG, PNG, WEBP or GIF/,
		],
		[
			'a scheme',
			{},
			messages([
				{
					role: 'user',
					content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
				},
			]),
			/https/,
		],
	])('%s', async (_, options, parameters, words) => {
		const ended = await stage.run(ask(options, parameters));
		expect(ended.words).toMatch(words);
		expect(stage.service.heard).toEqual([]);
	});

	it('an image of more than 20 MB, by its name and size', async () => {
		const item = fileItem('big.png', Buffer.alloc(21 * 1024 * 1024), 'image/png');
		const values = [{ role: 'user', content: 'x', images: ['data'] }];
		const node = chat('chat', 'complete', {
			model: locator('m'),
			input: 'messages',
			messages: { values },
		});
		expect((await stage.run(node, [item])).words).toMatch(
			/data may have at most 20 MB, got 21.0 MB/,
		);
		expect(stage.service.heard).toEqual([]);
	});
});
