import { describe, expect, it } from 'vitest';
import { Beginning } from '../../nodes/CaasLogsTrigger/beginning.ts';
import { Connection } from '../../nodes/CaasLogsTrigger/connection.ts';
import type { ReaderHost } from '../../nodes/CaasLogsTrigger/logReader.ts';
import { Opening } from '../../nodes/CaasLogsTrigger/opening.ts';
import { LOG_CREDENTIALS } from '../../nodes/marketplace/log/credentials.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import { delay } from '../../nodes/shared/time.ts';
import { Body, functionsOf, LOG, settingsOf, type Answered, type Asked } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

/** Opens connections of a service that answers in order, each after a time. */
async function openings(
	answers: Array<Answered & { afterMs?: number }>,
	idleTimeoutMs = 300_000,
	signal = new AbortController().signal,
) {
	const asked: Asked[] = [];
	const functions = functionsOf(async (request) => {
		asked.push(request);
		const { afterMs = 0, ...answer } = answers.shift() ?? {};
		await delay(afterMs);
		return answer;
	});
	let slots = 0;
	const settings = settingsOf({ idleTimeoutMs });
	const host = { settings, requestSlot: async () => void (await Promise.resolve(slots++)) };
	const opening = new Opening(LOG, host as unknown as ReaderHost, new Beginning(LOG, settings));
	const account = await openAccount(functions, LOG_CREDENTIALS);
	const context = { functions, account, signal };
	const open = async (from = BEGINNING, passMs = 0) => {
		const opened = opening.open(context, from, signal, () => undefined);
		await pass(passMs);
		return await opened;
	};
	return { opening, asked, open, slots: () => slots };
}

const within = { entries: 7, bytes: 70, lastEventId: '' };

it.each([
	[4_999, false],
	[5_000, false],
	[5_001, true],
])('a service that answers after %d ms: only when a line is written? %s', async (ms, isLate) => {
	const { opening, open } = await openings([{ body: new Body(), afterMs: ms }]);
	expect(opening.answersLate).toBe(false);
	expect(await open(BEGINNING, ms)).toBeInstanceOf(Connection);
	expect(opening.answersLate).toBe(isLate);
});

describe('no answer', () => {
	it('of a service that answers at once is late after half a minute, and no silence of the log', async () => {
		const { open } = await openings([{ afterMs: 40_000, body: new Body() }]);
		expect(await open(within, 30_000)).toMatchObject({
			reason: 'No response within 30 seconds',
			isLate: true,
			isSilence: false,
		});
	});

	it.each([
		['the idle timeout', 60_000, 60_000],
		['half a minute, where that is longer', 10_000, 30_000],
		['a day, where silence has no limit', 0, 86_400_000],
	])('of one that answers with a line is silence after %s', async (_, idleMs, headMs) => {
		const late = { afterMs: 6_000, body: new Body() };
		const { open } = await openings([late, { ...late, afterMs: headMs * 2 }], idleMs);
		await open(within, 6_000);
		const opened = open(within);
		await pass(headMs - 1);
		expect(await Promise.race([opened, pass().then(() => 'waits')])).toBe('waits');
		await pass(1);
		expect(await opened).toMatchObject({ isLate: true, isSilence: true });
	});

	it('is neither where the service refuses at once', async () => {
		const late = { afterMs: 6_000, body: new Body() };
		const { open } = await openings([late, { status: 503 }]);
		await open(within, 6_000);
		expect(await open(within)).toMatchObject({ isLate: false, isSilence: false });
	});
});

describe('a service that refuses an offset', () => {
	it('of 0 is asked without one, now and later', async () => {
		const body = new Body();
		const { open, asked, slots } = await openings([{ status: 416 }, { body }, { body }]);
		expect(await open()).toBeInstanceOf(Connection);
		expect(slots()).toBe(1);
		expect(await open()).toBeInstanceOf(Connection);
		expect(asked.map(({ qs }) => qs.offset)).toEqual([0, undefined, undefined]);
	});

	it('of 0 and all others has refused for another reason: the first answer counts, and 0 is asked for again', async () => {
		const { open, asked } = await openings([{ status: 416 }, { status: 503 }, { status: 404 }]);
		expect(await open()).toMatchObject({ isOffsetValue: true });
		expect(await open()).toMatchObject({ isOffset: true, isOffsetValue: false });
		expect(asked.map(({ qs }) => qs.offset)).toEqual([0, undefined, 0]);
	});

	it('within the log is not asked twice', async () => {
		const { open, asked } = await openings([{ status: 416 }]);
		expect(await open(within)).toMatchObject({ isOffsetValue: true });
		expect(asked).toHaveLength(1);
	});

	it.each([
		['first', [{ afterMs: 1_000 }]],
		['second', [{ status: 416 }, { afterMs: 1_000 }]],
	])('has none once reading stops within the %s request', async (_, answers) => {
		const controller = new AbortController();
		const { open, asked } = await openings([...answers], 0, controller.signal);
		const opened = open();
		await pass(500);
		controller.abort();
		expect(await opened).toBeUndefined();
		expect(asked).toHaveLength(answers.length);
	});
});
