import { jsonObjectOf } from './entry';

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
/** Levels of loggers that use numbers, by the number divided by ten: 20 is debug, 60 is fatal (pino, Bunyan). */
const NUMBERED: Level[] = ['debug', 'debug', 'debug', 'info', 'warn', 'error', 'fatal'];
/** Only the first characters of a line are searched: further in, such a word is part of the message. */
const SEARCHED_CHARACTERS = 120;

/** The level of a line, from its JSON or from the first level word at its start; undefined where it has none. */
export function levelOf(line: string): Level | undefined {
	const json = jsonObjectOf(line);
	const value = json?.level ?? json?.severity ?? json?.levelname ?? json?.lvl;
	if (typeof value === 'number') return NUMBERED[Math.floor(value / 10)];
	if (typeof value === 'string') return WORDS.get(value.toLowerCase());
	for (const [word] of line.slice(0, SEARCHED_CHARACTERS).matchAll(/[A-Za-z]+/g)) {
		const level = WORDS.get(word.toLowerCase());
		if (level) return level;
	}
	return undefined;
}
