/** What a deployment does, from the words of the service (beyond-the-spec.md section 1). */
export type State = 'starting' | 'running' | 'ending' | 'ended' | 'unknown';

/** The words that are shown for deployments, and those that can mean nothing else; VMs have the same. */
const STATES: Record<string, State> = {
	'deployment requested': 'starting',
	running: 'running',
	'termination requested': 'ending',
	terminating: 'ending',
	destroying: 'ending',
	deleting: 'ending',
	completed: 'ended',
	failed: 'ended',
	destroyed: 'ended',
	terminated: 'ended',
	deleted: 'ended',
	expired: 'ended',
};

/** Words of a status that say that it was destroyed. */
const DESTROYED = ['destroyed', 'terminated', 'deleted'];

/** The state that a status means; case, `_`, `-` and blanks do not matter. The set is open: another word is `unknown`, and bills. */
export function stateOf(status: unknown): State {
	return STATES[wordOf(status)] ?? 'unknown';
}

/** Whether a deployment neither runs nor bills any more. */
export function isFinal(status: unknown): boolean {
	return stateOf(status) === 'ended';
}

/** Whether a deployment was destroyed, and has not ended in another way. */
export function isDestroyed(status: unknown): boolean {
	return DESTROYED.includes(wordOf(status));
}

/** Whether two words of a service are the same status. */
export function isSameStatus(status: unknown, other: unknown): boolean {
	return wordOf(status) === wordOf(other);
}

/** A status as words are compared: case, `_`, `-` and blanks do not matter; empty where there is none. */
export function wordOf(status: unknown): string {
	const word = typeof status === 'string' ? status : '';
	return word
		.toLowerCase()
		.replace(/[\s_-]+/g, ' ')
		.trim();
}
