import type { RetryLimits } from '../shared/http/retry';
import { flag, integer, readOption } from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';
import { GENERATION_DEADLINE_MS, IDLE_MS } from './paths';

/** How long a billed response may take, and how it is asked for again. */
export interface RequestLimits {
	/** For the whole response. */
	deadlineMs: number;
	/** Without data of a stream. */
	idleMs: number;
	retryLimits: RetryLimits;
}

/** Where no option is set. */
export const DEFAULT_LIMITS: RequestLimits = {
	deadlineMs: GENERATION_DEADLINE_MS,
	idleMs: IDLE_MS,
	retryLimits: {},
};

const idleTimeout = integer({
	displayName: 'Request: Idle Timeout',
	name: 'idleTimeout',
	limits: { min: 1, max: 3_600 },
	default: IDLE_MS / 1_000,
	description: 'Seconds without data after which a stream ends',
});
const maxRetries = integer({
	displayName: 'Request: Max Retries',
	name: 'maxRetries',
	limits: { min: 0, max: 20 },
	default: 2,
	description:
		'How often a request is sent again that cost nothing: after a 429, or if the service cannot be reached. A limit that lasts longer than 60 seconds is an error at once.',
});
const retriesServerErrors = flag({
	displayName: 'Request: Retry on Server Errors',
	name: 'retryOnServerErrors',
	description: 'Whether to try again after 502, 503 and 504 too. The tokens may be billed twice.',
});
const timeout = integer({
	displayName: 'Request: Timeout',
	name: 'timeout',
	limits: { min: 1, max: 3_600 },
	default: GENERATION_DEADLINE_MS / 1_000,
	description: 'Maximum number of seconds for a response',
});

/** How many requests run side by side. */
export const requestsAtOnce = integer({
	displayName: 'Requests at Once',
	name: 'requestsAtOnce',
	limits: { min: 1, max: 50 },
	default: 5,
	description: 'Maximum number of requests that run at the same time, 1 to 50',
});

/** Options that {@link readLimits} reads. */
export const limitOptions = [maxRetries, retriesServerErrors, timeout];
/** The same for what may be streamed. */
export const streamLimitOptions = [idleTimeout, ...limitOptions];

/**
 * The limits of the options that were added.
 * @throws the error of an option that is not valid
 */
export function readLimits(options: Parameters): RequestLimits {
	const [idle, retries, seconds] = [idleTimeout, maxRetries, timeout].map((one) =>
		readOption(options, one),
	);
	return {
		deadlineMs: seconds === undefined ? GENERATION_DEADLINE_MS : seconds * 1_000,
		idleMs: idle === undefined ? IDLE_MS : idle * 1_000,
		retryLimits: {
			tries: retries === undefined ? undefined : retries + 1,
			retriesServerErrors: readOption(options, retriesServerErrors),
		},
	};
}
