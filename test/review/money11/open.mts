import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import {
	startEngine,
	type Engine,
	type NodeUnderTest,
	type RunOptions,
} from '../../engine/engine.mts';
import { CONTINUE, jobParameters, locator, MARKETPLACE, SSH, vmaas } from '../../engine/nodes.mts';
import { newKey, OWN_KEY, sshCredential } from '../../engine/sshKey.mts';
import { VirtualTime } from '../../engine/virtualTime.mts';
import { HOST, SshServer, USER } from '../../sandbox/compute/sshServer.mts';
import { seenOf, type Seen } from '../seen.mts';
import { Market } from './market.mts';

export interface Opened {
	market: Market;
	engine: Engine;
	time: VirtualTime;
	run(node: NodeUnderTest, items?: IDataObject[], options?: RunOptions): Promise<Seen>;
}

let executions = 0;

/** A market, n8n's engine with an account of it, one clock for both, and two machines for the VMs. */
export async function open(changes: Partial<Market> = {}): Promise<Opened> {
	const market = Object.assign(new Market(), changes);
	await market.listen();
	const servers = [0, 1].map(() => {
		const home = mkdtempSync(path.join(tmpdir(), 'money11-'));
		return new SshServer(home, [OWN_KEY.publicKey]);
	});
	servers.forEach((server) => server.listen());
	market.addresses = () => servers.map(({ port }) => `${USER}@${HOST}:${port}`);
	const time = new VirtualTime(
		market.clock,
		() => market.held,
		() => servers.some(({ isBusy }) => isBusy),
	);
	onTestFinished(async () => {
		time.restore();
		for (const server of servers) {
			server.close();
			rmSync(server.home, { recursive: true, force: true });
		}
		await market.close();
	});
	const engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl: market.url, service: 'svc', apiKey: 'mk-eleventh/review+123=' },
			account: freshAccount(),
		},
		'compute-ssh': sshCredential(OWN_KEY.privateKey),
		'other-ssh': sshCredential(newKey().privateKey),
	});
	const run: Opened['run'] = async (node, items, options) => {
		const executionId = `money11-${executions++}`;
		const start = async () => await engine.run(node, items, { executionId, ...options });
		return await seenOf({ engine, time }, start);
	};
	return { market, engine, time, run };
}

const BOTH = { credentials: { ...MARKETPLACE, ...SSH } };

export const JOB = { jobKey: 'train', options: { waitTimeout: 60 } };

export const runJob = (changes: IDataObject = {}, settings: Partial<NodeUnderTest> = CONTINUE) =>
	vmaas('job', 'run', jobParameters({ ...JOB, ...changes }), { ...BOTH, ...settings });

export const startJob = (changes: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	vmaas('job', 'start', jobParameters({ ...JOB, ...changes }), { ...BOTH, ...settings });

export function collect(
	changes: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	const parameters = {
		deploymentId: locator('={{ $json.deployment_id }}'),
		jobId: '={{ $json.job_id }}',
		resultFiles: '',
		whenFinished: 'destroy',
		ifStillRunning: 'output',
		options: {},
		...changes,
	};
	return vmaas('job', 'collect', parameters, { ...BOTH, ...settings });
}

/** What bills of what was ordered is told, and nothing says beside it that all of a job was seen to end. */
export function untold({ market }: Opened, { all }: Seen): string[] {
	const open = market.billing.map(({ id }) => id);
	const silent = open.filter((id) => !all.includes(id));
	return open.length > 0 && all.includes('"verified":true') ? open : silent;
}
