import type { IDataObject } from 'n8n-workflow';
import type { Fixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';
import { DETAILS, LIST } from './ordered.mts';

/** The request that ends a deployment. */
export const DESTROY = { method: 'DELETE', path: /vmaas\/deployment\// };
/** An answer that knows none. */
export const NOTHING = { times: Infinity, status: 404, body: {} };

/** What tests of teardowns do with the service of a fixture. */
export function destroysOf(fixture: Fixture) {
	const deployed = async (name = 'job') =>
		String(
			onlyJson(
				await fixture.run(deployment('deploy', deployParameters({ resourcePrivateName: name }))),
			).deployment_id,
		);
	const destroy = async (deploymentId: unknown, options: IDataObject = {}, settings = {}) =>
		await fixture.run(
			deployment('destroy', { deploymentId: '={{ $json.id }}', options }, settings),
			[{ id: deploymentId as string }],
		);
	const stateOf = (id: string) => fixture.sandbox.books.find(id)?.state;
	/** How long it was waited for, in ms. */
	const looks = () => fixture.time.waits.reduce((sum, ms) => sum + ms, 0);
	/** Nothing shows the deployment after the first look. */
	const forget = (deployments: object[] = []) => {
		fixture.sandbox.faults.add({ match: DETAILS, skip: 1, ...NOTHING });
		const body = { data: { deployments, total: deployments.length } };
		fixture.sandbox.faults.add({ match: LIST, times: Infinity, status: 200, body });
	};
	return { deployed, destroy, stateOf, looks, forget };
}
