import { TriggerContext } from 'n8n-core';
import {
	ManualExecutionCancelledError,
	SystemShutdownExecutionCancelledError,
	TimeoutExecutionCancelledError,
	type CancellationReason,
} from 'n8n-workflow';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { baseNodes } from './baseNodes.mts';
import { expectNoSecret, watched } from './secrets.mts';
import {
	outputOf,
	PACKAGE,
	type Engine,
	type NodeUnderTest,
	type WorkflowJson,
} from './engine.mts';
import { forgetModules, loadTrigger } from './triggerModules.mts';
import { turns } from './wait.mts';

/** What ends an execution: a person, the workflow's timeout, a stop of n8n, the end of its worker, or a person while n8n had it queued. */
export type Cancellation = CancellationReason | 'crashed' | 'dequeued';

/** An execution that a trigger has started. */
export interface Execution {
	key?: string;
	items: INodeExecutionData[];
	run?: IRun;
	/** Set where it did not end by itself. */
	cancelled?: Cancellation;
}

/** What the node after the trigger does with the items of an execution, which fails where it throws. */
export type Consume = (items: IDataObject[]) => Promise<void> | void;

type DonePromise = Parameters<ITriggerFunctions['emit']>[2];

/** One activation. */
interface Life {
	response?: ITriggerResponse;
	isDead: boolean;
	/** Promises of executions. */
	waiting: Set<NonNullable<DonePromise>>;
}

/** What n8n rejects the promise of a cancelled execution with. */
const CANCELLATIONS = {
	manual: ManualExecutionCancelledError,
	timeout: TimeoutExecutionCancelledError,
	shutdown: SystemShutdownExecutionCancelledError,
};

/** What waits for executions of a process that is gone is told that n8n interrupted them: a test need not wait for it. */
function letGo({ waiting }: Life): void {
	for (const done of waiting) done.reject(new CANCELLATIONS.shutdown(''));
	waiting.clear();
}

const CONSUMER = 'test.consumer';
const consumers = new Map<string, Consume>();

baseNodes[CONSUMER] = {
	description: {
		displayName: 'Consumer',
		name: CONSUMER,
		group: ['output'],
		version: 1,
		description: '',
		defaults: {},
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
	async execute() {
		const items = this.getInputData();
		await consumers.get(String(this.getNode().notes))?.(items.map(({ json }) => json));
		return [items];
	},
};

/**
 * A workflow with one trigger in n8n's engine, activated, deactivated and killed as in a real n8n: static data is saved at
 * the start of an `emit` and never else, each `emit` executes the workflow, its promise resolves with the run, and a key
 * that was used once never starts a second execution. What the database has not done when the process ends is not done at all.
 */
export class ActiveTrigger {
	readonly executions: Execution[] = [];
	readonly failures: Error[] = [];
	readonly errors: Error[] = [];
	/** The static data that n8n's database holds: that of the whole workflow. */
	private readonly row: { staticData: IDataObject };
	/** Emits that n8n dropped because of their key. */
	dropped = 0;
	/**
	 * Cancels executions as n8n does: the promise of a cancelled one is *rejected* with the reason, that of a failed one resolves, and
	 * so does that of a crashed one.
	 * Called with the items of each execution at its start.
	 */
	cancels?: (items: IDataObject[]) => Cancellation | undefined;
	/** Turns of the event loop that n8n's database takes for one write, of which it does one after the other. */
	databaseTurns = 0;
	private database = Promise.resolve();
	private readonly keys = new Set<string>();
	private readonly node: INode;
	private current?: Life;

	constructor(
		private readonly engine: Engine,
		node: NodeUnderTest,
		consume: Consume = () => undefined,
		/** A trigger of the same workflow. Each activation has a copy of the static data, and saves it as a whole. */
		sibling?: ActiveTrigger,
	) {
		this.row = sibling?.row ?? { staticData: {} };
		const name = node.name ?? 'Trigger';
		this.node = {
			id: `trigger-${consumers.size}`,
			name,
			typeVersion: 1,
			position: [0, 0],
			...node,
		};
		consumers.set(this.node.id, consume);
	}

	get saved(): IDataObject {
		return this.row.staticData;
	}

	set saved(staticData: IDataObject) {
		this.row.staticData = staticData;
	}

	/** All items that executions were started with, in order. */
	get items(): IDataObject[] {
		return this.executions.flatMap(({ items }) => items.map(({ json }) => json));
	}

	get lines(): string[] {
		return this.items.map(({ line }) => String(line));
	}

	/** Changes parameters, as a person does; they count from the next activation. */
	change(parameters: IDataObject): void {
		Object.assign(this.node.parameters, parameters);
	}

	async activate(activation: WorkflowActivateMode = 'activate'): Promise<void> {
		const life: Life = { isDead: false, waiting: new Set() };
		const { workflow, additionalData } = this.engine.activation(
			this.json(),
			structuredClone(this.saved),
		);
		const emit = (
			data: INodeExecutionData[][],
			_response: unknown,
			done?: DonePromise,
			key?: string,
		) => {
			if (done) life.waiting.add(done);
			if (life.isDead) letGo(life);
			else this.emit(workflow, data, done, key, life);
		};
		const node = workflow.getNode(this.node.name) ?? this.node;
		const ctx = new TriggerContext(
			workflow,
			node,
			additionalData,
			'trigger',
			activation,
			emit,
			(error) => this.errors.push(error),
			(error) => this.failures.push(error),
		);
		this.current = life;
		life.response = await watched(
			'an activation',
			workflow.expression.withIsolate(async () => await this.type().trigger?.call(ctx)),
		);
		this.save(workflow, life);
	}

	/** Deactivates the workflow, as a clean shutdown does with its triggers. */
	async deactivate(): Promise<void> {
		await watched(
			'the end of a trigger',
			Promise.resolve(this.current?.response?.closeFunction?.()),
		);
		expectNoSecret('what a trigger reports or saves', [
			this.errors,
			this.failures,
			this.saved,
			this.items,
		]);
	}

	/** "Test workflow" in the editor: the items of the trigger, or the error that the editor shows. */
	async testRun(): Promise<INodeExecutionData[]> {
		return outputOf(await this.engine.runFrom(this.json(), [], { mode: 'manual' }), this.node.name);
	}

	/** The process is gone: nothing is saved or started any more, and no execution is known to end. What it held in memory is lost. */
	async kill(): Promise<void> {
		const { current } = this;
		if (current) {
			current.isDead = true;
			letGo(current);
		}
		await this.deactivate();
		forgetModules();
	}

	protected emit(
		workflow: Workflow,
		[items = []]: INodeExecutionData[][],
		done: DonePromise,
		key: string | undefined,
		life: Life,
	): void {
		this.save(workflow, life);
		this.inDatabase(life, () => {
			if (key !== undefined && this.keys.has(key)) {
				this.dropped++;
				// n8n resolves with nothing here, which its type does not say
				done?.resolve(undefined as unknown as IRun);
				return;
			}
			if (key !== undefined) this.keys.add(key);
			const execution: Execution = { key, items: structuredClone(items) };
			this.executions.push(execution);
			const cancel = new AbortController();
			const cancelled = this.cancels?.(items.map(({ json }) => json));
			execution.cancelled = cancelled;
			// n8n forgets it: its promise is never settled
			if (cancelled === 'dequeued') return;
			void this.engine.runFrom(this.json(), items, { cancel: cancel.signal }).then(
				(run) => {
					execution.run = cancelled === 'crashed' ? { ...run, status: 'crashed' } : run;
					if (!life.isDead) done?.resolve(execution.run);
				},
				(error: Error) => done?.reject(error),
			);
			if (cancelled === undefined) return;
			setImmediate(() => cancel.abort());
			if (!life.isDead && cancelled !== 'crashed')
				done?.reject(new CANCELLATIONS[cancelled](execution.key ?? ''));
		});
	}

	private save(workflow: Workflow, life: Life): void {
		if (workflow.staticData.__dataChanged !== true) return;
		const saved = JSON.stringify(workflow.staticData);
		workflow.staticData.__dataChanged = false;
		this.inDatabase(life, () => {
			this.saved = JSON.parse(saved) as IDataObject;
		});
	}

	private inDatabase(life: Life, write: () => void): void {
		if (this.databaseTurns === 0) return write();
		this.database = this.database.then(async () => {
			await turns(this.databaseTurns);
			if (!life.isDead) write();
		});
	}

	private json(): WorkflowJson {
		const consumer: INode = {
			id: 'consumer',
			name: 'Consumer',
			type: CONSUMER,
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
			notes: this.node.id,
		};
		return {
			nodes: [this.node, consumer],
			connections: {
				[this.node.name]: { main: [[{ node: consumer.name, type: 'main', index: 0 }]] },
			},
		};
	}

	/** The class as this process has loaded it; after a kill it is loaded again. */
	private type(): INodeType {
		const Type = loadTrigger(this.node.type.slice(PACKAGE.length + 1));
		return new Type();
	}
}
