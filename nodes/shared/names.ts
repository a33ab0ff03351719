/**
 * Whether a shown name may be what a service has made of another one: the same, in other case, with other characters between its words
 * as in a host name, or cut at its longest length.
 * @param longest length of a name that the service shows, where it may cut them
 */
export function mayBeNameOf(shown: string, name: string, longest: number): boolean {
	const [wanted, other] = [wordsOf(name), wordsOf(shown)];
	return other === wanted || (shown.length === longest && other !== '' && wanted.startsWith(other));
}

/**
 * The letters and digits of a name in lower case, with one `-` for all that is between them; the name itself where it has none.
 * @param isBeginning whether what comes after the last one counts, too
 */
export function wordsOf(name: string, isBeginning = false): string {
	const words = name
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
		.replace(/^-/, '');
	return (isBeginning ? words : words.replace(/-$/, '')) || name.toLowerCase();
}
