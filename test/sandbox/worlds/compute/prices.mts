import type { ComputeHabits } from '../../index.mts';
import { without, type ComputeWorld } from '../computeWorld.mts';

const PRICES: Array<[name: string, price: ComputeHabits['price']]> = [
	['0', 'zero'],
	['null', 'null'],
	['for one replica', 'oneReplica'],
	['for one GPU', 'oneGpu'],
	['without counts', 'withoutCounts'],
	['in another currency', 'otherCurrency'],
];

/** Where a price is read. */
const PRICED = [
	'whole life',
	'life without a look',
	'extend within a limit',
	'extend above a limit',
	'deploy cheapest',
	'four replicas within a limit',
	'four replicas above a limit',
	'size left empty',
	'nightly',
	'example: nightly-training',
	'example: nightly-training, nothing within the limit',
	'example: deploy-extend-destroy',
];

/** The price is not that of the order; the bill is. A limit can then not be checked. */
export default PRICES.map(([name, price]): ComputeWorld => ({
	name: `price ${name}`,
	habits: { price },
	scenarios: PRICED,
	mustSucceed: without('deploy within a limit', 'deploy cheapest', 'extend within a limit'),
}));
