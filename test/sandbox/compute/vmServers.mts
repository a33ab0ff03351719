import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import type { Deployment } from './deployment.mts';
import { HOST, SshServer } from './sshServer.mts';
import { workerIds } from './views.mts';

/**
 * The VMs of a sandbox that is made with `ssh: true`: each that runs has an SSH server on a free port of the loopback address,
 * from the first time that its address is asked for. It dies with the VM, and with it what its commands have left.
 */
export class VmServers {
	private readonly servers = new Map<string, SshServer>();

	/** Starts the servers of a deployment that runs. */
	async open(deployment: Deployment): Promise<void> {
		if (deployment.order.kind !== 'vmaas' || deployment.state !== 'running') return;
		for (const id of workerIds(deployment)) {
			if (this.servers.has(id)) continue;
			const home = mkdtempSync(path.join(os.tmpdir(), 'sandbox-vm-'));
			const server = new SshServer(home, Object.values(keysOf(deployment)));
			this.servers.set(id, server);
			server.listen();
			await once(server.listener, 'listening');
		}
	}

	/** The address of a VM, if it runs and somebody has asked for it. */
	addressOf(vmId: string): { host: string; port: number } | undefined {
		const port = this.servers.get(vmId)?.port;
		return port === undefined ? undefined : { host: HOST, port };
	}

	/** The folder that is the home of a VM's user. */
	homeOf(vmId: string): string | undefined {
		return this.servers.get(vmId)?.home;
	}

	/** Bytes that a VM has sent over the connections which are open. */
	bytesSent(vmId: string): number {
		return this.servers.get(vmId)?.bytesSent ?? 0;
	}

	/** Whether anything is on its way between a VM and its clients, or a command runs: for a clock that waits for it. */
	isBusy = (): boolean => {
		let isBusy = false;
		for (const server of this.servers.values()) isBusy = server.isBusy || isBusy;
		return isBusy;
	};

	/** Cuts the connections of a VM, as a network does; new ones are accepted. */
	cut(vmId: string): void {
		this.servers.get(vmId)?.cut();
	}

	/** Ends the VMs of a deployment. */
	close(deployment: Deployment): void {
		workerIds(deployment).forEach((id) => this.end(id));
	}

	closeAll(): void {
		[...this.servers.keys()].forEach((id) => this.end(id));
	}

	private end(id: string): void {
		const server = this.servers.get(id);
		if (!server) return;
		this.servers.delete(id);
		server.close();
		rmSync(server.home, { recursive: true, force: true, maxRetries: 5 });
	}
}

function keysOf({ order }: Deployment): Record<string, unknown> {
	const keys = order.request.ssh_keys;
	return typeof keys === 'object' && keys !== null ? (keys as Record<string, unknown>) : {};
}
