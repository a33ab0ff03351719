import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { parseAnswer, parseJson } from '../shared/json';
import { violations } from './jsonSchema';

/**
 * The JSON of a response. Many models write more than that: their thoughts, a sentence before it, a Markdown code block around it.
 * @param schema that it must match; without one, it must be an object
 * @returns the value, or what is wrong in words that continue a sentence
 */
export function parseResponse(
	text: string,
	schema?: IDataObject,
): { value: unknown; problem?: string } {
	const texts = candidatesOf(text).filter((one) => parseJson(one) !== undefined);
	// Without a schema, an object was asked for: a bracket in a sentence is none
	const json = schema ? texts[0] : texts.find((one) => isRecord(parseJson(one)));
	if (json === undefined)
		return {
			value: undefined,
			problem: texts.length > 0 ? 'is not a JSON object' : 'is not valid JSON',
		};
	// To the schema, a number is one, also where its digits are too many to be kept as such
	const wrong = schema ? violations(parseJson(json), schema) : [];
	const value = parseAnswer(json);
	return wrong.length === 0
		? { value }
		: { value, problem: `does not match the JSON schema: ${wrong.join('; ')}` };
}

/** Where the JSON may be: all of the text, the only code block, from the first bracket to the last. */
function candidatesOf(text: string): string[] {
	// What a thinking model thinks may hold JSON too, also where it has not ended
	const said = text.replace(/^[\s\S]*<\/think>/, '').replace(/<think>[\s\S]*$/, '');
	// By index: a regular expression would try each of 100,000 brackets
	const [start, end] = [said.indexOf('```'), said.lastIndexOf('```')];
	const fenced = said.slice(start + 3, Math.max(start + 3, end)).replace(/^[a-z]*/i, '');
	const last = Math.max(said.lastIndexOf('}'), said.lastIndexOf(']'));
	const bracketed = said.slice(Math.max(0, said.search(/[{[]/)), last + 1);
	return [text, said, start < end ? fenced : '', bracketed].map((one) => one.trim());
}
