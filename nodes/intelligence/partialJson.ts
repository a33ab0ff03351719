import { isRecord } from '../shared/guards';
import { parseJson } from '../shared/json';

const CLOSERS: Record<string, string> = { '{': '}', '[': ']' };
/** Deeper than any completion: text with more open brackets than this is not read. */
const DEEPEST = 500;
/** Blanks after the last bracket or quote that are looked through. */
const TAIL = 100;

/**
 * What a JSON object that breaks off has until there. The text that it breaks off in is kept as far as it came; a number or a
 * word is not, since its end would give it another value.
 * @returns undefined where the text is not the beginning of an object
 */
export function parsePartialJson(text: string): Record<string, unknown> | undefined {
	const start = text.trimStart();
	if (!start.startsWith('{')) return undefined;
	let open = '';
	/** The last place where the text can be closed: after a bracket opens, or before a comma. */
	let place = { end: 1, open: '}' };
	let isText = false;
	for (let at = 0; at < start.length; at++) {
		const character = start.charAt(at);
		if (isText) {
			if (character === '\\') at++;
			else if (character === '"') isText = false;
		} else if (character === '"') isText = true;
		else if (character in CLOSERS) {
			open = CLOSERS[character] + open;
			if (open.length > DEEPEST) return undefined;
			place = { end: at + 1, open };
		} else if (character === '}' || character === ']') open = open.slice(1);
		else if (character === ',') place = { end: at, open };
	}
	// A character that breaks off itself: `\`, `\u00e`
	const whole = start.replace(/(?<!\\)((?:\\\\)*)\\(?:u[\da-f]{0,3})?$/i, '$1');
	const isEnded = /["}\]]\s*$/.test(start.slice(-TAIL));
	const kept = isText ? `${whole}"` : isEnded ? start : '';
	const value =
		parseJson(`${kept}${open}`) ?? parseJson(`${start.slice(0, place.end)}${place.open}`);
	return isRecord(value) ? value : undefined;
}
