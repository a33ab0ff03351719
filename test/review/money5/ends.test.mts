import { describe, expect, it } from 'vitest';
import { CONTINUE, deployment, locator, RETRY } from '../../engine/nodes.mts';
import type { Call, Said } from './service.mts';
import { deploy, destroy, destroyMany, extend, stage, told } from './stage.mts';

const isDelete = ({ method }: Call) => method === 'DELETE';
const ENDED = ['completed', 'failed', 'destroyed', 'Destroyed', 'TERMINATED', 'expired'];
const UNKNOWN = ['paused', 'stopped', 'suspended', 'error', 'finished', 'cancelled', 'archived'];

describe('an extension', () => {
	it.each([...ENDED, 'termination requested', 'terminating'])(
		'of what is %s is refused',
		async (status) => {
			for (const hidden of [false, true]) {
				const { service, run } = await stage();
				service.add({ status });
				if (hidden) service.detailed = () => undefined;
				const { error } = told(await run(extend('dep-1')));
				expect(service.sent('POST')).toEqual([]);
				expect(error).toContain('cannot be extended');
			}
		},
	);

	it('of what ends between the look and the request is told of', async () => {
		const { service, run } = await stage();
		const machine = service.add();
		service.instead = (call) => {
			if (call.method !== 'POST') return undefined;
			machine.status = 'completed';
			return { status: 409, json: { detail: 'The deployment has ended' } };
		};
		const { error } = told(await run(extend('dep-1', 2, {}, RETRY)));
		expect(error).toBeDefined();
		expect(service.sent('POST')).toHaveLength(1);
	});

	it('of what is in another account, or was never there, sends nothing', async () => {
		const { service, run } = await stage();
		service.add({ key: 'key-of-account-2' });
		expect(told(await run(extend('dep-1'))).error).toContain('There is no deployment');
		expect(service.sent('POST')).toEqual([]);
	});

	it('that the service answers with less than ordered is not claimed', async () => {
		const { service, run } = await stage();
		const machine = service.add();
		service.instead = (call) => {
			if (call.method !== 'POST') return undefined;
			machine.hours += 1;
			return { json: { data: service.detailsOf(machine) } };
		};
		const { all } = told(await run(extend('dep-1', 3, {}, CONTINUE)));
		expect(all).not.toContain('"added_hours":3');
	});
});

/** What the service may say to a request to destroy. */
const ANSWERS: Array<[string, Said, boolean]> = [
	['200 and does it', { json: {} }, true],
	['204 and does it', { status: 204 }, true],
	['404 and does it', { status: 404 }, true],
	['500 and does it', { status: 500 }, true],
	['nothing and does it', { reset: true }, true],
	['200 and does nothing', { json: { status: 'ok' } }, false],
	['202 and does nothing', { status: 202 }, false],
	['404 and does nothing', { status: 404, json: { detail: 'not found' } }, false],
	['410 and does nothing', { status: 410 }, false],
	[
		'409 already terminated and does nothing',
		{ status: 409, json: { detail: 'already terminated' } },
		false,
	],
	[
		'200 destroyed and does nothing',
		{ json: { status: 'destroyed', deployment_id: 'dep-1' } },
		false,
	],
	['200 with a no and does nothing', { json: { success: false, message: 'try later' } }, false],
	['a page and does nothing', { text: '<html><title>Hello</title></html>' }, false],
	['302 and does nothing', { status: 302, headers: { location: '/login' } }, false],
	['429 for an hour and does nothing', { status: 429, headers: { 'retry-after': '3600' } }, false],
];

describe.each(ANSWERS)('a DELETE that is answered by %s', (_, said, isDone) => {
	it.each([
		['by ID', destroy('dep-1')],
		['by ID, not verified', destroy('dep-1', { verify: false })],
		['by name', destroy('job', {}, 'name')],
		['by name, Return an Item', destroy('job', { ifNotFound: 'output' }, 'name')],
		['Destroy Many', destroyMany('jo')],
	])('is no end that nobody has seen (%s)', async (_how, node) => {
		for (const settings of [{}, CONTINUE, RETRY]) {
			const { service, run } = await stage();
			const machine = service.add();
			service.instead = (call) => {
				if (!isDelete(call)) return undefined;
				if (isDone) machine.endedAt ??= service.clock.now();
				return said;
			};
			const { of, error, all } = told(await run({ ...node, ...settings }));
			// What ends is no more than that
			if (service.bills.some(({ endedAt }) => endedAt === undefined)) {
				expect(of().some(({ deleted, verified }) => deleted === true && verified === true)).toBe(
					false,
				);
				expect(all).toMatch(/dep-1|job/);
				if (error === undefined) expect(all).toMatch(/may still|still bill|error/);
			} else if (error === undefined) expect(of()[0]?.deleted).not.toBe(false);
		}
	});
});

describe('what is gone already', () => {
	it.each(ENDED)('(%s) counts as destroyed', async (status) => {
		const { service, run } = await stage();
		service.add({ status });
		const { of, error } = told(await run(destroy('dep-1')));
		expect(error).toBeUndefined();
		expect(of()).toMatchObject([{ deleted: true, verified: true }]);
	});

	it.each(UNKNOWN)('is not what is %s', async (status) => {
		const { service, run } = await stage();
		service.add({ status });
		const { of, error } = told(await run(destroy('dep-1')));
		expect(of()).toEqual([]);
		expect(error).toContain('may still bill');
		const again = await run(deploy(), [{}], { executionId: '2' });
		expect(told(again).error).toContain('already exists');
	});

	it('is not bought again by the retry of a deploy', async () => {
		const { service, run } = await stage();
		service.add({ name: 'second' });
		const node = deploy({ resourcePrivateName: '={{ $json.name }}' }, RETRY);
		service.answered = (call, said) => {
			if (call.method === 'POST') service.made(0).status = 'failed';
			return said;
		};
		const { error } = told(await run(node, [{ name: 'first' }, { name: 'second' }]));
		expect(service.sent('POST')).toHaveLength(1);
		expect(error).toContain('dep-2');
	});

	it('is waited for as destroyed only where it was', async () => {
		for (const status of ['completed', 'failed', 'destroyed']) {
			const { service, run } = await stage();
			service.add({ status });
			const waiting = { waitUntil: 'destroyed', pollInterval: 5, timeout: 60, onTimeout: 'error' };
			const node = deployment('waitFor', { deploymentId: locator('dep-1'), ...waiting });
			const { error } = told(await run(node));
			expect(error === undefined).toBe(status === 'destroyed');
		}
	});
});
