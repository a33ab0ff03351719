import type { RequestContext } from '../shared/http/request';
import { endOfString } from '../shared/json';
import { contextError } from '../shared/operation/context';

/** What may come next in JSON: brackets, a text by its quote, another value by `0`. A comma before the end of a list is let be. */
const VALUE = '{["0';
const ENTRY = `${VALUE}]`;
const KEY = '"}';
/** NaN too, which some services write. */
const WORD = /^(?:-?\d[-+.\w]*|true|false|null|-?(?:NaN|Infinity))$/;
const WORDS = ['true', 'false', 'null', 'NaN', '-Infinity', 'Infinity'];

/**
 * Accepts an answer of any form but JSON that is cut off, which the request gives back as text: half of an answer must not look
 * like one.
 * @param what ended early, as the beginning of a sentence
 */
export function requireWhole(context: RequestContext, answer: unknown, what: string): void {
	const form = typeof answer === 'string' ? formOf(answer) : 'other';
	if (form === 'other') return;
	throw contextError(
		context,
		{
			message:
				form === 'cut off'
					? `${what} ended early: its JSON is cut off`
					: `${what} is not valid JSON, though it looks like it`,
			description:
				'The error details contain what arrived, under partial. Run the item again for a complete result. This one may be billed.',
		},
		{ partial: answer as string },
	);
}

/** Whether a text is an object or a list of JSON, though maybe with a word that is none, or the beginning of one; `[1] says …` is neither. */
function formOf(text: string): 'whole' | 'cut off' | 'other' {
	const open: string[] = [];
	const inside = () => open.at(-1);
	let next = '{[';
	for (let at = 0; at < text.length; at++) {
		const character = text.charAt(at);
		if (/\s/.test(character)) continue;
		const kind = '{}[]":,'.includes(character) ? character : '0';
		if (!next.includes(kind)) return 'other';
		const end = endOf(text, at, kind);
		if (kind === '0' && !isWord(text.slice(at, end + 1), end + 1 === text.length)) return 'other';
		at = end;
		if ('{['.includes(kind)) open.push(kind);
		if ('}]'.includes(kind)) open.pop();
		if (kind === ':') next = VALUE;
		else if ('{[,'.includes(kind)) next = inside() === '{' ? KEY : ENTRY;
		else if (next === KEY && kind === '"') next = ':';
		else next = inside() === undefined ? '' : inside() === '{' ? ',}' : ',]';
	}
	if (next === '{[') return 'other';
	return next === '' ? 'whole' : 'cut off';
}

/** The place of the last character of a text or a word; of anything else it is the first. */
function endOf(text: string, start: number, kind: string): number {
	if (kind === '"') return endOfString(text, start);
	let end = start;
	while (kind === '0' && /[-+.\w]/.test(text.charAt(end + 1))) end++;
	return end;
}

/** @param isLast whether it may go on where the text breaks off */
function isWord(word: string, isLast: boolean): boolean {
	return WORD.test(word) || (isLast && WORDS.some((one) => one.startsWith(word)));
}
