import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, locator, RETRY } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

/** What a deploy reads before it sends, what of that it can do without, and what it returns. */
const fixture = useFixture();

const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };
const LIST = { path: '/vmaas/deployments' };

const deploy = async (parameters: IDataObject = {}, settings = {}) =>
	await fixture.run(deployment('deploy', deployParameters(parameters), settings));
const deploysSent = () => fixture.sent('POST', DEPLOY.path);

describe('what the details show otherwise than it was ordered', () => {
	const show = (data: IDataObject) =>
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /\/deployment\/[^/]+$/ },
			times: Infinity,
			status: 200,
			body: { data },
		});

	it('another name is in the item, beside the one that was asked for', async () => {
		show({ name: 'JOB', status: 'running' });
		expect(onlyJson(await deploy())).toMatchObject({
			resource_private_name: 'JOB',
			requested_name: 'job',
		});
	});

	it('another size, or other hours, are told in a hint', async () => {
		show({
			name: 'job',
			status: 'running',
			gpus_per_vm: 4,
			compute_minutes_served: 1,
			compute_minutes_remaining: 59,
		});
		const item = onlyJson(await deploy({ durationHours: 5 }));
		expect(item.hint).toContain('another deployment than ordered: gpus_per_vm 4 instead of 1');
		expect(item.hint).toContain('60 minutes instead of 300');
	});
});

describe('If Name Exists is checked first', () => {
	const safety = { ifNameExists: 'useExisting', maxPrice: 0.01 };

	it('the existing one is returned whatever its hardware and price are now', async () => {
		const { deployment_id: id } = onlyJson(await deploy());
		expect(onlyJson(await deploy({ safety }))).toMatchObject({ deployment_id: id, existing: true });
		expect(onlyJson(await deploy({ safety, hardwareId: locator(999) }))).toMatchObject({
			deployment_id: id,
			existing: true,
			hint: 'It has hardware 7, and 999 is ordered.',
		});
		expect(fixture.sent('GET', /price$/)).toHaveLength(0);
	});

	it('one that is not ending is preferred', async () => {
		const older = onlyJson(await deploy());
		const newer = onlyJson(await deploy({ safety: { ifNameExists: 'deploy' } }));
		await fixture.run(deployment('destroy', { deploymentId: newer.deployment_id }));
		expect(onlyJson(await deploy({ safety: { ifNameExists: 'useExisting' } }))).toMatchObject({
			deployment_id: older.deployment_id,
			existing: true,
		});
	});

	it('a dry run: the same error, the same item', async () => {
		const { deployment_id: id } = onlyJson(await deploy());
		const real = errorOf(await deploy());
		const dry = errorOf(await deploy({ safety: { dryRun: true } }));
		expect([dry.message, dry.description, dry.context.known]).toEqual([
			real.message,
			real.description,
			real.context.known,
		]);
		expect(
			onlyJson(await deploy({ safety: { ifNameExists: 'useExisting', dryRun: true } })),
		).toMatchObject({ deployment_id: id, existing: true, dry_run: true });
		expect(deploysSent()).toHaveLength(1);
	});
});

describe('what cannot be read before a deploy', () => {
	it.each([
		['The list of deployments', '/vmaas/deployments', {}],
		['The list of deployments', '/vmaas/deployments', { dryRun: true }],
		['The hardware list', '/vmaas/hardware', {}],
		['The price', '/vmaas/price', { maxPrice: 10 }],
	])('%s (%s, %j): an error with the name, and nothing is deployed', async (what, path, safety) => {
		fixture.sandbox.faults.add({ match: { path }, times: Infinity, ...errorForms.empty(500) });
		const error = errorOf(await deploy({ safety }));
		expect(error.message).toBe(`${what} could not be read: Server error (500)`);
		expect(error.description).toContain('Nothing was deployed.');
		expect(error.context.known).toEqual({ resource_private_name: 'job' });
		expect(deploysSent()).toHaveLength(0);
	});

	it('hardware that is not on offer: an error with the name, and nothing is deployed', async () => {
		const error = errorOf(await deploy({ hardwareId: locator(999) }));
		expect(error.message).toBe(
			'Hardware 999 is not on offer now, so GPUs per VM cannot be taken from it',
		);
		expect(error.description).toContain('Nothing was deployed.');
		expect(error.context.known).toEqual({ resource_private_name: 'job', hardware_id: 999 });
	});

	it.each([
		['is not there', { status: 404, body: {} }],
		['fails', errorForms.empty(503)],
	])('a list that %s does not stop a deploy that does not need it', async (_, fault) => {
		fixture.sandbox.faults.add({ match: LIST, times: Infinity, ...fault });
		expect(errorOf(await deploy()).message).toContain('The list of deployments could not be read');
		expect(errorOf(await deploy({ safety: { ifNameExists: 'useExisting' } })).message).toContain(
			'The list of deployments could not be read',
		);
		expect(onlyJson(await deploy({ safety: { ifNameExists: 'deploy' } })).deployment_id).toBe(
			fixture.sandbox.books.deployments[0]?.id,
		);
		expect(onlyJson(await deploy({ safety: { uniqueName: true } })).deployment_id).toBe(
			fixture.sandbox.books.deployments[1]?.id,
		);
	});

	/** The three tries of the first look fail; later ones find the list. */
	const listFailsFirst = () =>
		fixture.sandbox.faults.add({ match: LIST, times: 3, ...errorForms.empty(503) });

	it.each([
		// Another execution of this process has bought the older one
		['before', 'it is not in the list of deployments'],
		['after', 'cannot be told from others of its name'],
	] as const)(
		'a lost answer (dropped %s the work) without the list: an older deployment is not taken for the new one',
		async (drop, problem) => {
			await deploy();
			listFailsFirst();
			fixture.sandbox.faults.add({ match: DEPLOY, drop });
			const error = errorOf(await deploy({ safety: { ifNameExists: 'deploy' } }, RETRY));
			expect(error.message).toContain('Deploy of "job": outcome unknown.');
			expect(error.message).toContain(problem);
			expect(error.context.known).toEqual({
				resource_private_name: 'job',
				deployment_id: null,
				outcome: 'unknown',
			});
			expect(deploysSent()).toHaveLength(2);
		},
	);

	it('a 2xx without an ID and without the list: a success without an ID', async () => {
		await deploy();
		listFailsFirst();
		fixture.sandbox.faults.add({ match: DEPLOY, emptyBody: true });
		const output = onlyJson(await deploy({ safety: { ifNameExists: 'deploy' } }));
		expect(output).toMatchObject({
			deployment_id: null,
			resource_private_name: 'job',
			hint: expect.stringContaining('cannot be told from others of its name'),
		});
	});

	it('a unique name identifies the deployment', async () => {
		listFailsFirst();
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'after' });
		expect(onlyJson(await deploy({ safety: { uniqueName: true } }))).toMatchObject({
			recovered: true,
			deployment_id: fixture.sandbox.books.deployments[0]?.id,
		});
	});
});

describe('the response to a deploy', () => {
	it.each([
		['flat', { deployment_id: 'd-1', status: 'queued', region: { iso2: 'FI' }, note: null }],
		[
			'in an envelope',
			{ data: { id: 'd-1', status: 'queued', region: { iso2: 'FI' }, note: null } },
		],
	])('%s: its fields are kept, the ID as deployment_id', async (_, body) => {
		fixture.sandbox.faults.add({ match: DEPLOY, status: 201, body });
		expect(onlyJson(await deploy())).toMatchObject({
			deployment_id: 'd-1',
			status: 'queued',
			region: { iso2: 'FI' },
			note: null,
			resource_private_name: 'job',
			hardware_id: 7,
			duration_hours: 2,
		});
	});

	it('without an ID: kept beside what reconciliation found', async () => {
		fixture.sandbox.faults.add({
			match: DEPLOY,
			status: 202,
			body: { ticket: 'T-7' },
			afterWork: true,
		});
		expect(onlyJson(await deploy())).toMatchObject({
			ticket: 'T-7',
			deployment_id: fixture.sandbox.books.deployments[0]?.id,
		});
	});

	it.each([['full'], [''], [0], [{ code: 1 }]])(
		'an error field (%j) does not make n8n deploy again',
		async (error) => {
			fixture.sandbox.faults.add({
				match: DEPLOY,
				status: 200,
				body: { deployment_id: 'd-1', error },
				afterWork: true,
			});
			const output = onlyJson(await deploy({}, { ...RETRY, onError: 'continueRegularOutput' }));
			// It may be a refusal: the list tells
			const found = fixture.sandbox.books.deployments[0]?.id;
			expect(output).toMatchObject({ deployment_id: error ? found : 'd-1' });
			expect(output).not.toHaveProperty('error');
			expect(deploysSent()).toHaveLength(1);
		},
	);

	it('an error field that is null is kept', async () => {
		fixture.sandbox.faults.add({
			match: DEPLOY,
			status: 200,
			body: { deployment_id: 'd-1', error: null },
		});
		expect(onlyJson(await deploy())).toMatchObject({ deployment_id: 'd-1', error: null });
	});
});

it.each([[''], [undefined], ['={{ "" }}'], [0]])(
	'GPUs per VM %j: num_cards of the hardware',
	async (gpusPerVm) => {
		onlyJson(await deploy({ gpusPerVm, hardwareId: locator(15) }));
		expect(deploysSent()[0]?.body).toMatchObject({ gpus_per_vm: 4 });
	},
);

it('GPUs per VM 0: num_cards of the hardware in this location', async () => {
	const [first, second] = fixture.sandbox.hardware.filter(({ deploy_id: id }) => id === 7);
	Object.assign(second ?? {}, { num_cards: 2 });
	// The sandbox knows one number for all locations, and refuses it
	await deploy({ gpusPerVm: 0, hardwareId: locator(7), locationId: locator(second?.location) });
	expect(first?.num_cards).not.toBe(2);
	expect(deploysSent()[0]?.body).toMatchObject({ gpus_per_vm: 2 });
});
