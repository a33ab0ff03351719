import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';
import { expect, onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import { outputOf, startEngine, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import { vm as onVm, vmaas, SSH, MARKETPLACE } from '../../engine/nodes.mts';
import { OWN_KEY, sshCredential } from '../../engine/sshKey.mts';
import { toldBy } from '../money/world.mts';
import { Clock } from './clock.mts';
import { Marketplace } from './service.mts';
import type { Habits } from './vm.mts';

export { toldBy };
export const SECRET = 'secret-of-the-environment-4711';

export interface World {
	market: Marketplace;
	habits: Habits;
	clock: Clock;
	engine: Engine;
	/** A line of the ledger is one start of a person's command that writes into it. */
	ledger: string;
	starts(): number;
	run(node: NodeUnderTest, items?: INodeExecutionData[], cancel?: AbortSignal): Promise<IRun>;
	/** Nothing bills, by the books. */
	expectOver(bought?: number): void;
}

let executions = 9_000;

/** A marketplace with machines that behave so, with an n8n before it. */
export async function world(habits: Partial<Habits> = {}): Promise<World> {
	const clock = new Clock();
	const market = new Marketplace(clock);
	const folder = mkdtempSync(join(tmpdir(), 'review-ledger-'));
	onTestFinished(() => {
		// First, since the clock of a test must not be that of the next ones, whatever fails here
		clock.restore();
		market.close();
		rmSync(folder, { recursive: true, force: true });
	});
	await market.books.start();
	Object.assign(market.habits, habits);
	const account = { baseUrl: market.books.url, service: 'svc', apiKey: 'key-of-the-review-jobs-1' };
	const credential = {
		type: 'computeMarketplaceApi',
		data: account,
		account: freshAccount(),
	};
	const engine = await startEngine({
		'compute-marketplace': credential,
		'other-process': credential,
		'compute-ssh': sshCredential(OWN_KEY.privateKey),
	});
	const ledger = join(folder, 'starts');
	return {
		market,
		habits: market.habits,
		clock,
		engine,
		ledger,
		starts() {
			try {
				return readFileSync(ledger, 'utf8').split('\n').length - 1;
			} catch {
				return 0;
			}
		},
		async run(node, items = [{ json: {} }], cancel) {
			const executionId = String(executions++);
			const run = await clock.during(engine.runItems(node, items, { executionId, cancel }));
			expectNoSecret(toldBy(run));
			return run;
		},
		expectOver(bought) {
			expect(market.books.alive().map(({ id }) => id)).toEqual([]);
			if (bought !== undefined) expect(market.books.machines).toHaveLength(bought);
		},
	};
}

export function expectNoSecret(told: string): void {
	expect(told).not.toContain('PRIVATE KEY');
	expect(told).not.toContain(OWN_KEY.privateKey.split('\n')[1]);
	expect(told).not.toContain(SECRET);
}

/** A job, by default of one hour for the cheapest machine. */
export function job(
	operation: 'run' | 'start',
	command: string,
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	const all = {
		command,
		jobKey: 'train',
		durationHours: 1,
		filters: {},
		gpusPerVm: 0,
		maxTries: 2,
		safety: { maxHourlyPrice: 2 },
		inputFields: '',
		...(operation === 'run' && { resultFiles: '' }),
		options: {},
		...parameters,
	};
	return vmaas('job', operation, all, { credentials: { ...MARKETPLACE, ...SSH }, ...settings });
}

export function collect(
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	const all = {
		deploymentId: { __rl: true, mode: 'id', value: '={{ $json.deployment_id }}' },
		jobId: '={{ $json.job_id }}',
		resultFiles: '',
		whenFinished: 'destroy',
		ifStillRunning: 'output',
		options: {},
		...parameters,
	};
	return vmaas('job', 'collect', all, { credentials: { ...MARKETPLACE, ...SSH }, ...settings });
}

/** An operation on the VM of the first deployment. */
export function command(operation: string, parameters: IDataObject = {}): NodeUnderTest {
	const deploymentId = { __rl: true, mode: 'id', value: 'dep-1' };
	return onVm(operation, { deploymentId, vmId: '', options: {}, ...parameters });
}

/** The file that a run has put out in a field. */
export function fileOf(run: IRun, field: string): string {
	const file = outputOf(run)[0]?.binary?.[field];
	if (!file) throw new Error(`There is no file in ${field}`);
	return Buffer.from(file.data, 'base64').toString();
}

/** An item with files. */
export function files(
	contents: Record<string, [name: string, content: Buffer]>,
): INodeExecutionData {
	const binary = Object.entries(contents).map(([field, [fileName, content]]) => [
		field,
		{ data: content.toString('base64'), fileName, mimeType: 'application/octet-stream' },
	]);
	return { json: {}, binary: Object.fromEntries(binary) };
}
