import { PollContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { isDeepStrictEqual } from 'node:util';
import {
	outputOf,
	PACKAGE,
	type Engine,
	type NodeUnderTest,
	type WorkflowJson,
} from './engine.mts';
import { expectNoSecret, watched } from './secrets.mts';
import { forgetModules, loadTrigger } from './triggerModules.mts';

/**
 * How n8n keeps the static data of a polling trigger.
 * `workflow`, the default of n8n: the process has it, and saves it at the activation and with the events of a poll.
 * `scheduler`: as before, but each poll reads what is saved. `durable`: each poll reads and saves it, events or not.
 */
export type Keeping = 'workflow' | 'scheduler' | 'durable';

let triggers = 0;

/** An n8n that is up. */
interface Life {
	workflow: Workflow;
	additionalData: IWorkflowExecuteAdditionalData;
	activation: WorkflowActivateMode;
}

/** A workflow with one polling trigger, which is asked as n8n asks it (PollTriggerExecutor, PollTriggerTaskHandler). */
export class PolledTrigger {
	/** The items that executions were started with, by poll. */
	readonly executions: IDataObject[][] = [];
	/** What n8n shows as failed executions. */
	readonly errors: Error[] = [];
	/** What n8n's database holds. */
	saved: IDataObject = {};
	/** How often the node was asked. */
	polls = 0;
	/** The process ends after an execution was started and before its static data is saved. */
	losesSaves = false;
	/** n8n drops what a poll has found: the workflow was changed meanwhile. */
	isSuperseded = false;
	private readonly node: INode;
	private life?: Life;

	constructor(
		private readonly engine: Engine,
		node: NodeUnderTest,
		private readonly keeping: Keeping = 'workflow',
	) {
		this.node = {
			id: `polled-${triggers++}`,
			name: 'Trigger',
			typeVersion: 1,
			position: [0, 0],
			...node,
		};
	}

	get items(): IDataObject[] {
		return this.executions.flat();
	}

	change(parameters: IDataObject): void {
		Object.assign(this.node.parameters, parameters);
	}

	/** n8n polls once, and where that fails it does not activate. */
	async activate(activation: WorkflowActivateMode = 'activate'): Promise<void> {
		this.life = this.begin(activation);
		const isResumed = activation === 'init' && this.keeping !== 'workflow';
		if (!isResumed) await this.pollIn(this.life, true);
		this.save(this.life);
	}

	/** One of the poll times. */
	async poll(): Promise<void> {
		const life = this.keeping === 'workflow' ? this.life : this.begin('update');
		if (!life || !this.life) throw new Error('The workflow is not active');
		await this.pollIn(life, false);
	}

	/** The process ends and begins again: what it held in memory is lost. */
	async restart(): Promise<void> {
		this.life = undefined;
		forgetModules();
		await this.activate('init');
	}

	async testRun(): Promise<INodeExecutionData[]> {
		return outputOf(await this.engine.runFrom(this.json(), [], { mode: 'manual' }), this.node.name);
	}

	private begin(activation: WorkflowActivateMode): Life {
		return { ...this.engine.activation(this.json(), structuredClone(this.saved)), activation };
	}

	private async pollIn(life: Life, isActivation: boolean): Promise<void> {
		const { workflow, additionalData, activation } = life;
		const node = workflow.getNode(this.node.name) ?? this.node;
		const context = new PollContext(
			workflow,
			node,
			additionalData,
			'trigger',
			activation,
			([items = []]) => {
				// A durable cursor is saved in one transaction with the execution
				if (!this.losesSaves || this.keeping === 'durable') this.save(life);
				this.executions.push(items.map(({ json }) => structuredClone(json)));
			},
			(error) => this.errors.push(error),
		);
		const before = JSON.stringify(workflow.staticData);
		this.polls++;
		try {
			const data = await watched(
				'a poll',
				workflow.expression.withIsolate(
					async () => (await this.type().poll?.call(context)) ?? null,
				),
			);
			if (this.isSuperseded) this.life = undefined;
			else if (data !== null) context.__emit(data);
			else if (!isActivation && this.keeping === 'durable') this.save(life);
		} catch (caught) {
			if (isActivation) throw caught;
			if (this.keeping !== 'workflow')
				Object.assign(workflow.staticData, JSON.parse(before) as IDataObject);
			context.__emitError(caught as Error);
		}
		const [items, error] = [this.executions.at(-1), this.errors.at(-1)];
		expectNoSecret('what a poll reports or saves', [items, error, this.saved]);
	}

	private save({ workflow }: Life): void {
		const data = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
		if (workflow.staticData.__dataChanged !== true || isDeepStrictEqual(data, this.saved)) return;
		this.saved = data;
		workflow.staticData.__dataChanged = false;
	}

	private json(): WorkflowJson {
		return { nodes: [this.node], connections: {} };
	}

	private type(): INodeType {
		return new (loadTrigger(this.node.type.slice(PACKAGE.length + 1)))();
	}
}
