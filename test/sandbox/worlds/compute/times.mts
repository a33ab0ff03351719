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
		mustSucceed: without('find old ones', 'destroy'),
	},
	{
		name: 'dates as epoch, no minutes',
		habits: { dates: 'epoch', listsDates: true, minutes: 'none' },
		// Only what was paid shows an extension, and somebody else may have paid it
		mustSucceed: without('find a lost extension'),
	},
	{
		name: 'dates as local text, no minutes',
		habits: { dates: 'local', listsDates: true, minutes: 'none' },
		mustSucceed: without('find old ones', 'destroy', 'find a lost extension'),
		relaxed: ['destroy what is old', 'example: weekend-guard'].map((scenario) => ({
			law: 'errors say what may bill',
			scenario,
			why: 'No age can be read. The items before the error name each deployment',
		})),
	},
	{
		name: 'no minutes until it runs',
		habits: { minutes: 'fromStart' },
		mustSucceed: EVERY_OPERATION,
	},
] satisfies ComputeWorld[];
