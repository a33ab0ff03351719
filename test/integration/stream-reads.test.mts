import { describe, expect, it } from 'vitest';
import {
	readStream,
	type Bounds,
	type StreamOptions,
	type StreamRequest,
} from '../../nodes/shared/stream/stream.ts';
import { beginning, broken, json, text, useApi } from '../engine/api.mts';
import { until } from '../engine/time.mts';

const service = useApi();
const LOG: StreamRequest = { method: 'GET', path: '/{service}/log' };
const lines = { format: 'lines' } as const;

/** Reads lines until so many are there. @param bounds hold from the first line on: how soon that comes is up to the machine */
async function read(
	most: number,
	bounds: Partial<Bounds> = {},
	options: Partial<StreamOptions> = lines,
) {
	const taken: string[] = [];
	const current = {
		get longestMs() {
			return taken.length > 0 ? (bounds.longestMs ?? Infinity) : Infinity;
		},
		get quietMs() {
			return taken.length > 0 ? (bounds.quietMs ?? 60_000) : 60_000;
		},
	};
	const problem = await readStream(
		await service.api(),
		LOG,
		current,
		({ data }) => taken.push(data) < most,
		options,
	);
	return { problem, taken };
}

describe('reading a stream', () => {
	it('ends with it, after the last line', async () => {
		service.answers = [text('one\ntwo\nthree')];
		expect(await read(10)).toEqual({ problem: undefined, taken: ['one', 'two', 'three'] });
	});

	it('ends where the caller has enough', async () => {
		service.answers = [beginning('one\ntwo\nthree\n')];
		expect(await read(2)).toEqual({ problem: undefined, taken: ['one', 'two'] });
		await service.noConnection();
	});

	it('ends when it is quiet, or when its time is over', async () => {
		service.answers = [beginning('one\ntwo')];
		expect(await read(10, { quietMs: 40 })).toEqual({ problem: undefined, taken: ['one'] });
		expect(await read(10, { longestMs: 0 })).toEqual({ problem: undefined, taken: ['one'] });
		await service.noConnection();
	});

	it('tells of data that is pending, and ends when it is quiet behind that', async () => {
		service.answers = [beginning('data: one\ndata: two\n')];
		const bounds = { longestMs: Infinity, quietMs: Infinity };
		const taken: string[] = [];
		const onPending = () => (bounds.quietMs = 40);
		const reading = readStream(
			await service.api(),
			LOG,
			bounds,
			({ data }) => taken.push(data) < 10,
			{ format: 'sse', onPending },
		);
		expect([await reading, taken]).toEqual([undefined, ['one', 'two']]);
		await service.noConnection();
	});

	it('ends in time where lines come without a pause', async () => {
		service.answers = [
			(response) => {
				const timer = setInterval(() => response.write('x\n'), 1);
				response.once('close', () => clearInterval(timer));
			},
		];
		const { problem, taken } = await read(Infinity, { longestMs: 0 });
		expect(problem).toBeUndefined();
		expect(taken.length).toBeGreaterThan(0);
		await service.noConnection();
	});

	it('returns why the connection broke, after what came before', async () => {
		service.answers = [broken('one\ntwo')];
		expect(await read(10)).toEqual({
			problem: { kind: 'lost', reason: 'The connection was lost while reading the stream' },
			taken: ['one'],
		});
	});

	it('ends when the execution is cancelled', async () => {
		service.answers = [beginning('one\n')];
		const stop = new AbortController();
		const taken: string[] = [];
		const reading = readStream(
			await service.api(stop.signal),
			LOG,
			{ longestMs: 60_000, quietMs: 60_000 },
			({ data }) => taken.push(data) > 0,
			lines,
		);
		await until(() => taken.length === 1);
		stop.abort();
		expect(await reading).toEqual({ kind: 'cancelled' });
		await service.noConnection();
	});

	describe('tells of its end', () => {
		/** Reads a log and says what came, and how often the end was told. */
		async function readToEnd(most: number, options: Partial<StreamOptions> = {}) {
			let ends = 0;
			const result = await read(most, {}, { onEnd: () => (ends += 1), ...options });
			return { ...result, ends };
		}
		const ERROR = '{"detail": "no such container"}';

		it.each([
			['where the service has ended it', text('one\ntwo'), 10, ['one', 'two'], 1],
			['not where the caller had enough before', text('one\ntwo\n'), 2, ['one', 'two'], 0],
			['not where it broke', broken('one\ntwo'), 10, ['one'], 0],
		])('%s', async (_, answer, most, expected, ends) => {
			service.answers = [answer];
			expect(await readToEnd(most, lines)).toMatchObject({ taken: expected, ends });
		});

		it('not where the answer is an error in place of a log', async () => {
			service.answers = [text(ERROR, 200, { 'content-type': 'application/json' })];
			expect(await readToEnd(10)).toEqual({
				problem: {
					kind: 'lost',
					reason: 'The service returned an error instead of a log: no such container',
					advice:
						'The service, or a gateway in front of it, sent this with a status of success. Check the credential, or try again later.',
				},
				taken: [],
				ends: 0,
			});
		});

		it('where what looks like an error was in the log before', async () => {
			service.answers = [text(ERROR, 200, { 'content-type': 'application/json' })];
			const isKnown = ({ data }: { data: string }) => data === ERROR;
			expect(await readToEnd(10, { isKnown })).toEqual({
				problem: undefined,
				taken: [ERROR],
				ends: 1,
			});
		});

		it('not where a page comes without a type', async () => {
			service.answers = [text('<!doctype html><html><body>Log in</body></html>\n', 200, {})];
			expect(await readToEnd(10)).toEqual({
				problem: { kind: 'lost', reason: 'The service returned a web page instead of a stream' },
				taken: [],
				ends: 0,
			});
		});
	});

	it('has a moment after the head, where the time was over before', async () => {
		service.answers = [beginning('one\n')];
		const taken: string[] = [];
		const bounds = { longestMs: 60_000, quietMs: 60_000, endsAt: 0 };
		const take = ({ data }: { data: string }) => taken.push(data) > 0;
		expect(await readStream(await service.api(), LOG, bounds, take, lines)).toBeUndefined();
		expect(taken).toEqual(['one']);
		await service.noConnection();
	});

	it('returns why there is no stream', async () => {
		service.answers = [json({}, 404)];
		expect(await read(10)).toMatchObject({ problem: { kind: 'answer', status: 404 }, taken: [] });
	});
});
