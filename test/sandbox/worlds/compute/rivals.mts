import { DEPLOY, DEPLOYS, EVERY_OPERATION, without, type ComputeWorld } from '../computeWorld.mts';

/** Another execution buys the same name meanwhile, for longer and on other hardware. */
const rival = { hours: 24, offerId: '20__eu-west-1' };

export default [
	{
		name: 'another buys the same name',
		rival,
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'another buys the same name, ours is lost and not made',
		rival,
		faults: [{ match: DEPLOY, drop: 'before' }],
		mustSucceed: without(...DEPLOYS),
	},
	{
		name: 'another buys the same name, our answer is lost',
		rival,
		faults: [{ match: DEPLOY, drop: 'after' }],
		mustSucceed: EVERY_OPERATION,
	},
] satisfies ComputeWorld[];
