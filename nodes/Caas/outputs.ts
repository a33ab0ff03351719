import {
	deployedOf,
	deploymentOutputs,
	priceOf,
	REPLICAS,
	simplifiedWorkerOf,
	UPDATED,
	waitForOf,
	workerOf,
} from '../marketplace/outputs';
import { CAAS } from '../marketplace/product';
import { item, record, type Fields, type Outputs } from '../shared/operation/output';

const CONTAINER: Fields = { ...workerOf(CAAS), public_url: 'string|null' };

const SIMPLIFIED_CONTAINER = simplifiedWorkerOf(CAAS, 'public_url');

export const outputs: Outputs = {
	deployment: {
		...deploymentOutputs(CAAS),
		deploy: record({ ...deployedOf(CAAS), replica_count: 'number' }),
		update: record(UPDATED),
		waitFor: waitForOf(CAAS, { public_url: 'string', public_urls: ['string'] }),
	},
	container: {
		getAll: record(CONTAINER, SIMPLIFIED_CONTAINER),
		getJobs: record(CONTAINER, SIMPLIFIED_CONTAINER),
	},
	hardware: { getAvailableReplicas: record(REPLICAS) },
	log: {
		getAll: item({
			line: 'string',
			stream: 'string',
			deployment_id: 'string',
			container_id: 'string',
			offset: 'number|null',
			received_at: 'string',
			data: 'object',
			event: 'string',
			truncated: 'boolean',
			broken_off: 'boolean',
		}),
	},
	price: { get: priceOf(CAAS) },
};
