import type { IDataObject } from 'n8n-workflow';
import { isRecord, show } from '../shared/guards';
import { parseJson } from '../shared/json';
import { schemaFault, violations } from './jsonSchema';

/**
 * What is wrong with a response whose form the request guides: a service that does not know the field answers all the same. A
 * regular expression and a grammar are in the dialect of the service, so that they cannot be checked here.
 * @param body fields of the request (beyond-the-spec.md section 5)
 * @returns words that continue a sentence; undefined where nothing is wrong
 */
export function guidedProblem(
	text: string,
	{ guided_choice: choices, guided_json: schema }: IDataObject,
): string | undefined {
	const isChoice = (one: unknown) => String(one).trim() === text.trim();
	if (Array.isArray(choices) && choices.length > 0 && !choices.some(isChoice))
		return `is none of the texts in Guided Choice: ${show(text)}`;
	if (!isRecord(schema) || schemaFault(schema) !== undefined) return undefined;
	const value = parseJson(text);
	if (value === undefined) return 'is not valid JSON, although Guided JSON asks for it';
	const wrong = violations(value, schema);
	return wrong.length === 0 ? undefined : `does not match Guided JSON: ${wrong.join('; ')}`;
}
