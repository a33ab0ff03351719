import type { ISupplyDataFunctions } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { loadSdk } from '../../nodes/intelligence/subNode.ts';

it('where n8n has no SDK for AI nodes, the error says what needs it, and of which version', async () => {
	const node = { name: 'Memory', type: 'memory', typeVersion: 1, parameters: {} };
	const functions = { getNode: () => node } as unknown as ISupplyDataFunctions;
	await expect(loadSdk(functions, 2, 'The memory')).rejects.toMatchObject({
		message: 'This n8n does not have the SDK for AI nodes',
		description:
			'The memory requires n8n 2.16 or later. The other nodes of the package work without the SDK.',
		context: { itemIndex: 2 },
	});
});
