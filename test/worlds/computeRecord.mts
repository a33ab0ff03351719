import type { IDataObject } from 'n8n-workflow';
import type { Deployment, DeploymentState, Fault } from '../sandbox/index.mts';
import type { ComputeOperation, ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import type { Order } from '../sandbox/compute/deployment.mts';
import type { ComputeScene } from './computeScene.mts';
import type { Scenario } from './stage.mts';

/** What somebody does with deployments. */
export interface ComputeScenario extends Scenario {
	/** Whether its workflows end what they have deployed: what runs afterwards needs a warning, and not just an ID in an output. */
	tearsDown?: boolean;
	/** What goes wrong in each world. */
	faults?: readonly Fault[];
	play(scene: ComputeScene): Promise<void>;
}

/** Deployments that are wanted, under a name that begins like this. */
export interface Wish {
	name: string;
	/** How many may be bought in all. */
	machines: number;
	/** What contradicts the order in what was bought. */
	mismatch?(order: Order): string | undefined;
	/** What contradicts the order in a deployment that was there already and is handed out. */
	misfit?(existing: Deployment, now: number): string | undefined;
	maxPrice?: number;
	maxHourlyPrice?: number;
}

/** An item that is no error. */
export interface Item {
	operation: ComputeOperation;
	execution: string;
	json: IDataObject;
	/** State of the deployment that it names, at that time; undefined where there is none. */
	state?: DeploymentState;
	/** Deployments of ours that have the name that it names and run at that time. */
	namesakes: Deployment[];
	/** Why an existing deployment that it hands out is not what was wanted. */
	misfit?: string;
}

/** A failed node, or an item with an error: all that a person reads of it. */
export interface Problem {
	operation: ComputeOperation;
	execution: string;
	text: string;
	/** Deployments of ours that run and bill at that time. */
	alive: Deployment[];
}

/** What was seen of a scenario in a world: the books of the service beside what the nodes said. */
export interface ComputeRecord {
	world: ComputeWorld;
	scenario: ComputeScenario;
	items: Item[];
	problems: Problem[];
	/** Operations that did not succeed, but for those that the scenario expects. */
	refusals: Array<{ operation: ComputeOperation; reason: string }>;
	wishes: Wish[];
	/** Hours to add, by ID. */
	extensions: Map<string, number>;
	/** Hours that somebody else has added, by ID. */
	othersHours: Map<string, number>;
	/** Prefixes of names, which say as much as the names. */
	prefixes: string[];
	/** What the nodes have bought. */
	bought: Deployment[];
	/** That, and what was ours before. */
	ours: Deployment[];
	/** IDs that may be destroyed, besides those of `bought`. */
	meant: Set<string>;
	/** IDs that nodes told the service to destroy. */
	destroyed: string[];
	/** What a list must show, beside what it showed. */
	lists: Array<{ shown: string[]; wanted: string[] }>;
	/** When requests arrived, in milliseconds, in order. */
	requests: number[];
	/** Whether an ID belongs to any deployment of the account. */
	exists(id: string): boolean;
}
