import type { ComputeHabits } from '../../index.mts';
import { EVERY_OPERATION, residents, type ComputeWorld } from '../computeWorld.mts';

const PAGES: Array<[name: string, habits: Partial<ComputeHabits>]> = [
	['pages of 20', { largestPage: 20 }],
	['first page 1', { largestPage: 20, firstPage: 1, refusesPageBelowFirst: true }],
	['page 0 is page 1', { largestPage: 20, firstPage: 1 }],
	['oldest first', { largestPage: 20, oldestFirst: true }],
	['ended ones hidden', { largestPage: 20, hidesEnded: true }],
	['total true', { largestPage: 20, total: 'true' }],
	['total missing', { largestPage: 20, total: 'missing' }],
	['has_next, no total', { largestPage: 20, total: 'hasNext' }],
	['page_size 100 refused', { refusesPagesAbove: 50 }],
	['no filter by status', { ignoresStatus: true }],
	['an entry ends between pages', { largestPage: 20, hidesEnded: true, moves: 'ends' }],
	['an entry arrives between pages', { largestPage: 20, moves: 'arrives' }],
	[
		'oldest first, one ends between pages',
		{ largestPage: 20, hidesEnded: true, oldestFirst: true, moves: 'ends' },
	],
];

/** An account whose list has several pages. */
export default [
	...PAGES.map(([name, habits]): ComputeWorld => ({
		name: `list: ${name}`,
		habits,
		residents: residents(60),
		mustSucceed: EVERY_OPERATION,
	})),
	{
		name: 'list: its first page whatever is asked for',
		habits: { largestPage: 20, total: 'hasNext', ignoresPage: true },
		residents: residents(60),
		mustSucceed: ['deploy anyway', 'extend', 'update', 'destroy'],
	},
] satisfies ComputeWorld[];
