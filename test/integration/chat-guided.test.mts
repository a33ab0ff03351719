import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';

/** A service that does not know a guided field answers all the same: what was asked to be forced must be looked at. */
const fixture = useFixture();
const complete = (options: IDataObject) =>
	chat('chat', 'complete', { model: locator('m'), input: 'prompt', prompt: 'Why?', options });
const answer = (content: string) =>
	fixture.sandbox.faults.add({
		status: 200,
		body: { choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] },
	});
const guidedChoice = ['yes', 'no'];
const guidedJson =
	'{"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}';

it.each([
	[
		{ guidedChoice },
		'Yes, sure!',
		'The response is none of the texts in Guided Choice: "Yes, sure!"',
	],
	[{ guidedChoice }, 'Yes', 'The response is none of the texts in Guided Choice: "Yes"'],
	[
		{ extraBody: '{"guided_choice": ["a", "b"]}' },
		'c',
		'The response is none of the texts in Guided Choice: "c"',
	],
	[{ guidedJson }, '{age: 7}', 'The response is not valid JSON, although Guided JSON asks for it'],
	[
		{ guidedJson },
		'{"age": "7"}',
		expect.stringMatching(/^The response does not match Guided JSON: age/),
	],
	[
		{ guidedJson: '{"items": {"type": "integer"}}' },
		'["a", "b"]',
		'The response does not match Guided JSON: [0]: must be integer, got "a"; [1]: must be integer, got "b"',
	],
])('%j: %j is an error with what came', async (options, content, message) => {
	for (const stream of [false, true]) {
		answer(content);
		const error = errorOf(await fixture.run(complete({ ...options, stream })));
		expect(error.message).toEqual(message);
		expect(error.context.known).toMatchObject({ partial: { choices: [{ message: { content } }] } });
	}
});

it.each([
	[{ guidedChoice }, 'yes'],
	[{ guidedChoice }, ' no\n'],
	[{ guidedChoice: [' yes'] }, 'yes'],
	[{ guidedJson }, '{"age": 7}'],
	[{ guidedRegex: 'a+' }, 'b'],
	[{ extraBody: '{"guided_choice": []}' }, 'b'],
	// What cannot be checked here is not refused: the service may know it
	[{ guidedJson: '{"pattern": "^(?=a)"}' }, '"b"'],
])('%j: %j is the response', async (options, content) => {
	answer(content);
	expect(onlyJson(await fixture.run(complete(options)))).toMatchObject({ content });
});
