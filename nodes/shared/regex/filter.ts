import { compileRegex, unsupported, type Regex, type RegexProblem } from './index';

/** A regular expression that lines are filtered with. */
export type Pattern = Regex;

/** `/pattern/flags`. A text with more slashes and letters that are no usual flags is a path, such as `/var/log/d`. */
const LITERALS = [/^\/(.+)\/([gims]*)$/s, /^\/((?:[^/\\]|\\.)+)\/([dgimsuvy]+)$/s];
const INLINE_FLAGS = /^\(\?([a-z]+)\)/;

/** Compiles what a person typed for a filter: a pattern, `/pattern/flags`, or with flags in front as in `(?i)pattern`. */
export function compileFilter(source: string): Pattern | RegexProblem {
	const literal = LITERALS.map((form) => form.exec(source)).find((found) => found !== null);
	const body = literal?.[1] ?? source;
	const inline = INLINE_FLAGS.exec(body);
	const bodyStart = literal ? 1 : 0;
	const start = bodyStart + (inline?.[0].length ?? 0);
	const flags = `${inline?.[1] ?? ''}${literal?.[2] ?? ''}`;
	const unknown = /[^gims]/.exec(flags);
	if (unknown) {
		const isInline = unknown.index < (inline?.[1]?.length ?? 0);
		const at = isInline ? bodyStart + '(?'.length : source.length - flags.length;
		return unsupported(
			`unknown flag "${unknown[0]}" at position ${at + unknown.index + 1}`,
			'The flags i, m and s are supported, and g changes nothing. To match slashes themselves, write \\/ for each.',
		);
	}
	return compileRegex(
		body.slice(inline?.[0].length ?? 0),
		{
			ignoreCase: flags.includes('i'),
			multiline: flags.includes('m'),
			dotAll: flags.includes('s'),
		},
		{ offset: start },
	);
}
