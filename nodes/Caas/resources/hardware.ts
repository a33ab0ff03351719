import type { Operation, Resource } from '../../shared/operation/operation';
import { containerHardwareField, gpusPerContainerField, readHardwareId } from '../placement';
import { listAvailableReplicas } from '../replicas';

const getAvailableReplicas: Operation<{ hardwareId: number; hardwareQty: number }> = {
	value: 'getAvailableReplicas',
	name: 'Get Available Replicas',
	action: 'Get available replicas',
	description: 'Retrieve how many containers of a size each location has room for now',
	effect: 'read',
	fields: [containerHardwareField, { ...gpusPerContainerField, name: 'hardwareQty' }],
	input: (parameters) => ({
		hardwareId: readHardwareId(parameters),
		hardwareQty: parameters.integer('hardwareQty', { min: 1 }),
	}),
	async run(context, { hardwareId, hardwareQty }) {
		const locations = await listAvailableReplicas(context, hardwareId, hardwareQty);
		return locations.map((location) => ({ ...location, hardware_id: hardwareId }));
	},
};

export const hardware: Resource = {
	value: 'hardware',
	name: 'Hardware',
	operations: [getAvailableReplicas],
};
