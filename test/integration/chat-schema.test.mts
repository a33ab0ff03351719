import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';

const fixture = useFixture();

const complete = (jsonSchema: IDataObject) =>
	chat(
		'chat',
		'complete',
		{
			model: locator('meta-llama/Llama-3.3-70B-Instruct'),
			input: 'prompt',
			prompt: 'Name a machine.',
			options: { jsonSchema },
			simplify: true,
		},
		{ onError: 'continueRegularOutput' },
	);

async function answered(jsonSchema: IDataObject, answer: unknown): Promise<IDataObject> {
	fixture.sandbox.faults.add({
		match: { path: /chat\/completions$/ },
		status: 200,
		body: { choices: [{ index: 0, message: { content: JSON.stringify(answer) } }] },
	});
	return onlyJson(await fixture.run(complete(jsonSchema)));
}

describe('the JSON schema of an answer', () => {
	it('cannot stop n8n with a pattern that RegExp would take years for', async () => {
		const pattern = '^(\\w+\\s?)*$';
		const schema = { properties: { a: { pattern } }, patternProperties: { [pattern]: {} } };
		const text = `${'a'.repeat(60)}!`;
		expect((await answered(schema, { a: text, [text]: 1 })).error).toBe(
			`The response does not match the JSON schema: a: must match ${pattern}, got "${text}"`,
		);
		expect((await answered(schema, { a: 'two words' })).content).toEqual({ a: 'two words' });
	});

	it('is checked in all its keywords, formats too', async () => {
		const schema = {
			$schema: 'https://json-schema.org/draft/2020-12/schema',
			allOf: [{ properties: { mail: { type: 'string', format: 'email' } } }],
			unevaluatedProperties: false,
		};
		expect((await answered(schema, { mail: 'nobody' })).error).toContain(
			'mail: must have the format email, got "nobody"',
		);
		expect((await answered(schema, { mail: 'a@b.org', name: 'x' })).error).toBe(
			'The response does not match the JSON schema: name: is not allowed',
		);
	});

	it.each<[string, IDataObject, string]>([
		[
			'a pattern that is not supported',
			{ properties: { a: { pattern: '^(?=.*[0-9]).{8,}$' } } },
			'the pattern "^(?=.*[0-9]).{8,}$" is not a supported regular expression: lookahead "(?=" at position 2',
		],
		[
			'a reference to another document',
			{ $ref: 'https://schemas.example/offer.json' },
			'$ref "https://schemas.example/offer.json" is not in the schema, and other documents are not loaded: move it into $defs',
		],
	])('%s is refused before anything is sent', async (_, schema, fault) => {
		expect(onlyJson(await fixture.run(complete(schema))).error).toBe(
			`Options: JSON: Schema cannot be used: ${fault}`,
		);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});
