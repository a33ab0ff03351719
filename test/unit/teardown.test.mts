import { describe, expect, it } from 'vitest';
import { ABSENT } from './market-parts.mts';
import { JUMPS, setWallClock, useStillTime } from './still-time.mts';
import { BROKEN, CONFLICT, every, nothing, teardown } from './teardown-parts.mts';

useStillTime();

const GONE = { deleted: true, deployment_id: 'd1', already_gone: false, verified: true };
const UNSEEN = {
	deleted: null,
	deployment_id: 'd1',
	already_gone: false,
	verified: false,
	accepted: true,
	hint: 'The service accepted the request, but its end was not seen. Check it in the console of the service: it may still bill.',
};
const ADVICE = 'It may still bill. Run Destroy again, or check it in the console of the service.';

describe('a deployment that is destroyed', () => {
	it('is looked at every five seconds until it has ended', async () => {
		const status = (seconds: number) =>
			seconds < 1 ? 'running' : seconds < 12 ? 'terminating' : 'destroyed';
		expect(await teardown({ status, told: () => ({ json: { status: 'success' } }) })).toEqual({
			item: { ...GONE, status: 'success' },
			seconds: 15,
			toldAt: [0],
			lookedAt: [0, 0, 5, 10, 15],
		});
	});

	it('is told again every twenty seconds while it runs on', async () => {
		const status = (seconds: number) => (seconds < 41 ? 'running' : 'destroyed');
		expect(await teardown({ status })).toEqual({
			item: GONE,
			seconds: 45,
			toldAt: [0, 20, 40],
			lookedAt: [0, ...every(5, 0, 45)],
		});
	});

	it('is not given up for a later request that is refused', async () => {
		const { error, toldAt, lookedAt } = await teardown({
			told: (number) => (number === 1 ? { json: {} } : { status: 503, json: {} }),
			options: { verifyTimeout: 60 },
		});
		expect(error?.message).toBe(
			'Deployment d1 was told to end, but after 60 seconds it is still "running"',
		);
		expect(toldAt).toEqual([0, 20, 40, 60]);
		expect(lookedAt).toEqual([0, ...every(5, 0, 60)]);
	});

	it.each([
		['ends for longer than that', 'terminating', 'it is still "terminating"'],
		['runs on', 'running', 'it is still "running"'],
		['is in a state of no name', '', 'it is still ""'],
	])('may still bill where it %s', async (_, status, problem) => {
		const { error, seconds, lookedAt } = await teardown({
			status: () => status,
			options: { verifyTimeout: 12 },
		});
		expect(error).toEqual({
			message: `Deployment d1 was told to end, but after 12 seconds ${problem}`,
			description: ADVICE,
			known: { deployment_id: 'd1', status },
		});
		expect(seconds).toBe(12);
		expect(lookedAt).toEqual([0, 0, 5, 10, 12]);
	});

	it('may still bill where no status is shown', async () => {
		const { error } = await teardown({
			read: (_, request) =>
				request === 'GET deployment/d1' ? { json: { data: { deployment_id: 'd1' } } } : undefined,
			options: { verifyTimeout: 1 },
		});
		expect(error).toMatchObject({
			message: 'Deployment d1 was told to end, but after 1 seconds it is still "unknown"',
			known: { status: 'unknown' },
		});
	});

	it.each(JUMPS)('is waited for as long where the wall clock is set by %i ms', async (jumpMs) => {
		const { error, lookedAt } = await teardown({
			status: (seconds) => {
				if (seconds === 5) setWallClock(jumpMs);
				return 'terminating';
			},
			options: { verifyTimeout: 30 },
		});
		expect(error?.message).toMatch(/^Deployment d1 was told to end, but after 30 seconds /);
		expect(lookedAt).toHaveLength(1 + 7);
	});

	it('is told to end also where it cannot be looked at in ten seconds', async () => {
		let isSlow = true;
		const { toldAt, item } = await teardown({
			status: () => 'destroyed',
			read: async (_, request) => {
				if (request !== 'GET deployment/d1' || !isSlow) return undefined;
				isSlow = false;
				return await new Promise(() => undefined);
			},
		});
		expect(toldAt).toEqual([10]);
		expect(item).toEqual(GONE);
	});
});

describe('a deployment that was gone already', () => {
	const ending = (seconds: number) => (seconds < 3 ? 'terminating' : 'completed');

	it.each([
		['is known to have ended', () => 'destroyed', { json: {} }],
		['is refused by 409', ending, CONFLICT],
		['is refused by 400', ending, BROKEN],
	])('is told as such where it %s', async (_, status, answer) => {
		const { item, toldAt } = await teardown({ status, told: () => answer });
		expect(item).toEqual({ ...GONE, already_gone: true });
		expect(toldAt).toEqual([0]);
	});

	it('is not one that a later request has ended', async () => {
		const { item, toldAt } = await teardown({
			status: (seconds) => (seconds < 1 ? 'running' : 'destroyed'),
			told: (number) => (number === 1 ? ABSENT : { json: { status: 'success' } }),
		});
		expect(item).toEqual({ ...GONE, status: 'success' });
		expect(toldAt).toEqual([0, 0]);
	});

	it.each([399, 500])('is not one that was refused by %i', async (status) => {
		let isTold = false;
		const { item } = await teardown({
			status: () => (isTold ? 'destroyed' : 'running'),
			told: () => {
				isTold = true;
				return { status, json: {} };
			},
		});
		expect(item).toMatchObject({ ...GONE, already_gone: false });
	});
});

describe('without Verify', () => {
	const options = { verify: false };

	it('one that ends is destroyed, and that is not verified', async () => {
		const status = (seconds: number) => (seconds < 1 ? 'terminating' : 'destroyed');
		expect(await teardown({ status, options })).toEqual({
			item: { ...GONE, verified: false },
			seconds: 0,
			toldAt: [0],
			lookedAt: [0, 0],
		});
	});

	it('one that has ended is verified all the same', async () => {
		expect((await teardown({ status: () => 'destroyed', options })).item).toEqual({
			...GONE,
			already_gone: true,
		});
	});

	it('one that runs on is told as one that may still bill', async () => {
		const told = () => ({ json: { status: 'success' } });
		expect(await teardown({ told, options })).toEqual({
			item: { ...UNSEEN, status: 'success' },
			seconds: 0,
			toldAt: [0],
			lookedAt: [0, 0],
		});
	});

	it.each([
		['cannot be read', () => BROKEN],
		['vanishes', undefined],
		['has neither list nor details', nothing],
	])('one that %s after it is told may still bill', async (_, read) => {
		let isTold = false;
		const { item, seconds } = await teardown({
			status: () => (isTold ? undefined : 'running'),
			read: () => (isTold ? read?.() : undefined),
			told: () => {
				isTold = true;
				return { json: {} };
			},
			options,
		});
		expect(item).toEqual(UNSEEN);
		expect(seconds).toBe(0);
	});

	it('one that was never seen may still bill where its request was accepted', async () => {
		const { item, seconds } = await teardown({ status: () => undefined, options });
		expect(item).toEqual(UNSEEN);
		expect(seconds).toBe(0);
	});
});

it.each([
	['a number', { status: 7 }],
	['none', { done: true }],
	['no object', ['success']],
])('the status of an answer is left out where it is %s', async (_, json) => {
	const { item } = await teardown({ status: () => 'destroyed', told: () => ({ json }) });
	expect(item).not.toHaveProperty('status');
});
