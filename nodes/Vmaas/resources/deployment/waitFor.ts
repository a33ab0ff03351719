import type { IDataObject } from 'n8n-workflow';
import { waitFor as waitForProduct } from '../../../marketplace/operations/waitFor';
import { VMAAS, type ProductContext } from '../../../marketplace/product';
import { workersShown } from '../../../marketplace/workers';
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
	look: lookAtVms,
});

/** Looks like `user@ip` (beyond-the-spec.md section 1 "VMs of a deployment"), and not like `pending`. */
const SSH_ADDRESS = /[^\s@][.:][^\s@]/;

/** Whether every VM is listed and has an SSH address; those that have ended or were replaced need none. */
async function lookAtVms(
	context: ProductContext,
	deploymentId: string,
	details: IDataObject,
): Promise<{ missing: string } | { reached: IDataObject }> {
	const count = numberOf(details.total_vms) ?? 1;
	const { listed, present: vms } = await workersShown(
		async () => await listVms(context, deploymentId),
	);
	if (listed.length < count || vms.length === 0)
		return { missing: `${listed.length} of ${count} VMs are listed` };
	const waiting = vms.filter(
		(vm) => typeof vm.ssh_access !== 'string' || !SSH_ADDRESS.test(vm.ssh_access),
	);
	return waiting.length === 0
		? { reached: {} }
		: { missing: `${waiting.length} VMs have no SSH address yet` };
}
