import { EVERY_OPERATION, without, type ComputeWorld } from '../computeWorld.mts';

/** How ages and remaining times are told. */
export default [
	{
		name: 'minutes summed over GPUs',
		habits: { sumsMinutes: true, listsDates: true },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'minutes summed, dates in details only',
		habits: { sumsMinutes: true },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'dates as epoch',
		habits: { dates: 'epoch', listsDates: true },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'dates as local text',
		habits: { dates: 'local', listsDates: true },
		mustSucceed: without('find old ones'),
	},
	{
		name: 'dates as epoch, no minutes',
		habits: { dates: 'epoch', listsDates: true, minutes: 'none' },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'dates as local text, no minutes',
		habits: { dates: 'local', listsDates: true, minutes: 'none' },
		mustSucceed: without('find old ones'),
	},
	{
		name: 'no minutes until it runs',
		habits: { minutes: 'fromStart' },
		mustSucceed: EVERY_OPERATION,
	},
] satisfies ComputeWorld[];
