import { describe, expect, it } from 'vitest';
import { CONTINUE, deployParameters, RETRY, vmaas } from '../../engine/nodes.mts';
import { manualClock } from '../../sandbox/core/clock.mts';
import {
	HOUR,
	MINUTE,
	SECOND,
	type Call,
	type Deployment,
	type Json,
	type Said,
} from '../money7/service.mts';
import { deploy, stage, type Stage } from '../money7/stage.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';

const iso = (at: number) => new Date(at).toISOString();
const zoned = (at: number, hours: number) =>
	`${iso(at + hours * HOUR).slice(0, 19)}+${String(hours).padStart(2, '0')}:00`;

/** How a service writes when a deployment was made. */
const FORMS: Array<[string, (at: number) => unknown]> = [
	['to the millisecond', iso],
	['to the second', (at) => `${iso(at).slice(0, 19)}Z`],
	['in another zone', (at) => zoned(at, 5)],
	['without a zone', (at) => iso(at).slice(0, 19)],
	['as seconds since 1970', (at) => Math.floor(at / SECOND)],
	['to the minute', (at) => `${iso(at).slice(0, 16)}Z`],
	['cut to the minute', (at) => `${iso(at).slice(0, 16)}:00Z`],
	['by a database that is 8 s behind', (at) => iso(at - 8 * SECOND)],
];

/** Those that tell the second. */
const TOLD = FORMS.slice(0, 5);

/** At 37 s of a minute, details show the time of creation in this form. */
async function showing(form: (at: number) => unknown): Promise<Stage> {
	const set = await stage({ clock: manualClock('2026-08-03T10:00:37.250Z') });
	set.service.details = ({ madeAt }, shown) => ({ ...shown, created_at: form(madeAt) });
	set.service.add('other');
	return set;
}

const cheapest = (changes: Json = {}, settings = {}) => {
	const { hardwareId: _id, placement: _at, locationId: _place, ...common } = deployParameters();
	const parameters = { ...common, resourcePrivateName: 'web', filters: {}, maxTries: 3 };
	return vmaas('deployment', 'deployCheapest', { ...parameters, ...changes }, settings);
};

/** What a proxy that has sent the request twice passes on of the second answer. */
const NO_CAPACITY: Said = { status: 409, body: { detail: 'already reserved: no capacity' } };
const IS_TAKEN: Said = { status: 409, body: { detail: 'name already exists' } };
const SECOND_ANSWERS: Array<[string, Said]> = [
	['409, the name exists', IS_TAKEN],
	['422, in progress', { status: 422, body: { detail: 'a deployment is in progress' } }],
	['409, no capacity', NO_CAPACITY],
	['402 after the money was spent', { status: 402, body: { detail: 'insufficient balance' } }],
];

describe.each(FORMS)('a service that shows the creation %s', (_form, form) => {
	it('shows what was ordered, where the answer came', async () => {
		const { service, run } = await showing(form);
		const { items } = await run(deploy());
		expect(items).toMatchObject([{ deployment_id: service.own[0]?.id }]);
		expect(items[0]?.hint ?? '').not.toContain('another deployment than ordered');
	});

	it('has a deploy whose answer is lost in the output or an error, once', async () => {
		const { service, run } = await showing(form);
		service.after = (call, own) => (isDeploy(call) ? { isLost: true } : own);
		const { all } = await run(deploy({ safety: { ifNameExists: 'deploy' } }, RETRY));
		expect(service.own).toHaveLength(1);
		expect(all).toContain(service.own[0]?.id);
	});

	it.each(SECOND_ANSWERS)('tells of one that was made before a %s', async (_said, said) => {
		const { service, run } = await showing(form);
		service.after = (call, own) => (isDeploy(call) ? said : own);
		const { all } = await run(deploy({}, CONTINUE));
		expect(all).toContain(service.own[0]?.id);
	});

	it.each(SECOND_ANSWERS)('has it bought once behind %s, by retries, too', async (_said, said) => {
		const { service, run } = await showing(form);
		service.after = (call, own) => (isDeploy(call) ? said : own);
		await run(deploy({ safety: { ifNameExists: 'deploy' } }, RETRY));
		expect(service.own).toHaveLength(1);
	});

	it('has Deploy Cheapest buy one of three offers', async () => {
		const { service, run } = await showing(form);
		service.before = ({ path }) => {
			const places = ['us', 'fi', 'de'].map((location, index) => {
				const offer = { deploy_id: 7 + index, name: 'GPU', num_cards: 1, price: 2, location };
				return { id: `${7 + index}__${location}`, ...offer };
			});
			return path === '/hardware' ? { body: { data: { hardware: places } } } : undefined;
		};
		service.details = ({ madeAt, settings }, shown) => ({
			...shown,
			hardware_id: settings.hardware_id,
			created_at: form(madeAt),
		});
		service.after = (call, own) => {
			if (!isDeploy(call)) return own;
			const made = service.own.at(-1);
			if (made) made.settings.hardware_id = call.body.hardware_id;
			return NO_CAPACITY;
		};
		const { all } = await run(cheapest({}, CONTINUE));
		expect(service.own).toHaveLength(1);
		expect(all).toContain(service.own[0]?.id);
	});
});

/** What details show otherwise than it was ordered, though it is the same. */
const SHOWN: Array<[string, Json]> = [
	['its hardware by another ID', { hardware_id: 'gpu-a' }],
	['the GPUs of the host', { total_gpus: 8 }],
	['another number of minutes', { compute_minutes_served: 0, compute_minutes_remaining: 30 }],
];

it.each(SHOWN)('one that shows %s is bought once behind a no', async (_shown, shows) => {
	const { service, run } = await showing(iso);
	service.details = (_, shown) => ({ ...shown, ...shows });
	service.after = (call, own) => (isDeploy(call) ? IS_TAKEN : own);
	const { all } = await run(deploy({ safety: { ifNameExists: 'deploy' } }, RETRY));
	expect(service.own).toHaveLength(1);
	expect(all).toContain(service.own[0]?.id);
});

/** How a service, or a cache before it, tells its clock. */
const CLOCKS: Array<[string, (at: number) => Record<string, string>]> = [
	['its date', (at) => ({ date: new Date(at).toUTCString() })],
	['its date, of age 0', (at) => ({ date: new Date(at).toUTCString(), age: '0' })],
	[
		'its date of 9 s ago, and that age',
		(at) => ({ date: new Date(at - 9 * SECOND).toUTCString(), age: '9' }),
	],
];

describe.each(CLOCKS)('a service that tells %s', (_clock, headers) => {
	it.each(TOLD)('recovers what it has made (%s)', async (_form, form) => {
		const { service, run } = await showing(form);
		service.after = (call, own) => ({
			...own,
			headers: headers(service.clock.now()),
			...(isDeploy(call) && { isLost: true }),
		});
		const { items } = await run(deploy({}, CONTINUE));
		expect(items).toMatchObject([{ deployment_id: service.own[0]?.id, recovered: true }]);
	});

	it.each(TOLD)(
		'has what a colleague made a minute before told from what was never made (%s)',
		async (_form, form) => {
			const set = await showing(form);
			const { service, run } = set;
			service.lagMs = 90 * SECOND;
			const theirs: Deployment = service.add('web', {
				hours: 2,
				madeAt: service.clock.now() - MINUTE,
			});
			service.before = (call) => (isDeploy(call) ? { isLost: true } : undefined);
			service.after = (_, own) => ({ ...own, headers: headers(service.clock.now()) });
			const { items } = await run(deploy({}, CONTINUE));
			expect(service.own).toEqual([]);
			expect(items[0]?.deployment_id ?? null).not.toBe(theirs.id);
		},
	);
});
