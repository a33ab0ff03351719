import type { IDataObject } from 'n8n-workflow';
import { parseJson } from '../shared/json';
import { violations } from './jsonSchema';

/**
 * The JSON of a response. Many models write more than that: their thoughts, a sentence before it, a Markdown code block around it.
 * @param schema that it must match
 * @returns the value, or what is wrong in words that continue a sentence
 */
export function parseResponse(
	text: string,
	schema?: IDataObject,
): { value: unknown; problem?: string } {
	const value = candidatesOf(text)
		.map(parseJson)
		.find((one) => one !== undefined);
	if (value === undefined) return { value, problem: 'is not valid JSON' };
	const wrong = schema ? violations(value, schema) : [];
	return wrong.length === 0
		? { value }
		: { value, problem: `does not match the JSON schema: ${wrong.join('; ')}` };
}

/** Where the JSON may be: all of the text, the only code block, from the first bracket to the last. */
function candidatesOf(text: string): string[] {
	// What a thinking model thinks may hold JSON too, also where it has not ended
	const said = text.replace(/^[\s\S]*<\/think>/, '').replace(/<think>[\s\S]*$/, '');
	const fenced = /```\w*\s*([\s\S]*)```/.exec(said)?.[1];
	const bracketed = /[{[][\s\S]*[}\]]/.exec(said)?.[0];
	return [text, said, fenced, bracketed].flatMap((one) => (one === undefined ? [] : [one.trim()]));
}
