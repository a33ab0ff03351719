import type { IDataObject } from 'n8n-workflow';
import type { Fixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';

/** The request that buys VMs. */
export const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };

/** What tests of deploys do with the service of a fixture. */
export function deploysOf(fixture: Fixture) {
	const deploy = async (parameters: IDataObject = {}, settings = {}) =>
		await fixture.run(deployment('deploy', deployParameters(parameters), settings));
	const deploysSent = () => fixture.sent('POST', DEPLOY.path);

	return { deploy, deploysSent };
}
