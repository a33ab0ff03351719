import { expect, test } from 'vitest';
import { outputOf } from '../../engine/engine.mts';
import { deployment, locator, RETRY } from '../../engine/nodes.mts';
import { HOUR, openService, type Answer, type Deployment, type Service } from './service.mts';

const extendBy = (durationHours: number, settings = {}) =>
	deployment('extend', { deploymentId: locator('gpu'), durationHours, safety: {} }, settings);

const isExtend = ({ path }: { path: string }) => path.endsWith('/extend');

/** How a service answers an extension, whether it was made or not. */
type Extension = (one: Deployment, hours: number, tries: number) => Answer;

async function extending(extension: Extension, changes = {}): Promise<Service> {
	const service = await openService();
	const one = service.add('gpu', { createdAt: service.now - HOUR, paidHours: 3, ...changes });
	let tries = 0;
	service.odd = (request) =>
		isExtend(request) ? extension(one, Number(request.body.duration_hours), tries++) : undefined;
	return service;
}

const made = (one: Deployment, hours: number) => void (one.paidHours += hours);

const WORLDS: Array<[what: string, extension: Extension, added: number, changes?: object]> = [
	['made, answered with 504', (one, hours) => (made(one, hours), { status: 504 }), 2],
	['made, answered with 202 and nothing', (one, hours) => (made(one, hours), { status: 202 }), 2],
	[
		'made, answered with 303',
		(one, hours) => (made(one, hours), { status: 303, headers: { location: '/x' } }),
		2,
	],
	['not made, answered with 500', () => ({ status: 500 }), 0],
	[
		'not made, answered with 200 that says no',
		() => ({ status: 200, json: { success: false, error: 'quota' } }),
		0,
	],
	[
		'not made, answered with a failed envelope',
		() => ({ status: 200, json: { data: null, status: 'failed' } }),
		0,
	],
	['refused with 402', () => ({ status: 402, json: { detail: 'credit' } }), 0],
	['refused with 429 for an hour', () => ({ status: 429, headers: { 'retry-after': '3600' } }), 0],
	[
		'made twice by a proxy',
		(one, hours) => (made(one, hours), made(one, hours), { status: 502 }),
		4,
	],
	[
		'made for eight GPUs, answered with 504',
		(one, hours) => (made(one, hours), { status: 504 }),
		2,
		{ gpus: 8 },
	],
];

for (const [what, extension, added, changes] of WORLDS)
	test(`an extension is sent once and told as it is: ${what}`, async () => {
		const service = await extending(extension, changes);
		const run = await service.engine.run(extendBy(2, RETRY));
		const one = service.get('gpu');
		expect(one.paidHours).toBe(3 + added);
		const { error } = run.data.resultData;
		const [item] = error ? [] : outputOf(run);
		if (added === 2 && item) expect([2, null]).toContain(item.json.added_hours);
		else if (item) expect(item.json.added_hours).toBeNull();
		else if (added > 0) expect(error?.message).toContain('unknown');
		if (![402, 429].some((status) => what.includes(String(status))))
			expect(service.requests.filter((path) => path.endsWith('/extend'))).toHaveLength(1);
	});

test('what another execution adds meanwhile is not taken for an extension that was lost', async () => {
	const service = await extending((one) => (made(one, 5), { status: 504 }));
	const run = await service.engine.run(extendBy(2));
	expect(run.data.resultData.error?.message).toContain('unknown');
});

test('two executions at once add what both have ordered', async () => {
	const service = await extending((one, hours) => (made(one, hours), { status: 504 }));
	const runs = await Promise.all([
		service.engine.run(extendBy(1), [{}], { executionId: '1' }),
		service.engine.run(extendBy(1), [{}], { executionId: '2' }),
	]);
	expect(service.get('gpu').paidHours).toBe(5);
	for (const run of runs) expect(outputOf(run)[0]?.json.added_hours).toBe(1);
});

test('an extension is found where minutes served are not those that have passed', async () => {
	const service = await extending((one, hours) => (made(one, hours), { status: 504 }), {
		downMinutes: 30,
	});
	const run = await service.engine.run(extendBy(2));
	expect(outputOf(run)[0]?.json).toMatchObject({ added_hours: 2, recovered: true });
});

test('a VM that is down while the answer is lost adds nothing by itself', async () => {
	const service = await extending(() => ({ status: 504 }));
	service.onWait = () => void (service.get('gpu').downMinutes += 0.5);
	const run = await service.engine.run(extendBy(1));
	expect(run.data.resultData.error?.message).toContain('unknown');
});
