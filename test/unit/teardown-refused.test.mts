import { describe, expect, it, vi } from 'vitest';
import { Body, type Answered } from './log-parts.mts';
import { ABSENT, REFUSED } from './market-parts.mts';
import { useStillTime } from './still-time.mts';
import { BROKEN, CONFLICT, every, teardown } from './teardown-parts.mts';

useStillTime();

const GONE = { deleted: true, deployment_id: 'd1', already_gone: false, verified: true };
const ADVICE = 'It may still bill. Run Destroy again, or check it in the console of the service.';

describe('a request to destroy that is refused', () => {
	it('is sent again with each look, and its last answer is the error', async () => {
		const { error, seconds, toldAt, lookedAt } = await teardown({
			told: (number) => ({ status: 409, json: { message: `busy ${number}` } }),
			options: { verifyTimeout: 20 },
		});
		expect(error?.message).toMatch(/busy 5/);
		expect(error?.known).toBeUndefined();
		expect({ seconds, toldAt, lookedAt }).toEqual({
			seconds: 20,
			toldAt: [0, 0, 5, 10, 15],
			lookedAt: [0, 0, 5, 10, 15, 20],
		});
	});

	it('begins the time anew once it is accepted', async () => {
		const { item, seconds, toldAt } = await teardown({
			status: (at) => (at < 16 ? 'running' : at < 30 ? 'terminating' : 'destroyed'),
			told: (number) => (number < 5 ? CONFLICT : { json: { status: 'success' } }),
			options: { verifyTimeout: 20 },
		});
		expect(item).toEqual({ ...GONE, status: 'success' });
		expect(toldAt).toEqual([0, 0, 5, 10, 15]);
		expect(seconds).toBe(30);
	});

	it('is not sent again while it ends all the same', async () => {
		const { error, toldAt } = await teardown({
			status: () => 'terminating',
			told: () => CONFLICT,
			options: { verifyTimeout: 20 },
		});
		expect(error).toEqual({
			message:
				'Deployment d1 was asked to end, which the service did not accept, and after 20 seconds it is still "terminating"',
			description: ADVICE,
			known: { deployment_id: 'd1', status: 'terminating' },
		});
		expect(toldAt).toEqual([0]);
	});

	it.each([401, 403])(
		'is not sent again after %i, which asking does not change',
		async (status) => {
			const told = () => ({ status, json: { message: 'not for you' } });
			const { error, ...times } = await teardown({ told });
			expect(error?.message).toMatch(/not for you/);
			expect(times).toEqual({ seconds: 0, toldAt: [0], lookedAt: [0, 0] });
		},
	);

	it('is sent again when the service says that it takes one', async () => {
		const told = (number: number): Answered =>
			number === 1
				? { status: 429, headers: { 'retry-after': '70' }, json: {} }
				: { json: { status: 'success' } };
		const { item, toldAt } = await teardown({
			status: (seconds) => (seconds < 71 ? 'running' : 'destroyed'),
			told,
		});
		expect(item).toEqual({ ...GONE, status: 'success' });
		expect(toldAt).toEqual([0, 70]);
	});

	it.each([
		[120, 120],
		[121, 0],
	])('with a pause of %i seconds of 120 is an error after %i', async (pause, seconds) => {
		const told = () => ({
			status: 429,
			headers: { 'retry-after': String(pause) },
			json: { message: 'too many' },
		});
		const { error, ...times } = await teardown({ told });
		expect(error?.message).toMatch(/too many/);
		expect(times).toMatchObject({ seconds, toldAt: [0] });
	});

	it('is an error at once where nothing can be sent for the whole time', async () => {
		const told = () => {
			throw Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
		};
		const { error, ...times } = await teardown({ told });
		expect(error?.message).toMatch(/certificate/);
		expect(times).toEqual({ seconds: 0, toldAt: [0], lookedAt: [0, 0] });
	});

	it('is sent again where its answer was lost', async () => {
		vi.spyOn(Math, 'random').mockReturnValue(0);
		const { item, toldAt } = await teardown({
			status: (seconds) => (seconds < 4 ? 'running' : 'destroyed'),
			told: (number) => {
				if (number > 6) return { json: {} };
				throw Object.assign(new Error('socket hang up'), { isAxiosError: true });
			},
		});
		expect(item).toEqual(GONE);
		expect(toldAt).toEqual([0, 0.25, 0.75, 1.75, 3.75, 3.75]);
	});

	it.each<[string, () => Answered, RegExp]>([
		[
			'says no in its words',
			() => ({ json: { success: false, message: 'quota' } }),
			/^The service answered 200, but says no: quota$/,
		],
		[
			'is the page of a proxy',
			() => ({ body: new Body().write('please log in', undefined) }),
			/^The response is not a JSON object: please log in$/,
		],
	])('by a 2xx that %s is an error', async (_, answer, message) => {
		const { error, toldAt } = await teardown({
			told: answer,
			options: { verifyTimeout: 5 },
		});
		expect(error?.message).toMatch(message);
		expect(toldAt).toEqual([0, 0]);
	});

	it('is followed by one more look where the last one took all of the time', async () => {
		const { item, lookedAt } = await teardown({
			status: (seconds) => (seconds < 8 ? 'running' : 'destroyed'),
			told: async (number) => {
				if (number > 2) await new Promise((resolve) => setTimeout(resolve, 3_000));
				return CONFLICT;
			},
			options: { verifyTimeout: 7 },
		});
		expect(item).toEqual({ ...GONE, already_gone: true });
		expect(lookedAt).toEqual([0, 0, 5, 8]);
	});
});

describe('a request to destroy whose service does not know the deployment', () => {
	it('is sent again while that shows, with longer pauses', async () => {
		const { error, toldAt } = await teardown({ told: () => ABSENT });
		expect(error).toEqual({
			message:
				'Deployment d1 may still run: the service says that it does not know it, but it is still "running"',
			description: ADVICE,
			known: { deployment_id: 'd1', status: 'running' },
		});
		expect(toldAt).toEqual([0, 0, 2, 6, 14, 30, 60, 90, 120]);
	});

	it('by 410 is one as well', async () => {
		const { error } = await teardown({ told: () => ({ status: 410, json: {} }) });
		expect(error?.message).toMatch(/^Deployment d1 may still run: /);
	});

	it('begins the time anew once it is accepted', async () => {
		const { item, seconds, toldAt } = await teardown({
			status: (at) => (at < 7 ? 'running' : at < 24 ? 'terminating' : 'destroyed'),
			told: (number) => (number < 4 ? ABSENT : { json: {} }),
			options: { verifyTimeout: 20 },
		});
		expect(item).toEqual(GONE);
		expect({ seconds, toldAt }).toEqual({ seconds: 24, toldAt: [0, 0, 2, 6] });
	});
});

describe('a deployment whose state cannot be read', () => {
	it('may still bill, with the reason', async () => {
		const { error, lookedAt } = await teardown({
			read: (seconds) => (seconds > 1 ? BROKEN : undefined),
			options: { verifyTimeout: 15 },
		});
		expect(error).toEqual({
			message: expect.stringMatching(
				/^Deployment d1 was told to end, but after 15 seconds its state could not be read: .*broken/,
			) as string,
			description: ADVICE,
			known: { deployment_id: 'd1', status: 'unreadable' },
		});
		expect(lookedAt).toEqual([0, ...every(5, 0, 15)]);
	});

	it('is one that has ended once that is read', async () => {
		const { item, seconds } = await teardown({
			status: (at) => (at < 1 ? 'running' : 'destroyed'),
			read: (at) => (at > 1 && at < 9 ? BROKEN : undefined),
		});
		expect(item).toEqual(GONE);
		expect(seconds).toBe(10);
	});

	it('since the account must not, is an error at once', async () => {
		const { error, toldAt, seconds } = await teardown({
			read: (at) => (at > 1 ? REFUSED : undefined),
		});
		expect(error?.message).toMatch(/not allowed/);
		expect(error?.message).not.toMatch(/was told to end/);
		expect({ toldAt, seconds }).toEqual({ toldAt: [0], seconds: 5 });
	});
});
