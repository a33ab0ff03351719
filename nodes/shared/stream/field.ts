/** Lengths of the names of the fields. */
const NAME_LENGTHS = { data: 4, event: 5, id: 2, retry: 5 };
const SPACE = 32;

/** What a line of an event stream is; `bare` is none that the format has. */
export type Field = keyof typeof NAME_LENGTHS | 'comment' | 'bare';

export function fieldOf(line: string): Field {
	if (line.startsWith('data:')) return 'data';
	if (line.startsWith('id:')) return 'id';
	const colon = line.indexOf(':');
	if (colon === 0) return 'comment';
	const name = colon < 0 ? line : line.slice(0, colon);
	return name === 'data' || name === 'event' || name === 'id' || name === 'retry' ? name : 'bare';
}

/** Index of the value of a field that begins at an index; its name may stand alone. */
export function valueStart(text: string, field: keyof typeof NAME_LENGTHS, from = 0): number {
	const colon = from + NAME_LENGTHS[field];
	return text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
}
