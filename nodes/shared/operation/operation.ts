import type { IBinaryData, IDataObject, INodeProperties } from 'n8n-workflow';
import type { OperationContext } from './context';
import type { OutputItem } from './items';
import type { Parameters } from './parameters';

/**
 * One operation of a node: its form and what it does, side by side. Forms and dispatch are made from it.
 *
 * `read`     changes nothing: items run side by side, a bounded number at once.
 * `generate` changes nothing but is billed: as `read`, and results of other items survive a failure and n8n's Retry On Fail.
 * `write`    strictly in the order of the items, one at a time; every item is validated before the first is sent.
 */
export interface Operation<Input = unknown> {
	/** n8n's value of the Operation field, such as `getAll`. */
	value: string;
	/** Title Case, without the resource: `Get Many`. */
	name: string;
	/** Sentence case, with the resource: `Get many deployments`. */
	action: string;
	/** A sentence for people and for AI agents that use the node as a tool. */
	description: string;
	/** Comes first in the list of its resource. */
	isRecommended?: boolean;
	effect: 'read' | 'generate' | 'write';
	/** Goes on with the other items when one fails, and reports all failures at the end (a teardown must try every deployment). */
	runsAllItems?: boolean;
	/** What an error says of items that were not begun, since another one is not valid: what goes on and bills. It follows the message. */
	describeUnsent?(inputs: Input[]): string;
	/** How many items of a write run at once, where it is not one: documents rent nothing, and each waits for its upload. */
	concurrency?: number;
	/** How many items of another operation run at once, as the inputs of the items say; default: five. */
	requestsAtOnce?(inputs: Array<Input | undefined>): number | undefined;
	/** Output fields that name what a write made, for the error of a later item: `deployment_id`, say. */
	identifyingKeys?: string[];
	fields: INodeProperties[];
	/** Reads and checks one item's parameters; sends nothing. */
	input(parameters: Parameters, files: Files): Input;
	/**
	 * What an earlier try has done for an item, for a retry by n8n; default: the results as they are.
	 * @throws where they are nothing to go on with any more
	 */
	again?(context: OperationContext, results: IDataObject[]): Promise<OutputItem[]>;
	/** Does the work for one item and returns its output items. */
	run(context: OperationContext, input: Input): Promise<OutputItem[]>;
}

/** The file of one item that a binary field names, or undefined. Its content is read later: see `readFile`. */
export type Files = (field: string) => IBinaryData | undefined;

export interface Resource {
	value: string;
	/** Title Case: `Deployment`. */
	name: string;
	operations: Operation[];
}

/** The operation that the node's Resource and Operation fields name. */
export function findOperation(
	resources: Resource[],
	resource: string,
	operation: string,
): Operation | undefined {
	return resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
}
