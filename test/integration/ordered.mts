import type { IDataObject } from 'n8n-workflow';
import { beforeEach } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';

/** What shows a deployment. */
export const DETAILS = { method: 'GET', path: /vmaas\/deployment\/[^/]+$/ };
/** What shows them all. */
export const LIST = { path: '/vmaas/deployments' };
/** The list, read once, as a copy of the service tells it that has none of the deployments. */
export const EMPTY_COPY = {
	match: LIST,
	times: 2,
	status: 200,
	body: { data: { deployments: [] } },
};

/** A service with VMs that take SSH, where every test finds one deployment that was ordered just now. */
export function useOrdered() {
	const fixture = useFixture({ ssh: true, firstPage: 1, refusesPageBelowFirst: true });

	let deploymentId: string;

	beforeEach(async () => {
		deploymentId = String(
			onlyJson(await fixture.run(deployment('deploy', deployParameters()))).deployment_id,
		);
		fixture.sandbox.requests.length = 0;
	});

	const waitFor = async (parameters: IDataObject = {}) =>
		await fixture.run(
			deployment('waitFor', {
				deploymentId,
				waitUntil: 'running',
				pollInterval: 10,
				timeout: 600,
				onTimeout: 'error',
				...parameters,
			}),
		);

	return {
		fixture,
		waitFor,
		get deploymentId() {
			return deploymentId;
		},
	};
}
