/**
 * Lets so many pieces of work run side by side; the others begin in turn.
 * @returns waits for its turn, or until the signal aborts; what it returns must be called in the end
 */
export function gate(places = Infinity): (signal?: AbortSignal) => Promise<() => void> {
	const waiting: Array<() => void> = [];
	let free = places;
	const end = () => {
		const next = waiting.shift();
		if (next) next();
		else free++;
	};
	return async (signal) => {
		if (free > 0) {
			free--;
			return end;
		}
		return await new Promise((resolve) => {
			const begin = () => {
				signal?.removeEventListener('abort', leave);
				resolve(end);
			};
			const leave = () => {
				waiting.splice(waiting.indexOf(begin), 1);
				resolve(() => undefined);
			};
			waiting.push(begin);
			if (signal?.aborted) leave();
			else signal?.addEventListener('abort', leave, { once: true });
		});
	};
}
