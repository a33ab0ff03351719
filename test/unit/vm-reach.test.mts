import { setImmediate } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import type { Reference } from '../../nodes/marketplace/references.ts';
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
	{ hasKey = true, timeout = 0, total_vms = workers.length as number | null } = {},
) {
	const context = jobBench({
		workers,
		details: { deployment_id: DEPLOYMENT, status: 'running', total_vms },
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

	it.each<[string, IDataObject[], number | null, string]>([
		['not all of them are listed', [shown(1)], 3, '1 of 3 VMs are listed'],
		['none is listed yet', [], null, '0 of 1 VMs are listed'],
		['none is listed or counted yet', [], 0, '0 of 1 VMs are listed'],
		[
			'each that is listed has ended or was replaced',
			[shown(1, { status: 'destroyed' }), shown(2, { status: 'replaced' })],
			2,
			'every VM that is listed has ended or was replaced',
		],
		[
			'some have no address',
			[shown(1), shown(2, { ssh_access: null }), shown(3, { ssh_access: '' })],
			3,
			'2 VMs have no SSH address yet',
		],
	])('are not reached, and not asked, where %s', async (_, workers, total_vms, missing) => {
		const servers = serversOf();
		const item = await waited(workers, servers, { total_vms });
		expect(item).toMatchObject({ reached: false, missing });
		expect(servers.logins).toEqual([]);
	});

	it('are reached where one that has ended is left out, and the others are one at least', async () => {
		const servers = serversOf();
		const workers = [shown(1, { status: 'destroyed' }), shown(2)];
		expect(await waited(workers, servers, { total_vms: null })).toMatchObject({ reached: true });
		expect(servers.logins.map(({ sshHost }) => sshHost)).toEqual(['192.0.2.2']);
	});

	it('are asked ten at the same time', async () => {
		const { getSSHClient } = serversOf();
		let most = 0;
		let open = 0;
		const counted = async (login: Login) => {
			most = Math.max(most, ++open);
			await setImmediate();
			open--;
			return await getSSHClient(login);
		};
		const workers = Array.from({ length: 21 }, (_, index) => shown(index + 1));
		const item = await waited(workers, { getSSHClient: counted });
		expect(item).toMatchObject({ reached: true });
		expect(most).toBe(10);
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
	async function opened(workers: IDataObject[], vmId?: string, deployment?: Reference) {
		const context = { ...jobBench({ workers }).context(), product: VMAAS };
		const target = { deployment: deployment ?? { id: DEPLOYMENT }, vmId };
		const result = await outcome(async () => await openVm(context, target));
		return { result, known: context.known };
	}

	const factsOf = (vm_id: string, ssh_host: string) => ({
		...{ deployment_id: DEPLOYMENT, vm_id, ssh_user: 'ubuntu', ssh_host, ssh_port: 22 },
	});

	it('is the only one that has not ended', async () => {
		const { result, known } = await opened([shown(1, { status: 'destroyed' }), shown(2)]);
		const facts = factsOf('2', '192.0.2.2');
		expect(result).toMatchObject({ label: 'VM 2', facts });
		expect(known).toEqual(facts);
	});

	it('is the one that is named, also one that ends', async () => {
		const workers = [shown(1), shown(2, { status: 'terminating' }), shown(3)];
		expect((await opened(workers, '2')).result).toMatchObject({
			label: 'VM 2',
			facts: factsOf('2', '192.0.2.2'),
			login: { host: '192.0.2.2', port: 22, username: 'ubuntu' },
		});
	});

	it('may be that of a deployment that is known by its name', async () => {
		const { known } = await opened([shown(1)], undefined, { name: 'train-start-0' });
		expect(known).toEqual({ resource_private_name: 'train-start-0', ...factsOf('1', HOST) });
	});

	it('has an ID always: a list without one is not read', async () => {
		const { result, known } = await opened([shown(1, { vm_id: undefined })]);
		expect(result).toMatchObject({
			message: 'An entry of the list has no ID that is known; it has ssh_access, status',
		});
		expect(known).toEqual({ deployment_id: DEPLOYMENT });
	});

	it('is told in errors as far as it is known', async () => {
		const { known } = await opened([shown(1, { ssh_access: 'x' })], undefined, {
			name: 'train-start-0',
		});
		expect(known).toEqual({
			...{ resource_private_name: 'train-start-0', deployment_id: DEPLOYMENT, vm_id: '1' },
		});
		expect((await opened([])).known).toEqual({ deployment_id: DEPLOYMENT });
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
		const { result: error } = await opened(workers, vmId);
		if (!(error instanceof Error)) throw new Error('It was opened');
		expect(error.message).toBe(text);
		expect(error.description).toMatch(/Nothing was sent to (a|the) VM\.$/);
	});
});
