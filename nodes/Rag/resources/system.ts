import type { Resource } from '../../shared/operation/operation';
import { getOne } from '../crud';

/** Health checks of the service (beyond-the-spec.md section 6 "System"). */
export const system: Resource = {
	value: 'system',
	name: 'System',
	operations: [
		getOne('health check', {
			path: '/health',
			value: 'getHealth',
			name: 'Get Health',
			action: 'Get health of service',
			description: 'Check whether the retrieval service is up',
		}),
		getOne('status', {
			path: '/system/status',
			value: 'getStatus',
			name: 'Get Status',
			action: 'Get status of service',
			description: 'Retrieve uptime and load of the retrieval service',
		}),
	],
};
