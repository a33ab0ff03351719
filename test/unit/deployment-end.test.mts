import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { described } from '../../nodes/marketplace/deployments.ts';

/** In how many minutes the paid time of a deployment ends, by what is shown of it. */
function minutesLeft(shown: IDataObject): number | undefined {
	const { expires_at: end } = described({ id: 'd', ...shown });
	if (end === undefined) return undefined;
	// Some milliseconds later, what is over by less than a minute rounds to -0
	return Math.round((Date.parse(String(end)) - Date.now()) / 60_000) + 0;
}

it.each<[string, number | string | null | undefined, number | undefined]>([
	['running', 90, 90],
	['running', '90', 90],
	// Its time is over, which a workflow has to see
	['running', 0, 0],
	['termination requested', 0, 0],
	['paused', 0, 0],
	['deployment requested', 90, 90],
	// Its time has not begun: it is not over
	['deployment requested', 0, undefined],
	['destroyed', 90, undefined],
	['running', null, undefined],
	['running', undefined, undefined],
])('one that is %s with %j minutes remaining ends in %j', (status, minutes, expected) => {
	expect(minutesLeft({ status, compute_minutes_remaining: minutes })).toBe(expected);
});
