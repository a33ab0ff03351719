import { describe, expect, it } from 'vitest';
import {
	boughtHere,
	destroyedHere,
	hasOrderedInVain,
	isConfirmedUnseen,
	isOfAnother,
	namesBought,
	noteAccepted,
	noteBought,
	noteConfirmed,
	noteDestroyed,
	noteOrdered,
	noteServed,
	ownDeployment,
	wasToldToEnd,
} from '../../nodes/marketplace/ownDeployments.ts';
import { CAAS } from '../../nodes/marketplace/product.ts';
import { inTurn } from '../../nodes/marketplace/turns.ts';
import { elapsed, now } from '../../nodes/shared/time.ts';
import { Market, productContext } from './market-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

const market = new Market();
const execution = async () => await productContext(market);

describe('what an execution has done to a deployment', () => {
	it('is known in all of its nodes, and in no other execution', async () => {
		const flow = {};
		const context = await productContext(market, { flow });
		noteBought(context, 'd1', { names: ['job', 'job-1'], purchaseId: 'p1' });
		noteAccepted(context, 'd1');
		noteAccepted(context, 'd2');
		const next = await productContext(market, { flow });
		expect(ownDeployment(next, 'd1')).toEqual({
			deploymentId: 'd1',
			names: ['job', 'job-1'],
			purchaseId: 'p1',
			isAccepted: true,
		});
		expect(ownDeployment(next, 'd2')).toEqual({ isAccepted: true });
		noteBought(context, 'd2', { names: ['b'], purchaseId: 'p2' });
		expect(ownDeployment(next, 'd2')).toEqual({
			deploymentId: 'd2',
			names: ['b'],
			purchaseId: 'p2',
			isAccepted: true,
		});
		expect(ownDeployment(await execution(), 'd1')).toBeUndefined();
		expect(ownDeployment({ ...next, product: CAAS }, 'd1')).toBeUndefined();
	});

	it('tells what it has bought under a name, and what of that it has destroyed', async () => {
		const context = await execution();
		noteBought(context, 'd1', { names: ['job', 'cut'], purchaseId: 'p1' });
		noteBought(context, 'd2', { names: ['job'], purchaseId: 'p2' });
		noteBought(context, 'd3', { names: ['other'], purchaseId: 'p3' });
		noteDestroyed(context, 'd2');
		noteDestroyed(context, 'd4');
		expect([boughtHere(context, 'job'), destroyedHere(context, 'job')]).toEqual([['d1'], ['d2']]);
		expect([boughtHere(context, 'cut'), destroyedHere(context, 'cut')]).toEqual([['d1'], []]);
		expect(ownDeployment(context, 'd2')).toEqual({
			deploymentId: 'd2',
			names: ['job'],
			purchaseId: 'p2',
			isDestroyed: true,
		});
	});

	it('is known in whatever case its ID is shown, and has the one that was bought', async () => {
		const context = await execution();
		noteAccepted(context, 'C0FFEE');
		noteBought(context, 'c0ffee', { names: ['job'], purchaseId: 'p1' });
		expect(ownDeployment(context, 'C0ffee')).toMatchObject({ isAccepted: true, purchaseId: 'p1' });
		expect(boughtHere(context, 'job')).toEqual(['c0ffee']);
		expect(isOfAnother(await execution(), 'C0FFEE', 'p2')).toBe(true);
		noteConfirmed(context, 'job', { purchaseId: 'p2', sentAt: now(), knownIds: ['d1'] });
		expect(isConfirmedUnseen(context, 'job', ['D1', 'C0FFEE'])).toBe(true);
		noteDestroyed(context, 'C0FFEE');
		expect(destroyedHere(context, 'job')).toEqual(['c0ffee']);
	});

	it('was told to end for good here, and for a quarter of an hour in other executions', async () => {
		const [context, other] = [await execution(), await execution()];
		expect(wasToldToEnd(context, 'ending')).toBe(false);
		noteAccepted(context, 'ending');
		await pass(899_999);
		expect(wasToldToEnd(other, 'Ending')).toBe(true);
		expect(wasToldToEnd({ ...other, product: CAAS }, 'ending')).toBe(false);
		await pass(1);
		expect([context, other].map((one) => wasToldToEnd(one, 'ending'))).toEqual([true, false]);
	});

	it('frees the name of what it has destroyed for all executions', async () => {
		const [context, other] = [await execution(), await execution()];
		await inTurn(context, { name: 'freed' }, async ({ bought }) => {
			bought.set('d1', elapsed());
			await Promise.resolve();
		});
		noteDestroyed(other, 'd1');
		const left = inTurn(
			context,
			{ name: 'freed' },
			async ({ bought }) => await Promise.resolve(bought.size),
		);
		expect(await left).toBe(0);
	});

	it('has the names of all that was bought, also without an ID', async () => {
		const context = await execution();
		noteAccepted(context, 'd0');
		noteBought(context, 'd1', { names: ['job', 'cut'], purchaseId: 'p1' });
		noteConfirmed(context, 'late', { purchaseId: 'p2', sentAt: now() });
		expect(namesBought(context)).toEqual(['job', 'cut', 'late']);
	});

	it('has ordered in vain until it has got something under the name', async () => {
		const context = await execution();
		expect(hasOrderedInVain(context, 'job')).toBe(false);
		noteOrdered(context, 'job');
		expect(hasOrderedInVain(context, 'job')).toBe(true);
		expect(hasOrderedInVain(context, 'other')).toBe(false);
		noteServed(context, 'job');
		noteOrdered(context, 'job');
		expect(hasOrderedInVain(context, 'job')).toBe(false);
	});
});

describe('a deployment of a purchase', () => {
	it('is not that of another one of this process, whatever the execution', async () => {
		noteBought(await execution(), 'mine', { names: ['job'], purchaseId: 'p1' });
		const other = await execution();
		expect(isOfAnother(other, 'mine', 'p2')).toBe(true);
		expect(isOfAnother(other, 'mine', 'p1')).toBe(false);
		expect(isOfAnother({ ...other, product: CAAS }, 'mine', 'p2')).toBe(false);
		expect(isOfAnother(other, 'unknown', 'p2')).toBe(false);
	});

	it('is known to its execution where the process has forgotten it', async () => {
		const context = await execution();
		noteBought(context, 'oldest', { names: ['job'], purchaseId: 'p1' });
		const other = await execution();
		const remembered = () => isOfAnother(other, 'oldest', 'p2');
		let count = 0;
		const more = () => noteBought(other, `more ${count}`, { names: [], purchaseId: `q${count++}` });
		while (count < 9_000) more();
		expect(remembered()).toBe(true);
		while (count < 10_000) more();
		expect(remembered()).toBe(false);
		expect(isOfAnother(context, 'oldest', 'p2')).toBe(true);
	});
});

describe('a purchase that was confirmed without an ID', () => {
	const confirmed = async (knownIds?: string[]) => {
		const context = await execution();
		noteConfirmed(context, 'job', { purchaseId: 'p1', sentAt: now(), knownIds });
		return context;
	};

	it('is unseen for a quarter of an hour', async () => {
		const context = await confirmed(['d1']);
		expect(isConfirmedUnseen(context, 'job', [])).toBe(true);
		expect(isConfirmedUnseen(context, 'other', [])).toBe(false);
		await pass(899_999);
		expect(isConfirmedUnseen(context, 'job', ['d1', undefined])).toBe(true);
		await pass(1);
		expect(isConfirmedUnseen(context, 'job', [])).toBe(false);
	});

	it('is seen where something new has the name', async () => {
		const context = await confirmed(['d1']);
		expect(isConfirmedUnseen(context, 'job', ['d1'])).toBe(true);
		expect(isConfirmedUnseen(context, 'job', ['d1', 'd2'])).toBe(false);
		// That is another purchase of this execution
		noteBought(context, 'd2', { names: ['job'], purchaseId: 'p2' });
		expect(isConfirmedUnseen(context, 'job', ['d1', 'd2'])).toBe(true);
		noteBought(context, 'd2', { names: ['other'], purchaseId: 'p2' });
		expect(isConfirmedUnseen(context, 'job', ['d1', 'd2'])).toBe(false);
	});

	it('is unseen where it is not known what had the name', async () => {
		expect(isConfirmedUnseen(await confirmed(), 'job', ['d1'])).toBe(true);
	});

	it('is seen once its ID was found', async () => {
		const context = await confirmed([]);
		noteBought(context, 'd1', { names: ['job'], purchaseId: 'p1' });
		expect(isConfirmedUnseen(context, 'job', ['d1'])).toBe(false);
	});

	it('is one of several', async () => {
		const context = await confirmed([]);
		noteConfirmed(context, 'job', { purchaseId: 'p2', sentAt: now(), knownIds: [] });
		noteBought(context, 'd1', { names: ['job'], purchaseId: 'p2' });
		expect(isConfirmedUnseen(context, 'job', ['d1'])).toBe(true);
		noteBought(context, 'd2', { names: ['job'], purchaseId: 'p1' });
		expect(isConfirmedUnseen(context, 'job', ['d1', 'd2'])).toBe(false);
	});
});
