import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { OWN_KEY } from '../../engine/sshKey.mts';
import { HOST, SshServer, USER } from '../../sandbox/compute/sshServer.mts';
import type { Deployment, Json, Service } from './service.mts';
import { stage, type Stage } from './stage.mts';

/** VMs that answer over SSH: all of them are this machine, in a folder of the test. */
export async function withVms(changes: Partial<Service> = {}): Promise<Stage> {
	const home = mkdtempSync(path.join(tmpdir(), 'money7-'));
	const server = new SshServer(home, [OWN_KEY.publicKey]);
	server.listen();
	onTestFinished(() => {
		server.close();
		rmSync(home, { recursive: true, force: true });
	});
	const workers = ({ id }: Deployment): Json[] => [
		{ vm_id: `vm-${id}`, status: 'running', ssh_access: `${USER}@${HOST}:${server.port}` },
	];
	return await stage({ workers, ...changes }, () => server.isBusy);
}

/** The second of two that one deploy has made shows in the list so many milliseconds after it was made. */
export function hideSecond(service: Service, lagMs: number): void {
	const { list } = service;
	service.list = (entries, call) => {
		const [, second] = service.own;
		const isHidden = second && service.clock.now() < second.madeAt + lagMs;
		return list(isHidden ? entries.filter(({ id }) => id !== second.id) : entries, call);
	};
}
