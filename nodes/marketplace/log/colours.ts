import type { Redact } from '../../shared/http/redact';

const ESC = '\u001B';
const BEL = '\u0007';
const CSI = '\u009B';

/**
 * Escape sequences of ECMA-48: command strings with their end (OSC: titles, links; DCS, SOS, PM, APC), control sequences (CSI:
 * colours, cursor), and the short ones such as `ESC ( B`. A sequence that a line was cut in has no last character; a command
 * string without its end loses only its first two characters, so that no text of a line is lost. No alternative can
 * be repeated over what another has read, so the time is linear.
 */
const SEQUENCES = new RegExp(
	`${ESC}[\\]PX^_][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)|(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]?|${ESC}[ -/]*[0-~]?`,
	'g',
);

/** The text without the escape sequences of terminals; the same string where it has none. */
export function removeColours(text: string): string {
	return text.includes(ESC) || text.includes(CSI) ? text.replace(SEQUENCES, '') : text;
}

/** Also redacts a secret that escape sequences split: a text with one loses them. */
export function redactColoured(redact: Redact): Redact {
	return (text, isCut) => {
		const shown = redact(text, isCut);
		const plain = removeColours(shown);
		if (plain === shown) return shown;
		const redacted = redact(plain, isCut);
		return redacted === plain ? shown : redacted;
	};
}
