import type { IDataObject } from 'n8n-workflow';
import { waitFor, type UsableGoal } from '../../nodes/marketplace/operations/waitFor.ts';
import { VMAAS, type ProductContext } from '../../nodes/marketplace/product.ts';
import { productContext, type Market } from './market-parts.mts';
import { formOf } from './rag-service.mts';

export const GOES_ON =
	'It goes on and bills. Wait longer, destroy it, or set On Timeout to return an item and loop with the Wait node.';

/** A goal of its own: looks say what is missing, one after the other, until none is left. */
export function goalOf(...missing: string[]): UsableGoal<string> {
	return {
		option: { name: 'Usable', value: 'usable' },
		fields: [{ displayName: 'Way', name: 'way', type: 'string', default: '' }],
		read: (parameters) => parameters.text('way'),
		look: async (_, id, { status }, way) => {
			const next = missing.shift();
			return await Promise.resolve(
				next === undefined ? { reached: { seen: [id, status, way] } } : { missing: next },
			);
		},
	};
}

export const FORM = {
	deploymentId: 'd1',
	waitUntil: 'running',
	way: 'by foot',
	pollInterval: 10,
	timeout: 60,
	onTimeout: 'error',
};

export interface Given extends Partial<Omit<typeof FORM, 'deploymentId'>> {
	goal?: UsableGoal<string>;
	context?: ProductContext;
}

export async function waiting(market: Market, { goal = goalOf(), context, ...more }: Given = {}) {
	const operation = waitFor(VMAAS, goal);
	const form = { ...FORM, ...more } as IDataObject;
	const input = operation.input(formOf(operation, form), () => undefined);
	const [item] = await operation.run(context ?? (await productContext(market)), input);
	return item as IDataObject;
}
