import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { deploymentField } from '../../../marketplace/fields';
import type { ProductContext } from '../../../marketplace/product';
import {
	factsOf,
	readReference,
	resolveDeployment,
	type Reference,
} from '../../../marketplace/references';
import { loginOf, sshCredential } from '../../../marketplace/ssh';
import { workersShown } from '../../../marketplace/workers';
import { locatorField } from '../../../shared/fields';
import { contextError } from '../../../shared/operation/context';
import type { Parameters } from '../../../shared/operation/parameters';
import type { SshLogin } from '../../../shared/ssh';
import { listVms, vmIdOf } from './list';

/** The VM on which something is done over SSH, as the form names it. */
export interface Target {
	deployment: Reference;
	/** Absent where it is the only one of the deployment. */
	vmId?: string;
}

/** A VM of the deployment that the form names. */
export function vmField(description: string, placeholder: string): INodeProperties {
	return locatorField({
		displayName: 'VM',
		name: 'vmId',
		description,
		placeholder,
		searchListMethod: 'searchVms',
		idPlaceholder: 'e.g. 0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35',
		idHint: 'The vm_id that VM > Get Many returns',
		dependsOn: ['deploymentId.value'],
	});
}

export const targetFields: INodeProperties[] = [
	deploymentField,
	{
		...vmField(
			'One of the VMs of the deployment. Leave empty if it has only one.',
			'The only VM of the deployment',
		),
		required: false,
	},
];

/** Reads the fields of {@link targetFields}. */
export function readTarget(parameters: Parameters): Target {
	return {
		deployment: readReference(parameters),
		...(parameters.has('vmId') && { vmId: parameters.pathId('vmId') }),
	};
}

/** A VM that takes logins. */
export interface OpenVm {
	login: SshLogin;
	/** What output and errors say of it: IDs, host, port and user. */
	facts: IDataObject;
	/** For messages. */
	label: string;
}

/**
 * Finds the VM and how to log in to it.
 * @throws where it cannot be told which one is meant, or it does not take logins (yet); nothing was sent to it
 */
export async function openVm(context: ProductContext, target: Target): Promise<OpenVm> {
	Object.assign(context.known, factsOf(target.deployment));
	const credential = await sshCredential(context);
	const deploymentId = await resolveDeployment(context, target.deployment);
	Object.assign(context.known, factsOf({ id: deploymentId }));
	const { listed, present } = await workersShown(async () => await listVms(context, deploymentId));
	const vm = chosen(context, target.vmId, listed, present);
	const vmId = vmIdOf(vm)!;
	Object.assign(context.known, { vm_id: vmId });
	const label = `VM ${vmId}`;
	const login = loginOf(vm, credential);
	if (typeof login === 'string')
		throw contextError(context, {
			message: `No login to ${label}: it is "${String(vm.status ?? 'unknown')}", and ${login}`,
			description:
				'Put Deployment > Wait For (Running and Reachable by SSH) before this node. Nothing was sent to the VM.',
		});
	const { host, port, username } = login;
	const facts = {
		deployment_id: deploymentId,
		vm_id: vmId,
		ssh_user: username,
		ssh_host: host,
		ssh_port: port,
	};
	Object.assign(context.known, facts);
	return { login, facts, label };
}

function chosen(
	context: ProductContext,
	vmId: string | undefined,
	listed: IDataObject[],
	present: IDataObject[],
): IDataObject {
	const names = (vms: IDataObject[]) => vms.map(vmIdOf).join(', ');
	const fail = (message: string): never => {
		throw contextError(context, { message, description: 'Nothing was sent to a VM.' });
	};
	if (vmId !== undefined)
		return (
			listed.find((vm) => vmIdOf(vm) === vmId) ??
			fail(
				listed.length === 0
					? `The deployment shows no VMs (yet), and so not ${vmId}`
					: `The deployment has no VM ${vmId}. It has ${names(listed)}`,
			)
		);
	const [only] = present;
	if (present.length > 1)
		fail(`The deployment has ${present.length} VMs: choose one of ${names(present)}`);
	return (
		only ??
		fail(
			listed.length === 0
				? 'The deployment shows no VMs (yet)'
				: `Every VM of the deployment has ended: ${names(listed)}`,
		)
	);
}
