/** Calls `work` for 0 to `count` - 1, at most `concurrency` at a time, and starts no more once one returned false. */
export async function inOrder(
	count: number,
	concurrency: number,
	work: (index: number) => Promise<boolean>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < count) {
			const index = next++;
			if (!(await work(index))) next = count;
		}
	};
	await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker));
}
