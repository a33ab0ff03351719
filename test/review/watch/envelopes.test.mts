import { expect, test } from 'vitest';
import { outputOf } from '../../engine/engine.mts';
import {
	computeTrigger,
	deployment,
	deployParameters,
	locator,
	MARKETPLACE,
	SSH,
	vmaas,
} from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { HOUR, MINUTE, openService, type Answer, type Service } from './service.mts';

/** As the envelope of compute-api.md "Device details envelope" where its status is not `succeeded`. */
const FAILED: Answer = { status: 200, json: { data: null, status: 'failed' } };

const OFFERS: Answer = {
	status: 200,
	json: {
		data: {
			hardware: [
				{ id: 'a', deploy_id: 7, name: 'L4', num_cards: 1, price: 1, location: 'us-west-2' },
			],
		},
	},
};

const PRICE: Answer = {
	status: 200,
	json: { data: { replica_count: 1, gpus_per_vm: 1, total_cost_usdc: 2 } },
};

/** A service with one machine that runs, whose details fail. */
async function failing(answer = FAILED): Promise<Service> {
	const service = await openService();
	service.add('gpu', { createdAt: service.now - HOUR });
	service.odd = ({ path }) =>
		path === '/hardware'
			? OFFERS
			: path === '/price'
				? PRICE
				: path === '/deployment/gpu'
					? answer
					: undefined;
	return service;
}

test('Wait For is not told that a deployment has ended by an envelope that failed', async () => {
	const service = await failing();
	const run = await service.engine.run(
		deployment('waitFor', {
			deploymentId: locator('gpu'),
			waitUntil: 'final',
			pollInterval: 10,
			timeout: 60,
			onTimeout: 'output',
		}),
	);
	const [item] = run.data.resultData.error ? [] : outputOf(run);
	expect(item?.json.reached).not.toBe(true);
});

for (const [how, answer] of [
	['with a 500', { status: 500, json: { detail: 'down' } }],
	['in an envelope', FAILED],
] as const)
	test(`a name is not free because the details of its deployment failed ${how}`, async () => {
		const service = await failing(answer);
		const parameters = deployParameters({ resourcePrivateName: 'gpu' });
		const run = await service.engine.run(deployment('deploy', parameters));
		expect(service.requests).not.toContain('POST /deploy');
		expect(run.data.resultData.error?.message).toMatch(/already exists|could not be read/);
	});

for (const [how, answer] of [
	['with a 500', { status: 500, json: { detail: 'down' } }],
	['in an envelope', FAILED],
] as const)
	test(`Maximum Running Cost counts what runs though its details failed ${how}, or says that it cannot`, async () => {
		const service = await failing(answer);
		service.odd = ((odd) => (request) =>
			request.product === 'caas'
				? { status: 200, json: { data: { deployments: [], total: 0 } } }
				: odd(request))(service.odd);
		const parameters = deployParameters({
			resourcePrivateName: 'second',
			safety: { maxRunningCost: 1.5 },
		});
		const run = await service.engine.run(deployment('deploy', parameters));
		expect(run.data.resultData.error?.message ?? '').toContain('Maximum Running Cost');
		expect(service.requests).not.toContain('POST /deploy');
	});

test('Get Spending does not say that nothing runs because details failed', async () => {
	const service = await failing();
	const run = await service.engine.run(deployment('getSpending', { groupBy: 'none' }));
	const [item] = run.data.resultData.error ? [] : outputOf(run);
	if (item) expect(item.json).toMatchObject({ running: 1, unknown_cost_per_hour: 1 });
});

test('no end is told of a deployment that the list leaves out and whose details failed', async () => {
	const service = await failing();
	const trigger = new PolledTrigger(
		service.engine,
		computeTrigger('deploymentStateChanged', { product: 'vmaas' }),
	);
	await trigger.activate();
	service.get('gpu').listedFrom = Infinity;
	service.add('other', { createdAt: service.now - 24 * HOUR });
	service.advance(5 * MINUTE);
	await trigger.poll();
	expect(trigger.items.filter(({ deployment_id: id }) => id === 'gpu')).toEqual([]);
});

test('Collect does not give up a job because the details of its deployment failed', async () => {
	const service = await failing();
	const run = await service.engine.run(
		vmaas(
			'job',
			'collect',
			{
				deploymentId: locator('gpu'),
				jobId: '0123456789',
				whenFinished: 'destroy',
				ifStillRunning: 'output',
				resultFiles: '',
				options: {},
			},
			{ credentials: { ...MARKETPLACE, ...SSH } },
		),
	);
	const [item] = run.data.resultData.error ? [] : outputOf(run);
	expect(item?.json.state).not.toBe('lost');
});

test('an envelope without data whose status is no success says nothing of the deployment', async () => {
	const service = await openService();
	service.add('gpu', { createdAt: service.now - HOUR });
	service.odd = ({ method, path }) => {
		// The request is taken, and the machine goes on
		if (method === 'DELETE') return { status: 200, json: { status: 'success' } };
		// As the envelope of compute-api.md "Device details envelope" where it is not `succeeded`
		if (path === '/deployment/gpu') return { status: 200, json: { data: null, status: 'failed' } };
		return undefined;
	};
	const run = await service.engine.run(
		deployment('destroy', { deploymentId: locator('gpu'), options: {} }),
	);
	const { error } = run.data.resultData;
	expect(service.get('gpu').status).toBe('running');
	if (!error) expect(outputOf(run)[0]?.json.deleted).not.toBe(true);
});
