/** The test of one law in one scenario of one world. */
export interface Cell {
	/** `logs` or `compute`: the beginning of the file's name. */
	kind: string;
	world: string;
	scenario: string;
	law: string;
	/** A law that is relaxed in a world has a dash. */
	result: 'ok' | 'FAIL' | '-';
	/** What contradicts the law, or why it is relaxed. */
	reasons: string[];
}

/** The cells by a key, in the order in which the keys come first. */
export function groupBy(
	cells: readonly Cell[],
	keyOf: (cell: Cell) => string,
): Map<string, Cell[]> {
	const groups = new Map<string, Cell[]>();
	for (const cell of cells) {
		const group = groups.get(keyOf(cell));
		if (group) group.push(cell);
		else groups.set(keyOf(cell), [cell]);
	}
	return groups;
}
