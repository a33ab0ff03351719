import { describe, expect, it } from 'vitest';
import type { Answer } from '../../nodes/CaasLogsTrigger/answer.ts';
import { FollowUp } from '../../nodes/CaasLogsTrigger/followUp.ts';
import { answerOf, knownOf, lines } from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const known = knownOf(lines(32), 100);
const page = (brought: number, more: Partial<Answer> = {}): Answer =>
	Object.assign(answerOf({ ending: 'ended' }, known), { brought, foundAt: 32, ...more });

/** Whether another request follows each of these answers at once. */
function followed(...answers: Answer[]): boolean[] {
	const followUp = new FollowUp();
	return answers.map((_, index) => {
		followUp.answered(answers.slice(0, index + 1));
		return followUp.isDue;
	});
}

describe('an answer is followed at once', () => {
	it.each<[string, Answer, boolean]>([
		['if it has brought something and ended', page(1), true],
		['also where the service counts from one', page(1, { foundAt: 37 }), true],
		['but not if it was long before the known entries', page(1, { foundAt: 38 }), false],
		['nor if it has brought nothing', page(0), false],
		['nor if it was lost', page(1, { ending: 'broken' }), false],
		['nor if it is silent', page(1, { ending: 'silent' }), false],
		['nor if the place is not in it', page(1, { foundAt: undefined }), false],
		[
			'nor if nothing was known',
			Object.assign(answerOf({ ending: 'ended' }), { brought: 9 }),
			false,
		],
	])('%s', (_, answer, is) => {
		expect(followed(answer)).toEqual([is]);
	});

	it('as long as each brings as much, and once more', () => {
		expect(followed(page(4), page(39), page(39), page(8), page(0), page(4))).toEqual([
			true,
			true,
			true,
			true,
			false,
			true,
		]);
	});

	it.each([10, 50])('more and more rarely where it brings little: %d lines', (brought) => {
		const followUp = new FollowUp();
		const history: Answer[] = [];
		const without: number[] = [];
		let since = 0;
		for (let index = 0; index < 60; index++) {
			history.push(page(brought));
			followUp.answered(history);
			if (!followUp.isDue) {
				since++;
				continue;
			}
			without.push(since);
			since = 0;
			// A fifth would be much
			history.push(page(brought / 5 - 1));
			followUp.answered(history);
			expect(followUp.isDue).toBe(false);
		}
		expect(without.slice(0, 8)).toEqual([0, 0, 1, 3, 7, 7, 7, 7]);
	});

	it('as before, once it has brought much again', () => {
		const little = [page(9), page(0)];
		const [much, most] = [page(10), page(2)];
		expect(followed(...little, ...little, page(9), much, most, page(0), much)).toEqual([
			true,
			false,
			true,
			false,
			false,
			true,
			true,
			false,
			true,
		]);
	});
});
