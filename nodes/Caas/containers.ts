import type { IDataObject } from 'n8n-workflow';
import { limitFields, readLimit } from '../shared/fields';
import type { Operation, Resource } from '../shared/operation';
import { listPages } from '../shared/pages';
import type { Api } from '../shared/request';
import { deploymentIdField } from './fields';
import { CAAS } from './paths';

/** `GET …/deployment/{deployment_id}/containers`, all pages (beyond-the-spec.md section 2). */
export async function listContainers(api: Api, deploymentId: string, limit?: number): Promise<IDataObject[]> {
	return await listPages(api, {
		path: `${CAAS}/deployment/{deployment_id}/containers`,
		params: { deployment_id: deploymentId },
		firstPage: 0,
		entries: (data) => data.workers,
		key: containerIdOf,
	}, limit);
}

export function containerIdOf(container: IDataObject): string | undefined {
	const id = container.container_id;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

const getAll: Operation<{ deploymentId: string; limit?: number }> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many containers',
	description: 'Retrieve the containers of a deployment with state, events and public address',
	effect: 'read',
	fields: [deploymentIdField, ...limitFields],
	input: (form) => ({ deploymentId: form.pathId('deploymentId'), limit: readLimit(form) }),
	async run(call, { deploymentId, limit }) {
		return (await listContainers(call, deploymentId, limit)).map((container) => ({ ...container, deployment_id: deploymentId }));
	},
};

export const container: Resource = { value: 'container', name: 'Container', operations: [getAll] };
