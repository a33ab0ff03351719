import { describe, expect, it } from 'vitest';
import { computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { HOUR, MINUTE, SECOND, type Answer } from './service.mts';
import { begin, deploy, destroy, extend } from './stage.mts';

/** A service whose reads show for half a minute what it was before it was told to end. */
async function behind() {
	const stage = await begin();
	const { service } = stage;
	const statusOf = service.statusOf.bind(service);
	service.statusOf = (rental) => {
		const isLate =
			rental.endedAt !== undefined && service.clock.now() < rental.endedAt + 30 * SECOND;
		return isLate ? 'running' : statusOf(rental);
	};
	return { ...stage, rental: service.add('job') };
}

describe('a deployment that was told to end, and is still shown as running', () => {
	const existing = deploy({ safety: { ifNameExists: 'useExisting' } });

	it('is not handed out as the existing one in the same execution', async () => {
		const { rental, chain } = await behind();
		const { items } = await chain(destroy(rental.id, 'id', { verify: false }), existing);
		const handed = items.filter((item) => item.deployment_id === rental.id);
		expect(handed.filter(({ hint }) => hint === undefined)).toEqual([]);
	});

	it('is not handed out as the existing one in another execution of this process', async () => {
		const { rental, engine, time, run } = await behind();
		const ending = engine.run(destroy(rental.id), [{}], { executionId: 'teardown' });
		await time.pass(3 * SECOND);
		const { items } = await run(existing);
		await time.during(ending, HOUR);
		const handed = items.filter((item) => item.deployment_id === rental.id);
		expect(handed.filter(({ hint }) => hint === undefined)).toEqual([]);
	});

	it('is not extended in the same execution', async () => {
		const { service, rental, chain } = await behind();
		const { error } = await chain(
			destroy(rental.id, 'id', { verify: false }),
			extend(rental.id, 2),
		);
		expect(service.sent('extend')).toEqual([]);
		expect(error).not.toBe('');
	});
});

/** What a gateway answers to all reads while its routes change. */
const NO_ROUTE: Answer[] = [
	{ status: 404, body: '<html>no route</html>', headers: { 'content-type': 'text/html' } },
	{ status: 404, body: { message: 'no Route matched with those values' } },
];

describe.each(NO_ROUTE)('reads that are all answered with %o for 70 s', (missing) => {
	it('are no end of what a queue was told to destroy', async () => {
		const { service, run } = await begin();
		const rental = service.add('train', { beganAt: service.clock.now() - 5 * HOUR });
		let until = 0;
		service.instead = ({ what }) => {
			if (what !== 'destroy') return service.clock.now() < until ? missing : undefined;
			until ||= service.clock.now() + 70 * SECOND;
			return { status: 202 };
		};
		const { items } = await run(destroy(rental.id));
		expect(service.statusOf(rental)).toBe('running');
		expect(items.filter(({ verified }) => verified === true)).toEqual([]);
	});
});

/** How lists show minutes that they do not fill in; the details have them. */
const UNSET: Array<[string, string]> = [
	['0', '0'],
	['null', 'null'],
	['an empty text', '""'],
];

describe.each(UNSET)('minutes that the list shows as %s', (_how, unset) => {
	const inList = (answer: Answer): Answer => ({
		...answer,
		body: JSON.stringify(answer.body).replaceAll(/("compute_minutes_\w+"):-?\d+/g, `$1:${unset}`),
	});

	it('are told as soon over once, when the details say so', async () => {
		const { service, engine, time } = await begin();
		service.add('train', { hours: 5 });
		service.then = ({ what }, answer) => (what === 'list' ? inList(answer) : answer);
		const form = { product: 'vmaas', minutes: 60, options: {} };
		const trigger = new PolledTrigger(engine, computeTrigger('deploymentExpiresSoon', form));
		await time.during(trigger.activate(), HOUR);
		for (let nth = 0; nth < 11; nth++) {
			await time.pass(20 * MINUTE);
			await time.during(trigger.poll(), HOUR);
		}
		expect(trigger.items.map(({ remaining_minutes: left }) => left)).toEqual([60]);
	});

	it('do not keep an existing deployment from being used', async () => {
		const { service, run } = await begin();
		const { id } = service.add('job');
		service.then = ({ what }, answer) => (what === 'list' ? inList(answer) : answer);
		const { items } = await run(deploy({ safety: { ifNameExists: 'useExisting' } }));
		expect(items.map(({ deployment_id }) => deployment_id)).toEqual([id]);
	});
});

describe.each([-2, -0.5, 0.5, 2])('a clock of the service that is %s hours off', (hours) => {
	it('does not make of some seconds of a rate limit hours', async () => {
		const { service, run } = await begin();
		const rental = service.add('train');
		const date = (ms = 0) => new Date(service.clock.now() + hours * HOUR + ms).toUTCString();
		service.then = (_, answer) => ({ ...answer, headers: { date: date() } });
		service.instead = ({ what }) => {
			if (what !== 'destroy' || service.sent('destroy').length > 1) return undefined;
			const headers = { date: date(), 'retry-after': date(5 * SECOND) };
			return { status: 429, body: { detail: 'slow down' }, headers };
		};
		const { items } = await run(destroy(rental.id));
		expect(items.map(({ deleted }) => deleted)).toEqual([true]);
		expect(service.statusOf(rental)).toBe('destroyed');
	});
});
