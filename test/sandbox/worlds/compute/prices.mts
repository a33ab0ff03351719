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

/** The price is not that of the order; the bill is. A limit can then not be checked. */
export default PRICES.map(([name, price]): ComputeWorld => ({
	name: `price ${name}`,
	habits: { price },
	mustSucceed: without('deploy within a limit', 'deploy cheapest', 'extend within a limit'),
}));
