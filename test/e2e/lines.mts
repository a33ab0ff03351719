import { randomUUID } from 'node:crypto';
import type { Sandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { packageName } from './manifest.mts';
import type { Rest } from './rest.mts';
import { serve, type Served } from './serve.mts';
import { until } from './until.mts';
import { connect } from './workflow.mts';

const LINES_EVERY_MS = 50;
const LINES_AT_ONCE = 10;

/** There are always some lines to read, but no more than can be sent at the end */
const MOST_WAITING = 1_000;

const ARRIVAL_MS = 120_000;

/** Lines in a batch of the workflow below */
export const BATCH = 50;

/** A batch that an execution has sent */
export interface Arrival {
	lines: string[];
	/** What a Code node has counted */
	count?: unknown;
	/** When the execution was answered. Undefined before, and where n8n ended first */
	answeredAt?: number;
}

interface Choices {
	/** Options of the trigger */
	options?: object;
	/** Settings of the workflow */
	settings?: object;
	/** JavaScript of a Code node between the trigger and the request. Its items are the trigger's, and may have a `count` */
	code?: string;
}

/**
 * A container that writes log lines, and a collector to which a workflow with the logs trigger sends each batch: what was written
 * is compared with what has arrived, while executions, n8n or a part of it come to an end. An execution lasts as long as
 * `answer` takes.
 */
export class Lines {
	readonly written: string[] = [];
	readonly seen = new Set<string>();
	readonly arrivals: Arrival[] = [];
	/** Resolves when the execution of these lines may end */
	answer: (lines: string[]) => Promise<void> = async () => undefined;
	readonly #sandbox: Sandbox;
	readonly #containerId: string;
	readonly #collector: Served;
	#writer?: NodeJS.Timeout;

	private constructor(sandbox: Sandbox, containerId: string, collector: Served) {
		this.#sandbox = sandbox;
		this.#containerId = containerId;
		this.#collector = collector;
		sandbox.logs.open('d1', containerId);
	}

	/** A container that writes nothing yet */
	static async open(sandbox: Sandbox, containerId = 'c1'): Promise<Lines> {
		const collector = await serve(async ({ body }) => {
			await lines.#collect(JSON.parse(body) as Array<Record<string, unknown>>);
			return { body: {} };
		});
		const lines = new Lines(sandbox, containerId, collector);
		return lines;
	}

	/** A container that writes 200 lines each second */
	static async begin(sandbox: Sandbox): Promise<Lines> {
		const lines = await Lines.open(sandbox);
		lines.keepWriting();
		return lines;
	}

	write(count: number): string[] {
		const lines = Array.from(
			{ length: count },
			(_, index) => `line ${this.written.length + index}`,
		);
		this.written.push(...lines);
		this.#sandbox.logs.find('d1', this.#containerId)?.append('stdout', ...lines);
		return lines;
	}

	keepWriting(): void {
		this.#writer ??= setInterval(() => {
			if (this.written.length - this.seen.size <= MOST_WAITING) this.write(LINES_AT_ONCE);
		}, LINES_EVERY_MS);
	}

	pause(): void {
		clearInterval(this.#writer);
		this.#writer = undefined;
	}

	/** Creates and activates a workflow that sends each batch here */
	async activate(rest: Rest, { options = {}, settings = {}, code }: Choices = {}): Promise<string> {
		const secrets = secretsFor(this.#sandbox);
		const types = ['computeMarketplaceApi', 'computeMarketplaceTokenApi'];
		const ids: Record<string, string> = {};
		for (const type of types) ids[type] = await rest.createCredential(type, secrets[type] ?? {});
		const nodes = [
			{
				name: 'Logs',
				type: `${packageName}.caasLogsTrigger`,
				typeVersion: 1,
				parameters: {
					deploymentId: { __rl: true, mode: 'id', value: 'd1' },
					containerIds: [this.#containerId],
					streams: ['stdout'],
					batch: { maxEntries: BATCH, maxWaitMs: 200 },
					options,
				},
				credentials: Object.fromEntries(types.map((name) => [name, { name }])),
			},
			...(code === undefined
				? []
				: [
						{
							name: 'Code',
							type: 'n8n-nodes-base.code',
							typeVersion: 2,
							parameters: { jsCode: code },
						},
					]),
			{
				name: 'Send',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				executeOnce: true,
				parameters: {
					method: 'POST',
					url: this.#collector.url,
					sendBody: true,
					specifyBody: 'json',
					jsonBody: '={{ JSON.stringify($input.all().map((item) => item.json)) }}',
				},
			},
		].map((node, index) => ({ id: randomUUID(), position: [index * 220, 0], ...node }));
		const connections = Object.fromEntries(
			nodes
				.slice(1)
				.map(({ name }, index) => [
					nodes[index]?.name,
					{ main: [[{ node: name, type: 'main', index: 0 }]] },
				]),
		);
		const workflowId = await rest.createWorkflow(
			connect(
				{ name: 'Logs', nodes, connections, settings: { executionOrder: 'v1', ...settings } },
				ids,
			),
		);
		await rest.activate(workflowId);
		return workflowId;
	}

	/** Waits until all that was written has arrived, which may have been before */
	async arriveAll(): Promise<void> {
		await this.arrive(this.written.length - this.seen.size);
	}

	/** Waits until so many new lines have arrived */
	async arrive(count = 1): Promise<void> {
		const wanted = this.seen.size + count;
		await until(`${count} new lines`, () => this.seen.size >= wanted, ARRIVAL_MS);
	}

	/** Waits until more batches than these have arrived */
	async moreThan(batches: number): Promise<void> {
		while (this.arrivals.length <= batches) await this.arrive();
	}

	/** Waits until all that was written has arrived and its executions were answered */
	async settle(): Promise<void> {
		await until(
			'all lines',
			() =>
				this.seen.size >= this.written.length &&
				this.arrivals.every(({ answeredAt }) => answeredAt !== undefined),
			ARRIVAL_MS,
		);
	}

	/** How many lines have arrived more than once */
	get twice(): number {
		return this.arrivals.flatMap(({ lines }) => lines).length - this.seen.size;
	}

	/** The first line whose execution was not answered by this time. Everything before it has been delivered */
	firstUnanswered(time: number): number {
		const answered = new Set(
			this.arrivals
				.filter(({ answeredAt = Infinity }) => answeredAt <= time)
				.flatMap(({ lines }) => lines),
		);
		const index = this.written.findIndex((line) => !answered.has(line));
		return index < 0 ? this.written.length : index;
	}

	/** Lines that came again after the first `count` batches, by their numbers */
	repeatedSince(count: number): number[] {
		const before = new Set(this.arrivals.slice(0, count).flatMap(({ lines }) => lines));
		return this.arrivals
			.slice(count)
			.flatMap(({ lines }) => lines)
			.filter((line) => before.has(line))
			.map((line) => this.written.indexOf(line));
	}

	/** Writes no more, and returns what has not arrived when everything has had its time */
	async missing(): Promise<string[]> {
		this.pause();
		const all = () => this.seen.size >= this.written.length;
		await until('all lines', all, 180_000).catch(() => undefined);
		return this.written.filter((line) => !this.seen.has(line));
	}

	async end(): Promise<void> {
		this.pause();
		await this.#collector.close();
	}

	async #collect(items: Array<Record<string, unknown>>): Promise<void> {
		const lines = items.map(({ line }) => String(line));
		const arrival: Arrival = { lines, count: items[0]?.count };
		this.arrivals.push(arrival);
		lines.forEach((line) => this.seen.add(line));
		await this.answer(lines);
		arrival.answeredAt = Date.now();
	}
}
