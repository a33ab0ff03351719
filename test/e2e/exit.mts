/** What a process that starts others removes again at its own end, so that a test that is stopped leaves nothing behind */
const cleanups = new Set<() => void>();

function runAll(): void {
	// The last one first: a process ends before its folder is removed
	for (const cleanup of [...cleanups].reverse()) cleanup();
	cleanups.clear();
}

process.once('exit', runAll);

/** Calls `cleanup` when this process exits. Returns a function that takes it back, for what has ended by itself */
export function onExit(cleanup: () => void): () => void {
	cleanups.add(cleanup);
	return () => cleanups.delete(cleanup);
}

/**
 * Also cleans up when this process is told to end. The signal is sent again and not turned into `process.exit`, which
 * vitest forbids in its workers. A worker whose parent was killed loses its channel instead of getting a signal
 */
export function cleanUpOnSignals(): void {
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => {
			runAll();
			process.kill(process.pid, signal);
		});
	}
	process.once('disconnect', runAll);
}
