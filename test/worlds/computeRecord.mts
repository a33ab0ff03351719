import type { IDataObject } from 'n8n-workflow';
import type { Deployment, DeploymentState, Fault, Product } from '../sandbox/index.mts';
import type { ComputeOperation, ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import type { Order } from '../sandbox/compute/deployment.mts';
import type { ComputeScene } from './computeScene.mts';
import type { Scenario } from './stage.mts';

/** What somebody does with deployments. */
export interface ComputeScenario extends Scenario {
	/** Of its residents, and of its wishes where they do not say it. */
	product: Product;
	/** Whether its workflows end what they have deployed: what runs afterwards needs a warning, and not just an ID in an output. */
	tearsDown?: boolean;
	/** What goes wrong in each world. */
	faults?: readonly Fault[];
	play(scene: ComputeScene): Promise<void>;
}

/** Deployments that are wanted, under a name that begins like this. */
export interface Wish {
	/** Default: that of the scenario. */
	product?: Product;
	name: string;
	/** How many may be bought in all. */
	machines: number;
	/** What contradicts the order in what was bought. */
	mismatch?(order: Order): string | undefined;
	/** What contradicts the order in a deployment that was there already and is passed on. */
	misfit?(existing: Deployment, now: number): string | undefined;
	maxPrice?: number;
	maxHourlyPrice?: number;
}

/** An item that is no error. */
export interface Item {
	operation: ComputeOperation;
	/** Of its node. */
	product: Product;
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
	/** Deployments of ours, of the node's product, that run and bill at that time. */
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
	wishes: Array<Wish & { product: Product }>;
	/** Hours to add. */
	extensions: Map<Deployment, number>;
	/** Hours that somebody else has added. */
	othersHours: Map<Deployment, number>;
	/** How often they may be updated. */
	updates: Map<Deployment, number>;
	/** Prefixes of names, which say as much as the names. */
	prefixes: string[];
	/** What the nodes have bought. */
	bought: Deployment[];
	/** That, and what was ours before. */
	ours: Deployment[];
	/** What may be destroyed, besides `bought`. */
	meant: Set<Deployment>;
	/** What must not be destroyed, of `bought` too. */
	kept: Set<Deployment>;
	/** What nodes told the service to destroy. */
	destroyed: Deployment[];
	/** What a list must show, beside what it showed. */
	lists: Array<{ shown: string[]; wanted: string[] }>;
	/** When requests arrived, in milliseconds, in order. */
	requests: number[];
	/** Whether an ID belongs to any deployment of the account. */
	exists(id: string, product: Product): boolean;
}
