import { stripVTControlCharacters } from 'node:util';
import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Lines as terminals show them; a user wants the errors, with or without their colours. */
export default {
	name: 'coloured lines',
	options: { level: 'error' },
	line: (text, number) =>
		number % 3 === 0
			? `\x1b[31mERROR\x1b[0m \x1b[1m${text}\x1b[0m`
			: `\x1b[32mINFO \x1b[0m ${text}`,
	isWanted: (line) => line.includes('ERROR'),
	essence: stripVTControlCharacters,
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
