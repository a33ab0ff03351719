import type { IDataObject } from 'n8n-workflow';
import { beforeEach, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';
import { at } from '../sandbox/testing/client.mts';

const VMS = 12;

const fixture = useFixture({ ssh: true });
let deploymentId: string;
/** The VMs of the deployment as the service shows them. */
let shown: IDataObject[];

beforeEach(async () => {
	const parameters = deployParameters({ additionalFields: { vmsQty: VMS } });
	deploymentId = String(
		onlyJson(await fixture.run(deployment('deploy', parameters))).deployment_id,
	);
	fixture.sandbox.clock.advance(60_000);
	const { json } = await fixture.client.get(`/deployment/${deploymentId}/vms`);
	shown = at(json, 'data', 'workers') as IDataObject[];
});

/** Waits until all answer by SSH; the service shows these. */
const waitFor = async (workers: IDataObject[]) => {
	const match = { path: /\/vms$/ };
	fixture.sandbox.faults.add({ match, times: Infinity, status: 200, body: { data: { workers } } });
	const parameters = { deploymentId, waitUntil: 'ssh', pollInterval: 10, timeout: 30 };
	return onlyJson(await fixture.run(deployment('waitFor', { ...parameters, onTimeout: 'output' })));
};

it('all of them', async () => {
	expect(await waitFor(shown)).toMatchObject({ reached: true, total_vms: VMS });
});

it('some that are not listed yet', async () => {
	expect(await waitFor(shown.slice(0, 3))).toMatchObject({
		reached: false,
		missing: '3 of 12 VMs are listed',
	});
});

it('some without an address', async () => {
	const workers = shown.map((vm, index) => (index < 2 ? { ...vm, ssh_access: null } : vm));
	expect(await waitFor(workers)).toMatchObject({
		reached: false,
		missing: '2 VMs have no SSH address yet',
	});
});

it('some that do not answer: the first is named, and how many others there are', async () => {
	// Nobody listens there
	const ssh_access = 'ssh -p 1 ubuntu@127.0.0.1';
	const workers = shown.map((vm, index) => (index < 9 ? vm : { ...vm, ssh_access }));
	expect(await waitFor(workers)).toMatchObject({
		reached: false,
		missing: expect.stringMatching(
			/^VM \S+ does not answer by SSH: .*, and 2 other VMs do not answer$/,
		),
	});
});
