import { without, type ComputeWorld } from '../computeWorld.mts';

const offer = (num_cards: number, price: number) => ({
	id: `7__us-west-2__${num_cards}`,
	deploy_id: 7,
	location: 'us-west-2',
	num_cards,
	price,
});

/** One `deploy_id` with several sizes. The form shows the cheapest of them. */
export default [
	{
		name: 'several sizes, the largest last',
		offers: [offer(2, 0.68), offer(8, 2.64)],
		mustSucceed: without('deploy without a size'),
	},
	{
		name: 'several sizes, the largest first',
		offers: [offer(8, 2.64), offer(4, 1.36)],
		offersFirst: true,
		mustSucceed: without('deploy without a size'),
	},
] satisfies ComputeWorld[];
