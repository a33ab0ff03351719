import { errorForms, type ErrorForm } from '../../faults.mts';
import { CHAT, EMBEDDINGS, EVERY_REQUEST, type IntelligenceWorld } from '../intelligenceWorld.mts';

const busy = (headers: Record<string, string>): ErrorForm => ({
	...errorForms.errorObject(429, 'Rate limit reached', 'tokens', 'rate_limit_exceeded'),
	headers,
});

/** What a refusal tells of the time at which the service opens again. */
const REFUSALS: Array<[name: string, answer: ErrorForm]> = [
	['nothing', busy({})],
	['Retry-After', busy({ 'retry-after': '3' })],
	['retry-after-ms', busy({ 'retry-after-ms': '1500' })],
	['x-ratelimit-reset-requests 1s', busy({ 'x-ratelimit-reset-requests': '1s' })],
	['x-ratelimit-reset-tokens 0m2s', busy({ 'x-ratelimit-reset-tokens': '0m2s' })],
	['x-ratelimit-reset 5', busy({ 'x-ratelimit-reset': '5' })],
	[
		'the reset of what is used up',
		busy({
			'x-ratelimit-remaining-requests': '0',
			'x-ratelimit-reset-requests': '2s',
			'x-ratelimit-remaining-tokens': '900',
			'x-ratelimit-reset-tokens': '6m0s',
		}),
	],
];

/** A service that refuses some requests, or loses an answer. */
export default [
	...REFUSALS.map(([name, answer]): IntelligenceWorld => ({
		name: `429 that names ${name}`,
		faults: [CHAT, EMBEDDINGS].flatMap((match) => [
			{ match, ...answer },
			{ match, skip: 2, ...answer },
		]),
		mustSucceed: EVERY_REQUEST,
	})),
	{
		name: '429 for an hour',
		says: /Retry after (1 hour|60 minutes)/,
		faults: [CHAT, EMBEDDINGS].map((match) => ({
			match,
			skip: 2,
			times: Infinity,
			...busy({ 'x-ratelimit-reset-requests': '60m0s' }),
		})),
		mustSucceed: ['list models'],
	},
	{
		name: 'hiccups: 429 after each second answer',
		faults: [CHAT, EMBEDDINGS].flatMap((match) =>
			Array.from({ length: 10 }, (_, index) => ({ match, skip: 2 * index, ...busy({}) })),
		),
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'proxy: HTML 502 now and then',
		faults: [CHAT, EMBEDDINGS].map((match) => ({ match, skip: 3, ...errorForms.html(502) })),
		mustSucceed: ['batch', 'embed', 'list models'],
	},
] satisfies IntelligenceWorld[];
