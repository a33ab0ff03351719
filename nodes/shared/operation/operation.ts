import type {
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Call } from './execute';
import { compareLabels } from '../fields';
import type { Form } from './parameters';

/**
 * One operation of a node: its form and what it does, side by side. Forms and dispatch are made from it.
 *
 * `read`     changes nothing: items run side by side, a bounded number at once.
 * `generate` changes nothing but is billed: as `read`, and results of other items survive a failure.
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
	effect: 'read' | 'generate' | 'write';
	/** Goes on with the other items when one fails, and reports all failures at the end (a teardown must try every machine). */
	triesAll?: boolean;
	/** What an error says of items that were not begun, since another one is not valid: what goes on and bills. It follows the message. */
	untouched?(inputs: Input[]): string;
	/** How many items of a write run at once, where it is not one: documents cost no machine, and each waits for its upload. */
	atOnce?: number;
	/** Output fields that name what a write made, for the error of a later item: `deployment_id`, say. */
	names?: string[];
	fields: INodeProperties[];
	/** Reads and checks one item's parameters; sends nothing. */
	input(form: Form, files: Files): Input;
	/** Does the work for one item and returns its output items. */
	run(call: Call, input: Input): Promise<OutputItem[]>;
}

/** The file of one item that a binary field names, or undefined. Its content is read later: see `readFile`. */
export type Files = (field: string) => IBinaryData | undefined;

/** An output item that brings a file. */
export class FileItem {
	constructor(
		readonly json: IDataObject,
		readonly binary: IBinaryKeyData,
	) {}
}

/** An output item: its JSON alone, or with a file. */
export type OutputItem = IDataObject | FileItem;

export interface Resource {
	value: string;
	/** Title Case: `Deployment`. */
	name: string;
	operations: Operation[];
}

/**
 * The Resource and Operation fields and the form of each operation, each shown only where it belongs.
 * The first of each list is the default of a new node: it must not be one that spends money.
 */
export function properties(resources: Resource[]): INodeProperties[] {
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources
				.map(({ name, value }) => ({ name, value }))
				.sort((a, b) => compareLabels(a.name, b.name)),
			default: String(resources[0]?.value),
		},
		...resources.map(operationField),
		...resources.flatMap((resource) =>
			resource.operations.flatMap((operation) => formOf(resource, operation)),
		),
	];
}

function operationField(resource: Resource): INodeProperties {
	const options: INodePropertyOptions[] = resource.operations
		.map(({ name, value, action, description }) => ({ name, value, action, description }))
		.sort((a, b) => compareLabels(a.name, b.name));
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource.value] } },
		options,
		default: String(resource.operations[0]?.value),
	};
}

function formOf(resource: Resource, operation: Operation): INodeProperties[] {
	return operation.fields.map((field) => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			show: {
				resource: [resource.value],
				operation: [operation.value],
				...field.displayOptions?.show,
			},
		},
	}));
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
