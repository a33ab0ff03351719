import type { INodeProperties } from 'n8n-workflow';
import { locatorField } from '../../shared/fields';
import { deploymentIdField } from '../fields';

export const containerDeploymentIdField: INodeProperties = {
	...deploymentIdField,
	description: 'The container deployment to use',
};

export const containerIdField = locatorField({
	displayName: 'Container',
	name: 'containerId',
	description: 'The container to use',
	placeholder: 'Select a container...',
	searchListMethod: 'searchContainers',
	idPlaceholder: 'e.g. 9d2f7c1a-66b1-4a5e-8f0a-1c3b5d7e9f02',
	dependsOn: ['deploymentId.value'],
});

/** Filters of log lines by regular expression. */
export const lineFilterFields: INodeProperties[] = [
	{
		displayName: 'Exclude',
		name: 'exclude',
		type: 'string',
		default: '',
		placeholder: 'e.g. GET /health',
		description: 'Regular expression. Lines that match are dropped.',
	},
	{
		displayName: 'Include',
		name: 'include',
		type: 'string',
		default: '',
		placeholder: 'e.g. (?i)error|out of memory',
		description: 'Regular expression. Only lines that match are kept.',
	},
];
