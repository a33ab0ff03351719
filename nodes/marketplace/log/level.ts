import { parseJson } from '../../shared/json';
import { isRecord } from '../../shared/guards';

/** Log levels in rising order. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Level = (typeof LEVELS)[number];

const WORDS = new Map<string, Level>([
	...(['trace', 'verbose', 'debug'] as const).map((word) => [word, 'debug'] as const),
	...(['info', 'notice'] as const).map((word) => [word, 'info'] as const),
	...(['warn', 'warning'] as const).map((word) => [word, 'warn'] as const),
	...(['error', 'err', 'exception'] as const).map((word) => [word, 'error'] as const),
	...(['fatal', 'critical', 'panic', 'emergency'] as const).map((word) => [word, 'fatal'] as const),
]);
/** Loggers that number their levels count in tens, debug 20 to fatal 60. */
const NUMBERED: Level[] = ['debug', 'debug', 'debug', 'info', 'warn', 'error', 'fatal'];
/** A level stands at the front of a line; further in, such a word is part of the message. */
const FRONT = 120;

const BRACE = 123;
const BLANK = 32;

/** The JSON object that a line is, or undefined. */
export function jsonOf(line: string): Record<string, unknown> | undefined {
	const first = line.charCodeAt(0);
	// Of nearly every line this is all that is looked at
	if (first !== BRACE && (first > BLANK || !line.trimStart().startsWith('{'))) return undefined;
	const value = parseJson(line);
	return isRecord(value) ? value : undefined;
}

/** The level of a line, from its JSON or from the first level word at its front. */
export function levelOf(line: string): Level | undefined {
	const json = jsonOf(line);
	const value = json?.level ?? json?.severity ?? json?.levelname ?? json?.lvl;
	if (typeof value === 'number') return NUMBERED[Math.floor(value / 10)];
	if (typeof value === 'string') return WORDS.get(value.toLowerCase());
	for (const [word] of line.slice(0, FRONT).matchAll(/[A-Za-z]+/g)) {
		const level = WORDS.get(word.toLowerCase());
		if (level) return level;
	}
	return undefined;
}
