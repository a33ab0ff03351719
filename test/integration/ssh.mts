import type { IDataObject } from 'n8n-workflow';
import type { Fixture } from '../engine/fixture.mts';
import { OWN_KEY } from '../engine/sshKey.mts';
import { at } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';

/** A deployment that runs, with the VMs that it shows. */
export interface RunningVms {
	deploymentId: string;
	vmIds: string[];
	/** The only one, or the first. */
	vmId: string;
	/** A locator of the deployment by its ID. */
	deployment: IDataObject;
}

/** Deploys VMs that the SSH credential of the tests may log in to, and waits until they run. */
export async function runningVms(
	{ client, sandbox }: Fixture,
	body: IDataObject = {},
): Promise<RunningVms> {
	const { json } = await client.post('/deploy', {
		...sampleDeploy,
		ssh_keys: { n8n: OWN_KEY.publicKey },
		...body,
	});
	const deploymentId = String(at(json, 'deployment_id'));
	sandbox.clock.advance(60_000);
	const { json: list } = await client.get(`/deployment/${deploymentId}/vms`);
	const workers = at(list, 'data', 'workers') as Array<{ vm_id: string }>;
	const vmIds = workers.map(({ vm_id: id }) => id);
	return {
		deploymentId,
		vmIds,
		vmId: String(vmIds[0]),
		deployment: { __rl: true, mode: 'id', value: deploymentId },
	};
}
