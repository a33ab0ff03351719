import type { IDataObject } from 'n8n-workflow';
import { waitFor as waitForProduct } from '../../../marketplace/operations/waitFor';
import { VMAAS, type ProductContext } from '../../../marketplace/product';
import { hasSshCredential, loginOf, readSshAccess, sshCredential } from '../../../marketplace/ssh';
import { workersShown } from '../../../marketplace/workers';
import { numberOf } from '../../../shared/numbers';
import { saysBanner } from '../../../shared/ssh';
import { listVms, vmIdOf } from '../vm/list';

export const waitFor = waitForProduct(VMAAS, {
	option: {
		name: 'Running and Reachable by SSH',
		value: 'ssh',
		description: 'The SSH server of every VM answers',
	},
	fields: [],
	read: () => undefined,
	look: lookAtVms,
});

/** Whether the SSH server of every VM answers; those that have ended or were replaced need none. */
async function lookAtVms(
	context: ProductContext,
	deploymentId: string,
	details: IDataObject,
): Promise<{ missing: string } | { reached: IDataObject }> {
	const count = numberOf(details.total_vms) || 1;
	const { listed, present: vms } = await workersShown(
		async () => await listVms(context, deploymentId),
	);
	if (listed.length < count) return { missing: `${listed.length} of ${count} VMs are listed` };
	if (vms.length === 0) return { missing: 'every VM that is listed has ended or was replaced' };
	const addresses = vms.map((vm) => ({ vm, access: readSshAccess(vm) }));
	const waiting = addresses.filter(({ access }) => !access);
	if (waiting.length > 0) return { missing: `${waiting.length} VMs have no SSH address yet` };
	const problems: string[] = [];
	for (let start = 0; start < vms.length; start += AT_ONCE)
		problems.push(
			...(
				await Promise.all(
					vms.slice(start, start + AT_ONCE).map(async (vm) => await problemOf(context, vm)),
				)
			).filter((problem) => problem !== undefined),
		);
	const [first] = problems;
	if (first === undefined) return { reached: {} };
	const others = problems.length > 1 ? `, and ${problems.length - 1} other VMs do not answer` : '';
	return { missing: `${first}${others}` };
}

/** VMs that are asked at the same time. */
const AT_ONCE = 10;

/**
 * In words, why the SSH server of a VM does not answer; undefined where it has. Each is asked until it has answered once: a
 * stranger who comes again and again would be locked out by some servers.
 */
async function problemOf(context: ProductContext, vm: IDataObject): Promise<string | undefined> {
	const { ssh_user: user = 'root', ssh_host: host, ssh_port: port } = readSshAccess(vm)!;
	const label = `VM ${vmIdOf(vm)}`;
	const seen = await context.once('SSH servers that have answered', async () => new Set<string>());
	const key = JSON.stringify([host, port]);
	if (seen.has(key)) return undefined;
	const login = hasSshCredential(context) ? loginOf(vm, await sshCredential(context)) : undefined;
	const signal = context.signal ?? new AbortController().signal;
	const { reachable, problem } = await saysBanner(
		context.functions,
		{ host, port, username: user },
		typeof login === 'string' ? undefined : login,
		signal,
	);
	if (!reachable)
		return `${label} does not answer by SSH: ${signal.aborted ? 'no answer in time' : problem}`;
	seen.add(key);
	return undefined;
}
