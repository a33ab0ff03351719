/** What a deployment does, from the words of the service (beyond-the-spec.md section 1). */
export type State = 'starting' | 'running' | 'ending' | 'ended' | 'unknown';

const STATES: Record<string, State> = {
	'deployment requested': 'starting',
	running: 'running',
	'termination requested': 'ending',
	completed: 'ended',
	failed: 'ended',
	destroyed: 'ended',
};

/** The state that a status means; case, `_`, `-` and blanks do not matter. The set is open: another word is `unknown`, and bills. */
export function stateOf(status: unknown): State {
	const word = typeof status === 'string' ? status.toLowerCase().replace(/[\s_-]+/g, ' ') : '';
	return STATES[word.trim()] ?? 'unknown';
}

/** Whether a deployment neither runs nor bills any more. */
export function isFinal(status: unknown): boolean {
	return stateOf(status) === 'ended';
}
