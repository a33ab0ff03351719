import { UNKNOWN_SOURCE } from '../intelligence/retrieval/search';

/** The names of the sources of an answer as text that follows it in a chat, each once; empty where none has a name. */
export function sourcesText(names: string[]): string {
	const known = [...new Set(names)].filter((name) => name !== UNKNOWN_SOURCE);
	return known.length > 0 ? `\n\nSources:\n${known.map((name) => `- ${name}`).join('\n')}` : '';
}
