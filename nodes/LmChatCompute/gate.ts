/**
 * Lets so many pieces of work run side by side; the others begin in turn.
 * @returns waits for its turn; what it returns must be called in the end
 */
export function gate(places = Infinity): () => Promise<() => void> {
	const waiting: Array<() => void> = [];
	let free = places;
	const end = () => {
		const next = waiting.shift();
		if (next) next();
		else free++;
	};
	return async () => {
		if (free > 0) free--;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		return end;
	};
}
