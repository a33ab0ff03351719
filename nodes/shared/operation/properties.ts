import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { compareLabels } from '../fields';
import type { Operation, Resource } from './operation';
import type { Outputs } from './output';
import { simplifiableOutput, simplifyFields } from './simplify';

/**
 * The Resource and Operation fields and the form of each operation, each shown only where it belongs.
 * The first of each list is the default of a new node: it must not be one that spends money.
 */
export function properties(resources: Resource[], outputs: Outputs = {}): INodeProperties[] {
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
			resource.operations.flatMap((operation) => formOf(resource, operation, outputs)),
		),
	];
}

function operationField(resource: Resource): INodeProperties {
	const sorted = [...resource.operations].sort(
		(a, b) =>
			Number(b.isRecommended ?? false) - Number(a.isRecommended ?? false) ||
			compareLabels(a.name, b.name),
	);
	const options: INodePropertyOptions[] = sorted.map(({ name, value, action, description }) => ({
		name,
		value,
		action,
		description,
	}));
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

function formOf(resource: Resource, operation: Operation, outputs: Outputs): INodeProperties[] {
	const output = simplifiableOutput(outputs, resource.value, operation.value);
	return withSimplify(operation.fields, simplifyFields(operation, output)).map((field) => ({
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

/** Above the collections of options, where n8n's own nodes have them. */
function withSimplify(fields: INodeProperties[], simplify: INodeProperties[]): INodeProperties[] {
	const collection = fields.findIndex(({ type }) => type === 'collection');
	const place = collection === -1 ? fields.length : collection;
	return [...fields.slice(0, place), ...simplify, ...fields.slice(place)];
}
