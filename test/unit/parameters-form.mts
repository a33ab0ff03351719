import { NodeOperationError } from 'n8n-workflow';
import type { INode, INodeProperties } from 'n8n-workflow';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';

export const node: INode = {
	id: '1',
	name: 'Node',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
export const inner: INodeProperties = {
	displayName: 'Inner Field',
	name: 'inner',
	type: 'number',
	default: 0,
};
export const fields: INodeProperties[] = [
	{ displayName: 'My Field', name: 'x', type: 'string', default: '' },
	{ displayName: 'My Group', name: 'group', type: 'collection', default: {}, options: [inner] },
	{
		displayName: 'My Rows',
		name: 'rows',
		type: 'fixedCollection',
		default: {},
		options: [{ displayName: 'Row', name: 'row', values: [inner] }],
	},
];

/** A form whose fields all hold this value. */
export const form = (value: unknown) => new Parameters(node, 3, fields, () => value);
/** The message of the error that a piece of work throws. */
export const message = (work: () => unknown): string => {
	try {
		work();
	} catch (error) {
		if (error instanceof NodeOperationError) return error.message;
		throw error;
	}
	return 'no error';
};
