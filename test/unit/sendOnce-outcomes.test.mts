import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../nodes/shared/http/reply.ts';
import {
	isConfirmed,
	reconcile,
	reconcileOwn,
	sendOnce,
	type Evidence,
} from '../../nodes/shared/operation/sendOnce.ts';
import { answer } from './replies.mts';
import { ABSENT, ended, LOST, MADE, purchase, TWO_MINUTES } from './sendOnce-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

const QUARTER_OF_AN_HOUR = 900_000;

const knownIn = (error?: NodeApiError) => error?.context.known as unknown;

it.each([
	['', true],
	[' \n', true],
	['{}', true],
	['{"deployment_id": "a"}', true],
	['{"success": false}', false],
	['{"error": "sold out"}', false],
	['Accepted', false],
	['<html></html>', false],
	['{"deployment_id": "a', false],
])('a 200 with the body %j is a clear yes: %s', (text, is) => {
	expect(isConfirmed(answer(200, text))).toBe(is);
});

describe('what is sent once', () => {
	it('is noted before, and made where the answer proves it', async () => {
		const { context, intent, seen } = purchase();
		const { value } = await ended(
			sendOnce(context, intent, async () => {
				expect(seen.notes).toEqual([{ name: 'job' }]);
				return await Promise.resolve(answer(200, '{"id": 1}'));
			}),
		);
		expect(value).toMatchObject({ state: 'made', item: { id: 'said' } });
		expect([seen.looks, seen.cleared]).toEqual([0, 0]);
	});

	it.each([
		[
			'it shows at the third look',
			[ABSENT, ABSENT, MADE],
			{ state: 'made', item: { id: 'm1' } },
			3,
		],
		['it never shows', [ABSENT], { state: 'confirmed', problem: 'it is not in the list' }, 8],
	] as const)('after a yes without proof: %s', async (_, looks, expected, count) => {
		const { context, intent, seen } = purchase({ looks: [...looks] });
		const { value } = await ended(
			sendOnce(context, intent, async () => await Promise.resolve(answer(200))),
		);
		expect(value).toMatchObject({ ...expected, reply: { status: 200 } });
		expect([seen.looks, seen.cleared]).toEqual([count, 0]);
	});

	it('was never sent: nothing is looked for, and it may be sent again', async () => {
		const { context, intent, seen } = purchase({ looks: [MADE] });
		const unsent: Reply = { kind: 'unsent', reason: 'No connection' };
		const { value } = await ended(
			sendOnce(context, intent, async () => await Promise.resolve(unsent)),
		);
		expect(value).toEqual({ state: 'rejected', reply: unsent });
		expect([seen.looks, seen.cleared]).toEqual([0, 1]);
	});

	it('was refused and does not show: one look, and it may be sent again', async () => {
		const { context, intent, seen } = purchase();
		const { value } = await ended(
			sendOnce(context, intent, async () => await Promise.resolve(answer(400))),
		);
		expect(value).toMatchObject({ state: 'rejected', reply: { status: 400 } });
		expect([seen.looks, seen.cleared]).toEqual([1, 1]);
	});

	it('was refused by a service that may have done it: it is looked for as after a lost answer', async () => {
		const { context, intent, seen } = purchase({ mayBeDone: () => true });
		await ended(sendOnce(context, intent, async () => await Promise.resolve(answer(409))));
		expect([seen.looks, seen.cleared]).toEqual([8, 1]);
	});

	it.each<[string, Array<Evidence | Error>, number]>([
		['none of them can be read', [new Error('no list')], 0],
		['one of them can be read', [new Error('no list'), ABSENT, new Error('no list')], 1],
	])('was refused by a service that may have done it, and looks fail: %s', async (_, looks, no) => {
		const { context, intent, seen } = purchase({ mayBeDone: () => true, looks });
		const { value, error } = await ended(
			sendOnce(context, intent, async () => await Promise.resolve(answer(409))),
			3 * TWO_MINUTES,
		);
		expect([value?.state, seen.cleared]).toEqual([no ? 'rejected' : undefined, no]);
		if (!no) expect(knownIn(error)).toEqual({ name: 'job', id: null, outcome: 'unknown' });
	});

	it('was refused for certain, and cannot be looked for: the no stands', async () => {
		const { context, intent, seen } = purchase({ looks: [new Error('no list')] });
		const { value } = await ended(
			sendOnce(context, intent, async () => await Promise.resolve(answer(402))),
		);
		expect([value?.state, seen.looks, seen.cleared]).toEqual(['rejected', 1, 1]);
	});

	it.each([
		['shows', MADE, 'it shows all the same (m1)'],
		[
			'may be what shows',
			{ state: 'unknown', problem: 'two have its name', item: { id: 'm2' }, mayBeIt: true },
			'two have its name',
		],
	] as const)('was refused and %s: neither passed on nor sent again', async (_, look, words) => {
		const { context, intent, seen } = purchase({ looks: [look] });
		intent.facts = { id: null };
		const { error } = await ended(
			sendOnce(context, intent, async () => await Promise.resolve(answer(400, '{"detail": "no"}'))),
		);
		expect(error?.message).toBe(
			`Deploy of "job": outcome unknown. Request rejected (400): no, and ${words}. Look for it first`,
		);
		expect([knownIn(error), seen.cleared]).toEqual([{ id: null, outcome: 'unknown' }, 0]);
		expect(intent.note.isRefused).toBe(true);
	});

	it('was refused, and what shows can be nobody else’s: it was made', async () => {
		const { context, intent } = purchase({ looks: [MADE], note: { isUnique: true } });
		const { value } = await ended(
			sendOnce(context, intent, async () => await Promise.resolve(answer(400))),
		);
		expect(value).toEqual({ state: 'made', item: { id: 'm1', recovered: true } });
		expect(intent.note.isRefused).toBe(false);
	});

	it.each([
		['shows', [MADE], undefined],
		['does not show', [ABSENT], 'it is not in the list'],
		['cannot be looked up', [new Error('no list')], 'the list could not be read: no list'],
	] as const)('has lost its answer and %s', async (_, looks, problem) => {
		const { context, intent, seen } = purchase({ looks: [...looks] });
		const { value, error } = await ended(
			sendOnce(context, intent, async () => await Promise.resolve(LOST)),
		);
		if (problem === undefined)
			expect(value).toEqual({ state: 'made', item: { id: 'm1', recovered: true } });
		else {
			expect(error?.message).toBe(
				`Deploy of "job": outcome unknown. The connection broke, and ${problem}. Look for it first`,
			);
			expect(error?.description).toBe('It may exist.');
			expect(knownIn(error)).toEqual({ name: 'job', id: null, outcome: 'unknown' });
		}
		expect(seen.cleared).toBe(0);
		expect(intent.note.ended).toBe('The answer to an earlier try of this node was lost');
	});

	it('was cancelled under way: n8n’s log says what may have been bought', async () => {
		const { context, intent, seen } = purchase({ looks: [MADE] });
		const { error } = await ended(
			sendOnce(context, intent, async () => await Promise.resolve({ kind: 'cancelled' as const })),
		);
		expect(error?.message).toContain('cancelled');
		expect(seen.logged).toEqual([['Cancelled while it was under way', { name: 'job', id: null }]]);
		expect([seen.looks, seen.cleared]).toEqual([0, 0]);
	});

	it('is looked for until the execution is cancelled', async () => {
		const cancel = new AbortController();
		const { context, intent, seen } = purchase({ signal: cancel.signal });
		const work = sendOnce(context, intent, async () => await Promise.resolve(LOST));
		const settled = ended(work, 0);
		await pass(10_000);
		const { looks } = seen;
		cancel.abort();
		await pass(TWO_MINUTES);
		const { error } = await settled;
		expect(error?.message).toContain('cancelled');
		expect([looks, seen.looks, seen.logged.length]).toEqual([3, 3, 1]);
	});

	it.each([
		['at once', 0, {}],
		['while it is looked for', 20_000, { mayBeDone: () => true }],
	])(
		'was refused and cancelled %s: what nobody has looked for is not known',
		async (_, ms, more) => {
			const cancel = new AbortController();
			const { context, intent, seen } = purchase({ signal: cancel.signal, ...more });
			if (ms === 0) cancel.abort();
			const settled = ended(
				sendOnce(context, intent, async () => await Promise.resolve(answer(409))),
				ms,
			);
			await pass(ms);
			cancel.abort();
			const { error } = await settled;
			expect(error?.message).toContain('cancelled');
			expect(seen.logged).toEqual([
				['Cancelled while it was under way', { name: 'job', id: null }],
			]);
			expect(seen.cleared).toBe(0);
		},
	);

	it('was refused where nothing can be looked up, and cancelled: the no stands', async () => {
		const { context, intent, seen } = purchase({
			signal: AbortSignal.abort(),
			evidence: undefined,
		});
		const work = sendOnce(context, intent, async () => await Promise.resolve(answer(409)));
		const { value } = await ended(work);
		expect([value?.state, seen.cleared]).toEqual(['rejected', 1]);
	});
});

describe('what an earlier try has noted', () => {
	it('is looked for, and returned where it shows', async () => {
		const { context, intent } = purchase({ looks: [ABSENT, MADE] });
		const { value } = await ended(reconcileOwn(context, intent));
		expect(value).toEqual({ id: 'm1', recovered: true });
	});

	it.each([
		[QUARTER_OF_AN_HOUR, false],
		[QUARTER_OF_AN_HOUR + 1, true],
	])('is taken for never made only after a quarter of an hour (%i: %s)', async (ageMs, isFree) => {
		const { context, intent, seen } = purchase({ ageMs });
		const { value, error } = await ended(reconcileOwn(context, intent));
		expect([value, error === undefined, seen.cleared]).toEqual([undefined, isFree, isFree ? 1 : 0]);
	});

	it('is not, while it cannot be looked up', async () => {
		const unknown: Evidence = { state: 'unknown', problem: 'two have its name' };
		const { context, intent, seen } = purchase({ ageMs: QUARTER_OF_AN_HOUR + 1, looks: [unknown] });
		const { error } = await ended(reconcileOwn(context, intent));
		expect(error?.message).toContain('outcome unknown');
		expect(seen.cleared).toBe(0);
	});

	it.each([
		[{ isRefused: true }, 'The service said no to an earlier try of this node'],
		[{ ended: 'It was lost' }, 'It was lost'],
		[{}, 'An earlier try of this node did not end'],
	])('%j tells why its outcome is unknown', async (note, words) => {
		const { context, intent } = purchase({
			note,
			evidence: 'There is no list',
			warning: undefined,
		});
		const { error } = await ended(reconcile(context, intent));
		expect(error?.message).toBe(`Deploy of "job": outcome unknown. ${words}, and There is no list`);
	});
});
