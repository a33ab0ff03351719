import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { isAbsent } from '../../../marketplace/deployments';
import { waitFor as waitForProduct } from '../../../marketplace/operations/waitFor';
import { VMAAS, type ProductContext } from '../../../marketplace/product';
import { isSameStatus, stateOf } from '../../../marketplace/state';
import { numberOf } from '../../../shared/numbers';
import { listVms } from '../vm';

export const waitFor = waitForProduct(VMAAS, {
	option: {
		name: 'Running and Reachable by SSH',
		value: 'ssh',
		description: 'Every VM has an SSH address',
	},
	fields: [],
	read: () => undefined,
	missing: addresslessVms,
});

/** Looks like `user@ip` (beyond-the-spec.md section 1 "VMs of a deployment"), and not like `pending`. */
const SSH_ADDRESS = /[^\s@][.:][^\s@]/;

/** Whether a VM is not listed or has no SSH address, in words; those that have ended or were replaced need none. */
async function addresslessVms(
	context: ProductContext,
	deploymentId: string,
	details: IDataObject,
): Promise<string | undefined> {
	const count = numberOf(details.total_vms) ?? 1;
	const listed = await listVms(context, deploymentId).catch((error: NodeApiError) => {
		// They may be too young to show
		if (isAbsent(error)) return [];
		throw error;
	});
	const vms = listed.filter(
		({ status }) =>
			stateOf(status) !== 'ended' &&
			stateOf(status) !== 'ending' &&
			!isSameStatus(status, 'replaced'),
	);
	if (listed.length < count || vms.length === 0)
		return `${listed.length} of ${count} VMs are listed`;
	const waiting = vms.filter(
		(vm) => typeof vm.ssh_access !== 'string' || !SSH_ADDRESS.test(vm.ssh_access),
	);
	return waiting.length === 0 ? undefined : `${waiting.length} VMs have no SSH address yet`;
}
