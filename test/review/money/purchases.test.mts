import { describe, expect, it } from 'vitest';
import { deployment, locator, RETRY, caas, containerParameters } from '../../engine/nodes.mts';
import type { Answer, Gateway } from './service.mts';
import { expectAllTold, itemsOf, order, OTHER_PROCESS, toldBy, world } from './world.mts';

const isDeploy = ({ method, path }: { method: string; path: string }) =>
	method === 'POST' && path.endsWith('/deploy');
const named = (name: string) => locator(name, 'name');

describe('a proxy that sends the POST a second time by itself', () => {
	const twice: Gateway = (call, forward) => {
		if (isDeploy(call)) forward(call);
		return forward(call);
	};

	it.each([{}, { uniqueName: true }, { ifNameExists: 'deploy' }])(
		'names both machines: %j',
		async (safety) => {
			const here = await world();
			here.service.gateway = twice;
			const run = await here.run(deployment('deploy', order({ safety })));
			expect(here.service.alive()).toHaveLength(2);
			expectAllTold(here, run);
		},
	);

	it('names both containers', async () => {
		const here = await world();
		here.service.gateway = twice;
		const run = await here.run(caas('deployment', 'deploy', containerParameters()));
		expect(here.service.alive()).toHaveLength(2);
		expectAllTold(here, run);
	});

	it.each([
		[409, 'A deployment with this name exists already'],
		[422, 'resource_private_name: is taken'],
		[429, 'Too many requests'],
	])('and gets a %i for the second, while the list is behind', async (status, detail) => {
		for (const safety of [{}, { uniqueName: true }]) {
			const here = await world({ listBehind: 40_000, detailsBehind: 40_000 });
			here.service.gateway = (call, forward) => {
				if (!isDeploy(call)) return forward(call);
				if (here.service.alive().length === 0) forward(call);
				return { status, body: { detail } };
			};
			const run = await here.run(deployment('deploy', order({ safety }), RETRY));
			expect(here.service.machines).toHaveLength(1);
			if (status === 409) expectAllTold(here, run);
		}
	});

	it('and says sold out to the second: the next offer is not bought beside it', async () => {
		const here = await world();
		here.service.gateway = (call, forward) => {
			if (!isDeploy(call) || here.service.sent('POST', '/deploy').length > 1) return forward(call);
			forward(call);
			return { status: 409, body: { detail: 'No capacity' } };
		};
		const { hardwareId: _, locationId: __, placement: ___, ...rest } = order();
		const parameters = { ...rest, gpusPerVm: 0, filters: {}, maxTries: 2 };
		const run = await here.run(deployment('deployCheapest', parameters));
		expect(here.service.machines).toHaveLength(1);
		expectAllTold(here, run);
	});
});

describe('an HTTP cache that keeps lists and details for five minutes', () => {
	it('shows no free name that is taken', async () => {
		const here = await world();
		const kept = new Map<string, { at: number; body: unknown; status: number }>();
		here.service.gateway = (call, forward) => {
			if (call.method !== 'GET') return forward(call);
			const key = `${call.path}?${call.query.toString()}`;
			const found = kept.get(key);
			const isFresh = found && here.clock.now() - found.at < 300_000;
			if (isFresh && !String(call.headers['cache-control']).includes('no-cache')) {
				const age = Math.round((here.clock.now() - found.at) / 1000);
				return { status: found.status, body: found.body, headers: { Age: String(age) } };
			}
			const answer = forward(call);
			kept.set(key, { at: here.clock.now(), body: answer.body, status: answer.status });
			return answer;
		};
		await here.run(deployment('getAll', { returnAll: true }));
		const first = await here.run(deployment('deploy', order()));
		here.clock.pass(150_000);
		const second = await here.run(deployment('deploy', order(), { ...OTHER_PROCESS }));
		expect(here.service.machines).toHaveLength(1);
		expectAllTold(here, first);
		expect(toldBy(second)).toContain('already exists');
		const end = await here.run(deployment('destroy', { deploymentId: locator('dep-1') }));
		expect(itemsOf(end)[0]).toMatchObject({ deleted: true, verified: true });
	});
});

describe('a service that makes host names of names', () => {
	const nameOf = (name: string) =>
		name
			.toLowerCase()
			.replace(/[^a-z0-9]+/g, '-')
			.replace(/^-|-$/g, '');

	it('is not asked for a second one each night', async () => {
		const here = await world({ nameOf });
		for (const name of ['Nightly Training #1', 'nightly_training_1']) {
			await here.run(deployment('deploy', order({ resourcePrivateName: name })));
			here.clock.pass(600_000);
		}
		const third = await here.run(
			deployment('deploy', order({ resourcePrivateName: 'Nightly Training #1' })),
		);
		expect(here.service.machines).toHaveLength(1);
		expect(toldBy(third)).toContain('dep-1');
	});

	it('tells what became of a lost deploy', async () => {
		const here = await world({ nameOf });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			return isDeploy(call) ? { ...answer, cut: 'before' } : answer;
		};
		const run = await here.run(
			deployment('deploy', order({ resourcePrivateName: 'My Job' }), RETRY),
		);
		expect(here.service.machines).toHaveLength(1);
		expectAllTold(here, run);
		// A colleague may have bought this one: the name is not the one that was sent
		expect(toldBy(run)).toMatch(/outcome unknown.*dep-1 \(\\*"my-job/);
	});

	it('tells the leftovers that Destroy Many does not match', async () => {
		const here = await world({ nameOf });
		here.service.buy({ resource_private_name: 'nightly training a' });
		const parameters = {
			namePrefix: 'nightly_training_',
			match: 'prefix',
			limit: 5,
			dryRun: false,
		};
		const run = await here.run(deployment('destroyMany', parameters));
		expectAllTold(here, run);
	});

	it('and buys beside what only looks alike', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'train-11' });
		const run = await here.run(deployment('deploy', order({ resourcePrivateName: 'train-1-1' })));
		expect(itemsOf(run)[0]).toMatchObject({ deployment_id: 'dep-2' });
	});
});

describe('a list that is a minute behind, with details that are not', () => {
	it('lets a name be used again after its machine has ended', async () => {
		const here = await world({ listBehind: 60_000 });
		const run = await here.chain([
			deployment('deploy', order()),
			deployment('waitFor', { deploymentId: named('job'), waitUntil: 'running' }),
			deployment('destroy', { deploymentId: named('job') }),
			deployment('deploy', order()),
			deployment('destroy', { deploymentId: named('job') }),
		]);
		expect(itemsOf(run)[0]).toMatchObject({ deleted: true, deployment_id: 'dep-2' });
		expect(here.service.alive()).toHaveLength(0);
	});

	it('lets another execution use it, too', async () => {
		const here = await world({ listBehind: 60_000 });
		here.service.buy({ resource_private_name: 'job' });
		here.clock.pass(600_000);
		await here.run(deployment('destroy', { deploymentId: locator('dep-1') }));
		const run = await here.run(deployment('deploy', order(), OTHER_PROCESS));
		expect(itemsOf(run)[0]).toMatchObject({ deployment_id: 'dep-2' });
		const end = await here.run(deployment('destroy', { deploymentId: named('job') }));
		expect(itemsOf(end)[0]).toMatchObject({ deployment_id: 'dep-2', deleted: true });
	});
});

describe('IDs that are numbers too large for doubles', () => {
	it('are used to the digit', async () => {
		const big = (number: number) => `90071992547409${910 + number}`;
		const here = await world({ idOf: big });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			const text = JSON.stringify(answer.body).replace(/"(90071992547409\d+)"/g, '$1');
			return { ...answer, body: text, headers: { 'Content-Type': 'application/json' } };
		};
		const other = here.service.buy({ resource_private_name: 'other' });
		const run = await here.chain([
			deployment('deploy', order()),
			deployment('waitFor', {
				deploymentId: locator('={{ $json.deployment_id }}'),
				waitUntil: 'running',
			}),
			deployment('destroy', { deploymentId: locator('={{ $json.deployment_id }}') }),
		]);
		expect(itemsOf(run)[0]).toMatchObject({ deleted: true, deployment_id: big(2) });
		expect(here.service.alive()).toEqual([other]);
	});
});

describe('a list of fifty at most, whatever page is asked for', () => {
	it.each([25, 30, 50, 200])('is not taken for the whole list at %i', async (pageSize) => {
		const here = await world({ pageSize, heedsPage: false, showsTotal: false });
		here.service.gateway = (call, forward) => {
			call.query.set('page_size', String(pageSize));
			return forward(call);
		};
		for (let index = 0; index < pageSize; index++)
			here.service.buy({ resource_private_name: `other-${index}` });
		here.service.buy({ resource_private_name: 'job' });
		const run = await here.run(deployment('deploy', order()));
		expect(here.service.machines).toHaveLength(pageSize + 1);
		expect(toldBy(run)).toContain('incomplete');
	});
});

describe('answers that get lost', () => {
	it('two executions at the same time buy one machine, and each says what it knows', async () => {
		const here = await world({ listBehind: 20_000 });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			return isDeploy(call) ? { ...answer, cut: 'amid' } : answer;
		};
		const node = deployment('deploy', order(), RETRY);
		const [first, second] = await here.clock.during(
			Promise.all([
				here.engine.run(node, [{}], { executionId: 'a' }),
				here.engine.run(node, [{}], { executionId: 'b' }),
			]),
		);
		expect(here.service.machines).toHaveLength(1);
		expect(itemsOf(first)[0]).toMatchObject({ deployment_id: 'dep-1', recovered: true });
		expect(toldBy(second)).toContain('already exists');
	});

	it('take effect after the client has given up: never a second machine', async () => {
		const here = await world();
		here.service.gateway = async (call, forward) =>
			isDeploy(call)
				? await here.service.later(200_000, () => ({ ...forward(call), cut: 'before' }))
				: forward(call);
		const first = await here.run(deployment('deploy', order(), RETRY));
		here.clock.pass(400_000);
		const third = await here.run(deployment('deploy', order(), OTHER_PROCESS));
		expect(here.service.machines).toHaveLength(1);
		expectAllTold(here, first, third);
	});

	it('of two processes with one name: both machines are told', async () => {
		const here = await world({ listBehind: 20_000 });
		const runs = await here.clock.during(
			Promise.all([
				here.engine.run(deployment('deploy', order()), [{}], { executionId: 'a' }),
				here.engine.run(deployment('deploy', order(), OTHER_PROCESS), [{}], { executionId: 'b' }),
			]),
		);
		expectAllTold(here, ...runs);
	});

	it('with a broken gzip, or with half of its JSON', async () => {
		const broken: Array<Partial<Answer>> = [
			{ body: 'not gzip at all', headers: { 'Content-Encoding': 'gzip' } },
			{ body: '{"status": "succ', headers: { 'Content-Type': 'application/json' } },
		];
		for (const answer of broken) {
			const here = await world();
			here.service.gateway = (call, forward) => {
				const { status } = forward(call);
				return isDeploy(call) ? { status, ...answer } : here.service.answer(call);
			};
			const run = await here.run(deployment('deploy', order(), RETRY));
			expect(here.service.machines).toHaveLength(1);
			expect(itemsOf(run)[0]).toMatchObject({ deployment_id: 'dep-1' });
		}
	});
});
