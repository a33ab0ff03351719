/** A page for people who use the nodes, and what shows that it is true. */
export interface Page {
	/** Below the project's folder. */
	file: string;
	/**
	 * Each sentence and each row of a table, without emphasis and links, with what shows it: `file below test > part of a title`.
	 * A law is tested in every world, and `test/sandbox/worlds` says why one is relaxed.
	 */
	claims: Record<string, string[]>;
	/** Sentences that claim nothing: what to do, where to read on, what follows. */
	instructions?: string[];
}
