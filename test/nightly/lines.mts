import { randomUUID } from 'node:crypto';
import type { Sandbox } from '../sandbox/index.mts';
import { secretsFor } from '../e2e/credentials.mts';
import { packageName } from '../e2e/manifest.mts';
import type { Rest } from '../e2e/rest.mts';
import { serve, type Served } from '../e2e/serve.mts';
import { until } from '../e2e/until.mts';
import { connect } from '../e2e/workflow.mts';

const LINES_EVERY_MS = 50;
const LINES_AT_ONCE = 10;

/** There are always some lines to read, but no more than can be sent at the end */
const MOST_WAITING = 1_000;

/** Lines in a batch of the workflow below */
export const BATCH = 50;

/**
 * A container that writes log lines all the time, and a collector to which a workflow with the logs trigger sends each batch:
 * what was written is compared with what has arrived, while n8n or a part of it is killed.
 */
export class Lines {
	readonly written: string[] = [];
	readonly seen = new Set<string>();
	readonly batches: string[][] = [];
	readonly #sandbox: Sandbox;
	readonly #collector: Served;
	readonly #writer: NodeJS.Timeout;

	private constructor(sandbox: Sandbox, collector: Served) {
		this.#sandbox = sandbox;
		this.#collector = collector;
		const log = sandbox.logs.open('d1', 'c1');
		this.#writer = setInterval(() => {
			if (this.written.length - this.seen.size > MOST_WAITING) return;
			const lines = Array.from(
				{ length: LINES_AT_ONCE },
				(_, index) => `line ${this.written.length + index}`,
			);
			this.written.push(...lines);
			log.append('stdout', ...lines);
		}, LINES_EVERY_MS);
	}

	static async begin(sandbox: Sandbox): Promise<Lines> {
		const collector = await serve(({ body }) => {
			lines.#collect(JSON.parse(body) as string[]);
			return { body: {} };
		});
		const lines = new Lines(sandbox, collector);
		return lines;
	}

	/** Creates and activates a workflow that sends each batch here */
	async activate(rest: Rest, options: object = {}): Promise<string> {
		const secrets = secretsFor(this.#sandbox);
		const types = ['computeMarketplaceApi', 'computeMarketplaceTokenApi'];
		const ids: Record<string, string> = {};
		for (const type of types) ids[type] = await rest.createCredential(type, secrets[type] ?? {});
		const trigger = {
			id: randomUUID(),
			name: 'Logs',
			type: `${packageName}.caasLogsTrigger`,
			typeVersion: 1,
			position: [0, 0],
			parameters: {
				deploymentId: { __rl: true, mode: 'id', value: 'd1' },
				containerIds: ['c1'],
				streams: ['stdout'],
				batch: { maxEntries: BATCH, maxWaitMs: 200 },
				options,
			},
			credentials: Object.fromEntries(types.map((name) => [name, { name }])),
		};
		const send = {
			id: randomUUID(),
			name: 'Send',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			position: [220, 0],
			executeOnce: true,
			parameters: {
				method: 'POST',
				url: this.#collector.url,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify($input.all().map((item) => item.json.line)) }}',
			},
		};
		const connections = { Logs: { main: [[{ node: 'Send', type: 'main', index: 0 }]] } };
		const workflowId = await rest.createWorkflow(
			connect({ name: 'Logs', nodes: [trigger, send], connections }, ids),
		);
		await rest.activate(workflowId);
		return workflowId;
	}

	/** Waits until so many new lines have arrived */
	async arrive(count = 1): Promise<void> {
		const wanted = this.seen.size + count;
		await until(`${count} new lines`, () => this.seen.size >= wanted, 120_000);
	}

	/** Waits until more batches than these have arrived */
	async moreThan(batches: number): Promise<void> {
		while (this.batches.length <= batches) await this.arrive();
	}

	/** Lines that came again after the first `count` batches, and whether all of them were of the last of those */
	repeatedSince(count: number): { lines: number; isLastBatch: boolean } {
		const before = new Set(this.batches.slice(0, count).flat());
		const again = this.batches
			.slice(count)
			.flat()
			.filter((line) => before.has(line));
		const last = new Set(this.batches[count - 1]);
		return { lines: again.length, isLastBatch: again.every((line) => last.has(line)) };
	}

	/** Writes no more, and returns what has not arrived when everything has had its time */
	async missing(): Promise<string[]> {
		clearInterval(this.#writer);
		const all = () => this.seen.size >= this.written.length;
		await until('all lines', all, 180_000).catch(() => undefined);
		return this.written.filter((line) => !this.seen.has(line));
	}

	async end(): Promise<void> {
		clearInterval(this.#writer);
		await this.#collector.close();
	}

	#collect(lines: string[]): void {
		this.batches.push(lines);
		lines.forEach((line) => this.seen.add(line));
	}
}
