import type { IDataObject, INode } from 'n8n-workflow';
import { PACKAGE, type NodeUnderTest, type WorkflowJson } from '../engine/engine.mts';
import { rememberSecrets } from '../engine/secrets.mts';
import type { Deployment, Product, Resident } from '../sandbox/index.mts';
import type { ComputeOperation, ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import type { ComputeRecord, ComputeScenario, Wish } from './computeRecord.mts';
import type { Stage } from './stage.mts';

/** Longest time of an execution. */
const LONGEST_EXECUTION_MS = 4 * 3_600_000;
/** In this time everything that is behind has caught up, and what is told to end has ended. */
const AFTERWARDS_MS = 10 * 60_000;

/** A node of a workflow, and what a person wants of it. */
export interface Step {
	operation: ComputeOperation;
	node: NodeUnderTest;
}

export interface Execution {
	/** n8n's number of it; default: the next one. */
	id?: string;
	items?: IDataObject[];
	/** Nodes that may be refused in every world. */
	mayFail?: readonly string[];
}

/** What no output, error or log may hold of a deploy. A workflow has them from expressions. */
export const SECRETS = { secretToken: 'hf-sEcReT-4711', registrySecret: 'registry-sEcReT-0815' };

/** An account in one world, and workflows that run on it. */
export class ComputeScene {
	readonly record: ComputeRecord;
	private executions = 0;
	private readonly own = new Set<Deployment>();

	constructor(
		private readonly stage: Stage,
		world: ComputeWorld,
		scenario: ComputeScenario,
	) {
		const { sandbox } = stage;
		sandbox.reset();
		sandbox.adopt(world.habits ?? {});
		for (const { deploy_id: id, ...offer } of world.offers ?? []) {
			const like = sandbox.hardware.find((one) => one.deploy_id === id);
			if (!like) throw new Error(`There is no hardware ${id}`);
			const row = { ...like, ...offer };
			if (world.offersFirst) sandbox.hardware.unshift(row);
			else sandbox.hardware.push(row);
		}
		// The first that matches applies
		for (const fault of [...(scenario.faults ?? []), ...(world.faults ?? [])])
			sandbox.faults.add(fault);
		const { product: kind } = scenario;
		for (const resident of world.residents ?? []) sandbox.addResident({ kind, ...resident });
		rememberSecrets('a deploy', SECRETS);
		this.record = {
			world,
			scenario,
			items: [],
			problems: [],
			refusals: [],
			wishes: [],
			extensions: new Map(),
			othersHours: new Map(),
			updates: new Map(),
			prefixes: [],
			bought: [],
			ours: [],
			meant: new Set(),
			kept: new Set(),
			destroyed: [],
			lists: [],
			requests: [],
			exists: () => false,
		};
	}

	/** Faults, hardware and clock of the service. */
	get sandbox(): Stage['sandbox'] {
		return this.stage.sandbox;
	}

	/** Deployments are wanted. A rival of the world buys one of this name when the first deploy arrives. */
	wish(wish: Wish): void {
		const { world, scenario, wishes } = this.record;
		const { product: kind } = scenario;
		wishes.push({ product: kind, ...wish });
		const { rival } = world;
		if (!rival || this.sandbox.onRequest) return;
		let isThere = false;
		this.sandbox.onRequest = ({ method, path }) => {
			if (isThere || method !== 'POST' || !path.endsWith(`/${kind}/deploy`)) return;
			isThere = true;
			this.sandbox.addResident({ ...rival, kind, name: wish.name });
		};
	}

	/** A deployment of ours from before. */
	add(resident: Resident): Deployment {
		const deployment = this.addOthers(resident);
		this.own.add(deployment);
		return deployment;
	}

	/** A deployment of somebody else. */
	addOthers(resident: Resident): Deployment {
		return this.sandbox.addResident({ kind: this.record.scenario.product, ...resident });
	}

	/** Nodes one after the other, in one execution. */
	async run(steps: Record<string, Step>, execution: Execution = {}): Promise<void> {
		const names = ['Start', ...Object.keys(steps)];
		const nodeOf = (name: string, node: NodeUnderTest): INode => ({
			id: name,
			name,
			typeVersion: 1,
			position: [0, 0],
			...node,
		});
		const start = nodeOf('Start', { type: 'n8n-nodes-base.manualTrigger', parameters: {} });
		const workflow = {
			nodes: [start, ...Object.entries(steps).map(([name, { node }]) => nodeOf(name, node))],
			connections: Object.fromEntries(
				names
					.slice(1)
					.map((name, index) => [
						names[index] ?? '',
						{ main: [[{ node: name, type: 'main' as const, index: 0 }]] },
					]),
			),
		};
		const operations = Object.fromEntries(
			Object.entries(steps).map(([name, { operation }]) => [name, operation]),
		);
		await this.execute(workflow, operations, execution);
	}

	/**
	 * Executes a workflow.
	 * @param operations of its nodes, by name; others are not looked at
	 */
	async execute(
		workflow: WorkflowJson,
		operations: Record<string, ComputeOperation | undefined>,
		{ id = String(++this.executions), items = [{}], mayFail = [] }: Execution = {},
	): Promise<void> {
		const { time, engine } = this.stage;
		const products = Object.fromEntries(
			workflow.nodes.map(({ name, type }) => [name, productOf(type)]),
		);
		const work = engine.runWorkflow(workflow, {
			executionId: id,
			items: items.map((json) => ({ json })),
			onNode: (name, outputs, error) => {
				const operation = operations[name];
				if (!operation) return;
				const product = products[name] ?? 'vmaas';
				const failed = [
					...(error ? [textOf(error)] : []),
					...outputs.filter(({ json }) => 'error' in json).map(({ json }) => JSON.stringify(json)),
				];
				for (const text of failed) this.fail(operation, product, id, text, mayFail.includes(name));
				for (const { json } of outputs)
					if (!('error' in json)) this.note(operation, product, id, json);
			},
		});
		await time.during(work, LONGEST_EXECUTION_MS);
	}

	/** Calls of an agent at the same time. */
	async call({ operation, node }: Step, calls: readonly IDataObject[]): Promise<void> {
		const tool = this.stage.engine.tool(node);
		const product = productOf(node.type);
		const id = String(++this.executions);
		const called = calls.map(async (args) => {
			try {
				const items = JSON.parse(await tool(args)) as IDataObject | IDataObject[];
				for (const json of [items].flat()) this.note(operation, product, id, json);
			} catch (error) {
				this.fail(operation, product, id, textOf(error as Error), true);
			}
		});
		await this.stage.time.during(Promise.all(called), LONGEST_EXECUTION_MS);
	}

	async pass(ms: number): Promise<void> {
		await this.stage.time.pass(ms);
	}

	/** What a list showed, and what it must show. */
	list(shown: string[], wanted: string[]): void {
		this.record.lists.push({ shown, wanted });
	}

	/** Lets what is behind catch up, and completes the record. */
	async close(): Promise<ComputeRecord> {
		await this.pass(AFTERWARDS_MS);
		const { record, sandbox } = this;
		record.bought = [...sandbox.books.deployments];
		record.ours = [...this.own, ...record.bought];
		record.destroyed = sandbox.requests
			.filter(({ method }) => method === 'DELETE')
			.flatMap(({ path }) => {
				const [product, , id = ''] = path.split('/').slice(-3);
				return sandbox.books.find(decodeURIComponent(id), product as Product) ?? [];
			});
		record.requests = sandbox.requests.map(({ at }) => at);
		const keyOf = (product: Product, id: string) => `${product} ${id}`;
		const all = [...sandbox.books.seeded, ...sandbox.books.deployments];
		const keys = new Set(all.map(({ order, id }) => keyOf(order.kind, id)));
		record.exists = (id, product) => keys.has(keyOf(product, id));
		return record;
	}

	private note(
		operation: ComputeOperation,
		product: Product,
		execution: string,
		json: IDataObject,
	): void {
		const deployment = this.sandbox.books.find(String(json.deployment_id), product);
		const [wish] = this.record.wishes;
		const misfit =
			json.existing === true && deployment
				? wish?.misfit?.(deployment, this.sandbox.clock.now())
				: undefined;
		const namesakes = this.alive(product).filter(
			(one) => one.resource_private_name === json.resource_private_name,
		);
		const { items } = this.record;
		items.push({
			operation,
			product,
			execution,
			json,
			state: deployment?.state,
			namesakes,
			misfit,
		});
	}

	private fail(
		operation: ComputeOperation,
		product: Product,
		execution: string,
		text: string,
		isExpected: boolean,
	): void {
		const alive = this.alive(product);
		this.record.problems.push({ operation, execution, text, alive });
		if (!isExpected) this.record.refusals.push({ operation, reason: text });
	}

	/** Deployments of ours that run and bill. */
	private alive(product: Product): Deployment[] {
		const { books } = this.sandbox;
		return [...books.seeded.filter((one) => this.own.has(one)), ...books.deployments].filter(
			({ order, state }) =>
				order.kind === product && (state === 'running' || state === 'deployment requested'),
		);
	}
}

/** The product of a node; of others too, whose operations are not looked at. */
const productOf = (type: string): Product => (type === `${PACKAGE}.caas` ? 'caas' : 'vmaas');

/** Everything of an error that a person can see. */
function textOf(error: Error): string {
	const { message, description, context } = error as Error & {
		description?: string;
		context?: unknown;
	};
	return [message, description, JSON.stringify(context)].filter(Boolean).join('\n');
}
