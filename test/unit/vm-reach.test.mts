import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { waitFor } from '../../nodes/Vmaas/resources/deployment/waitFor.ts';
import { openVm } from '../../nodes/Vmaas/resources/vm/target.ts';
import { locator } from '../engine/nodes.mts';
import { OWN_KEY } from '../engine/sshKey.mts';
import { DEPLOYMENT, inputOf, jobBench, outcome } from './job-bench.mts';
import { node } from './parameters-form.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

interface Login {
	sshHost: string;
	sshUser: string;
	privateKey: string;
}

const HOST = '192.0.2.1';
const shown = (vm_id: number, more: IDataObject = {}): IDataObject => ({
	vm_id,
	ssh_access: `ubuntu@192.0.2.${vm_id}`,
	status: 'running',
	...more,
});

/** Where logins go to, and how each is answered: `no` for nobody there, `never` for no answer. */
function serversOf(answers: Record<string, Array<'yes' | 'no' | 'never'>> = {}) {
	const logins: Login[] = [];
	const getSSHClient = async (login: Login): Promise<unknown> => {
		logins.push(login);
		const answer = answers[login.sshHost]?.shift() ?? 'yes';
		if (answer === 'never') return await new Promise(() => undefined);
		if (answer === 'no')
			throw Object.assign(new Error('connect ECONNREFUSED'), {
				level: 'client-socket',
				code: 'ECONNREFUSED',
			});
		const nothing = () => undefined;
		return { on: nothing, setNoDelay: nothing, unforwardIn: nothing, destroy: nothing };
	};
	return { logins, getSSHClient };
}

/** What Wait For has seen of these VMs in a minute. */
async function waited(
	workers: IDataObject[],
	{ getSSHClient }: Pick<ReturnType<typeof serversOf>, 'getSSHClient'>,
	{ hasKey = true, timeout = 0 } = {},
) {
	const context = jobBench({
		workers,
		details: { deployment_id: DEPLOYMENT, status: 'running', total_vms: workers.length },
	}).context();
	Object.assign(context.functions.helpers, { getSSHClient });
	if (!hasKey) Object.assign(context.functions, { getNode: () => node });
	const input = inputOf(waitFor, {
		deploymentId: locator(DEPLOYMENT),
		waitUntil: 'ssh',
		pollInterval: 10,
		timeout,
		onTimeout: 'output',
	});
	const result = await outcome(async () => await waitFor.run(context, input));
	if (result instanceof Error) throw result;
	return result[0] as IDataObject;
}

describe('VMs that are waited for', () => {
	it('are reached where the SSH server of each answers', async () => {
		const servers = serversOf();
		expect(await waited([shown(1), shown(2)], servers)).toMatchObject({ reached: true });
		expect(servers.logins.map(({ sshHost }) => sshHost)).toEqual([HOST, '192.0.2.2']);
	});

	it('are not reached where one does not answer', async () => {
		const { reached, missing } = await waited([shown(1)], serversOf({ [HOST]: ['no'] }));
		expect(reached).toBe(false);
		expect(missing).toMatch(/^VM 1 does not answer by SSH: .*192\.0\.2\.1:22/);
		expect(missing).not.toContain('other VMs');
	});

	it('are not reached where several do not answer: the first is told', async () => {
		const servers = serversOf({ [HOST]: ['no'], '192.0.2.3': ['no'] });
		const { reached, missing } = await waited([shown(1), shown(2), shown(3)], servers);
		expect(reached).toBe(false);
		expect(missing).toMatch(/^VM 1 does not .*, and 1 other VMs do not answer$/);
	});

	it('are not reached where one gives no answer until the time is over', async () => {
		const { missing } = await waited([shown(1)], serversOf({ [HOST]: ['never', 'never'] }));
		expect(missing).toBe('VM 1 does not answer by SSH: no answer in time');
	});

	it('are each asked until they have answered once', async () => {
		const servers = serversOf({ '192.0.2.2': ['no', 'no'] });
		const { reached } = await waited([shown(1), shown(2)], servers, { timeout: 60 });
		expect(reached).toBe(true);
		const asked = servers.logins.map(({ sshHost }) => sshHost);
		expect(asked.filter((host) => host === HOST)).toHaveLength(1);
		expect(asked.filter((host) => host === '192.0.2.2')).toHaveLength(3);
	});

	it.each([
		['the key of the credential, so that no login fails', `ubuntu@${HOST}`, true, 'ubuntu', true],
		['a key of this moment where the node has none', `ubuntu@${HOST}`, false, 'ubuntu', false],
		['a key of this moment where no user is known', HOST, true, 'root', false],
	])('are asked with %s', async (_, ssh_access, hasKey, user, isOwn) => {
		const servers = serversOf();
		const { reached } = await waited([shown(1, { ssh_access })], servers, { hasKey });
		expect(reached).toBe(true);
		const [login] = servers.logins;
		expect(login).toMatchObject({ sshHost: HOST, sshUser: user });
		expect(login?.privateKey.trim() === OWN_KEY.privateKey.trim()).toBe(isOwn);
	});
});

describe('the VM on which something is done', () => {
	async function opened(workers: IDataObject[], vmId?: string) {
		const context = { ...jobBench({ workers }).context(), product: VMAAS };
		const target = { deployment: { id: DEPLOYMENT }, vmId };
		return await outcome(async () => await openVm(context, target));
	}

	it('is the only one that has not ended', async () => {
		expect(await opened([shown(1, { status: 'destroyed' }), shown(2)])).toMatchObject({
			label: 'VM 2',
			facts: {
				deployment_id: DEPLOYMENT,
				vm_id: '2',
				ssh_user: 'ubuntu',
				ssh_host: '192.0.2.2',
				ssh_port: 22,
			},
		});
	});

	it.each<[string, IDataObject[], string | undefined, string]>([
		['none shows', [], undefined, 'The deployment shows no VMs (yet)'],
		['none shows yet', [], '7', 'The deployment shows no VMs (yet), and so not 7'],
		['another one is named', [shown(1), shown(2)], '7', 'The deployment has no VM 7. It has 1, 2'],
		[
			'none is named of two',
			[shown(1), shown(2)],
			undefined,
			'The deployment has 2 VMs: choose one of 1, 2',
		],
		[
			'each has ended',
			[shown(1, { status: 'destroyed' })],
			undefined,
			'Every VM of the deployment has ended: 1',
		],
		[
			'it shows neither state nor address',
			[{ vm_id: 1 }],
			undefined,
			'No login to VM 1: it is "unknown", and the service shows no SSH address of it yet',
		],
	])('is not known where %s', async (_, workers, vmId, text) => {
		const error = await opened(workers, vmId);
		if (!(error instanceof Error)) throw new Error('It was opened');
		expect(error.message).toBe(text);
		expect(error.description).toMatch(/Nothing was sent to (a|the) VM\.$/);
	});
});
