import { describe, expect, it } from 'vitest';
import {
	noteAccepted,
	ownDeployment,
	type OwnDeployment,
} from '../../nodes/marketplace/ownDeployments.ts';
import { ABSENT, productContext, type Market } from './market-parts.mts';
import { pass, useStillTime } from './still-time.mts';
import { BROKEN, CONFLICT, every, nothing, teardown } from './teardown-parts.mts';

useStillTime();

const GONE = { deleted: true, deployment_id: 'd1', already_gone: false, verified: true };
const LOOKS = [0, 0, 2, 6, 14, 30, 60, 90, 120];
const ADVICE = 'Check it, and that the API key belongs to the account that deployed it.';
const unseen = () => undefined;

describe('a deployment that was never seen', () => {
	it('is looked for for two minutes, and told to end once', async () => {
		expect(await teardown({ status: unseen, told: () => ABSENT })).toEqual({
			error: {
				message: 'There is no deployment d1',
				description: ADVICE,
				known: { deployment_id: 'd1' },
			},
			seconds: 120,
			toldAt: [0],
			lookedAt: LOOKS,
		});
	});

	it('is told as one that the service has accepted and never shown', async () => {
		const { error, lookedAt } = await teardown({ status: unseen });
		expect(error).toMatchObject({
			message: 'There is no deployment d1',
			description: `The service accepted the request, but never showed it. ${ADVICE}`,
		});
		expect(lookedAt).toEqual(LOOKS);
	});

	it.each([
		[true, { json: {} }],
		[false, ABSENT],
	])('is an item where If Not Found says so; accepted: %j', async (accepted, answer) => {
		const { item } = await teardown({
			status: unseen,
			told: () => answer,
			options: { ifNotFound: 'output' },
		});
		expect(item).toEqual({
			deleted: null,
			deployment_id: 'd1',
			already_gone: false,
			verified: false,
			accepted,
			reason: 'not found',
			hint: 'There is no deployment d1',
		});
	});

	it('is looked for and told to end for two minutes where the service has no list: a gateway may say so', async () => {
		const { error, seconds, toldAt } = await teardown({ read: nothing, told: () => ABSENT });
		expect(error?.message).toBe('There is no deployment d1');
		expect(seconds).toBe(120);
		expect(toldAt.length).toBeGreaterThan(3);
	});

	it('is told again as soon as it shows, and then every twenty seconds', async () => {
		const { item, toldAt } = await teardown({
			status: (seconds) => (seconds < 5 ? undefined : seconds < 50 ? 'running' : 'destroyed'),
		});
		expect(item).toEqual(GONE);
		expect(toldAt).toEqual([0, 6, 26, 46]);
	});

	it('may run where neither list nor details are there, and it was accepted before', async () => {
		const { item } = await teardown({
			read: nothing,
			told: () => ABSENT,
			context: async (market) => {
				const context = await productContext(market);
				noteAccepted(context, 'd1');
				return context;
			},
		});
		expect(item).toMatchObject({ deleted: null, deployment_id: 'd1', accepted: true });
	});
});

describe('a deployment that vanishes', () => {
	const status = (seconds: number) => (seconds < 1 ? 'running' : undefined);

	it('after it was told to end has ended a minute later', async () => {
		let own: OwnDeployment | undefined;
		const context = async (market: Market) => {
			const made = await productContext(market);
			setTimeout(() => (own = ownDeployment(made, 'd1')), 66_000);
			return made;
		};
		expect(await teardown({ status, context })).toEqual({
			item: GONE,
			seconds: 65,
			toldAt: [0],
			lookedAt: [0, ...every(5, 0, 65)],
		});
		await pass(1_000);
		expect(own).toEqual({ isAccepted: true, isDestroyed: true });
	});

	it('has that minute also where the time for its end is shorter', async () => {
		const { item, seconds } = await teardown({ status, options: { verifyTimeout: 7 } });
		expect(item).toEqual(GONE);
		expect(seconds).toBe(65);
	});

	it('has two minutes from then on, and no more from each look', async () => {
		const { error, seconds } = await teardown({
			status,
			read: (at) => (at > 20 ? BROKEN : undefined),
			options: { verifyTimeout: 7 },
		});
		expect(error?.message).toMatch(/its state could not be read/);
		expect(seconds).toBe(125);
	});

	it('and shows again is told again', async () => {
		const { toldAt } = await teardown({
			status: (at) =>
				at < 3 || (at > 8 && at < 12) ? 'running' : at < 8 ? undefined : 'destroyed',
		});
		expect(toldAt).toEqual([0, 10]);
	});

	it('to a service that does not know it has ended, too', async () => {
		const { item, seconds, toldAt } = await teardown({ status, told: () => ABSENT });
		expect(item).toEqual({ ...GONE, already_gone: true });
		expect(seconds).toBe(122);
		expect(toldAt).toEqual([0, 0]);
	});

	it('to a gateway that knows nothing may still run, two minutes after that', async () => {
		const { error, seconds } = await teardown({
			status,
			read: (at) => (at < 1 ? undefined : ABSENT),
			told: () => CONFLICT,
			options: { verifyTimeout: 10 },
		});
		expect(error).toMatchObject({
			message:
				'Deployment d1 was asked to end, which the service did not accept, and after 10 seconds it cannot be told whether it has ended: it was seen before, and nothing shows it now',
			known: { deployment_id: 'd1', status: 'unknown' },
		});
		expect(seconds).toBe(125);
	});
});
