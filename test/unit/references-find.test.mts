import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	noteBought,
	noteConfirmed,
	noteDestroyed,
	noteOrdered,
} from '../../nodes/marketplace/ownDeployments.ts';
import { ownerOf, type ProductContext } from '../../nodes/marketplace/product.ts';
import { find } from '../../nodes/marketplace/references.ts';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { now } from '../../nodes/shared/time.ts';
import { Market, productContext, REFUSED, refusalOf } from './market-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

/** A process remembers what it has bought, by the account: no other file has this one. */
async function contextAt(...given: Parameters<typeof productContext>): Promise<ProductContext> {
	const context = await productContext(...given);
	return { ...context, account: { ...context.account, keyHash: 'references find' } };
}

const bought = (context: ProductContext, id: string, purchaseId = 'p1', name = 'job') =>
	noteBought(context, id, { names: [name], purchaseId });

const ORDER = { hardware_id: 7, gpus: 1, workers: 1, duration_hours: 2 };

/** Notes that another item of this execution has sent a deploy whose outcome is open. */
function sent(context: ProductContext, more: IDataObject = {}, item = 1): void {
	openJournals(context.functions)(item).note({
		...ownerOf(context),
		resource_private_name: 'job',
		purchaseId: 'p1',
		order: { ...ORDER, sentAt: now() },
		...more,
	});
}

const job = async (context: ProductContext) => await find(context, { name: 'job' });

describe('a name', () => {
	it('leads to nothing where several have not ended', async () => {
		const context = await contextAt(new Market().add('d1').add('d2'));
		expect(await refusalOf(job(context))).toMatchObject({
			message: '2 deployments named "job" have not ended: d1, d2. Choose one of them By ID',
		});
	});

	it('leads to no more than those that have ended, by the list or by their details', async () => {
		const market = new Market().add('d1', { status: 'failed' }).add('d2');
		market.details.set('d2', { deployment_id: 'd2', status: 'destroyed' });
		expect(await job(await contextAt(market))).toEqual({
			state: 'ended',
			entries: market.listed,
			mayShow: true,
		});
	});

	it('may show within two minutes, over all tries of an execution', async () => {
		const flow = {};
		const market = new Market();
		const first = await contextAt(market, { flow });
		expect(await job(first)).toEqual({ state: 'never seen', mayShow: true });
		await pass(120_000);
		expect(await job(first)).toEqual({ state: 'never seen', mayShow: false });
		const retry = await contextAt(market, { flow });
		expect(await job(retry)).toEqual({ state: 'never seen', mayShow: false });
		expect(await find(retry, { name: 'other' })).toEqual({ state: 'never seen', mayShow: true });
	});

	it('that has shown in between may show again', async () => {
		const flow = {};
		const market = new Market();
		await job(await contextAt(market, { flow }));
		market.add('d1');
		await pass(100_000);
		const retry = await contextAt(market, { flow });
		expect(await job(retry)).toEqual({ state: 'found', id: 'd1' });
		market.listed.pop();
		await pass(100_000);
		expect(await job(retry)).toEqual({ state: 'never seen', mayShow: true });
	});

	it('leads nowhere while the list cannot be read', async () => {
		const market = new Market();
		market.instead = () => REFUSED;
		expect(await refusalOf(job(await contextAt(market)))).toMatchObject({
			message: expect.stringMatching(/^The list of deployments could not be read: /) as string,
		});
	});
});

describe('a name under which this execution has bought', () => {
	it('leads to that one though the list cannot be read, unless it is cancelled', async () => {
		const market = new Market().hide('d1');
		market.instead = (request) => (request === 'GET deployments' ? REFUSED : undefined);
		const context = await contextAt(market);
		bought(context, 'd1');
		expect(await job(context)).toEqual({ state: 'found', id: 'd1' });
		const cancelled = { ...context, signal: AbortSignal.abort() };
		expect(await refusalOf(job(cancelled))).toMatchObject({
			message: expect.stringMatching(/^The list of deployments could not be read: /) as string,
		});
	});

	it('leads to that one though the list does not show it', async () => {
		const context = await contextAt(new Market().hide('d1'));
		bought(context, 'd1');
		expect(await job(context)).toEqual({ state: 'found', id: 'd1' });
	});

	it('leads to that one once, where the list shows it', async () => {
		const context = await contextAt(new Market().add('d1'));
		bought(context, 'd1');
		noteOrdered(context, 'job');
		expect(await job(context)).toEqual({ state: 'found', id: 'd1' });
	});

	it('leads to nothing where another one has it, too', async () => {
		const context = await contextAt(new Market().add('d2').hide('d1'));
		bought(context, 'd1');
		expect(await refusalOf(job(context))).toMatchObject({
			message: '2 deployments named "job" have not ended: d2, d1. Choose one of them By ID',
		});
	});

	it('and destroyed leads to what has ended: no younger one will show', async () => {
		const market = new Market();
		const context = await contextAt(market);
		bought(context, 'd1');
		noteDestroyed(context, 'd1');
		const entries = [{ deployment_id: 'd1', status: 'destroyed' }];
		expect(await job(context)).toEqual({ state: 'ended', entries, mayShow: false });
		market.add('d1', { status: 'destroyed' });
		expect(await job(context)).toEqual({ state: 'ended', entries: market.listed, mayShow: false });
	});

	it('leads to nothing yet where the deploy was confirmed and does not show', async () => {
		const market = new Market().add('d2', { status: 'failed' });
		const context = await contextAt(market);
		noteConfirmed(context, 'job', { purchaseId: 'p1', sentAt: now(), knownIds: ['d2'] });
		expect(await job(context)).toEqual({ state: 'never seen', mayShow: true });
	});

	it('leads to nothing yet where the outcome of the deploy is open', async () => {
		const context = await contextAt(new Market().add('d2', { status: 'failed' }));
		sent(context);
		expect(await job(context)).toEqual({ state: 'never seen', mayShow: true });
	});
});

describe('a deployment of a name under which this execution has ordered', () => {
	const STRANGER = {
		message:
			'Deployment d2 has the name "job", but it is not the one that this execution has ordered',
		description: 'If you mean this one, choose it By ID.',
	};
	const context = async (more: IDataObject = {}) => await contextAt(new Market().add('d2', more));

	it.each<[string, (context: ProductContext) => void]>([
		['the one that it has bought has ended', (own) => bought(own, 'd1')],
		[
			'it has destroyed its own one',
			(own) => {
				bought(own, 'd1');
				noteDestroyed(own, 'd1');
			},
		],
		['the order came to nothing', (own) => noteOrdered(own, 'job')],
		['it was there before', (own) => sent(own, { knownIds: ['d2'] })],
		['the order was refused', (own) => sent(own, { isRefused: true })],
	])('is that of somebody else where %s', async (_, before) => {
		const market = new Market().add('d2').hide('d1', { status: 'destroyed' });
		const own = await contextAt(market);
		before(own);
		expect(await refusalOf(job(own))).toMatchObject(STRANGER);
	});

	it('is that of somebody else where it is of another size', async () => {
		const own = await context({ gpus_per_vm: 8 });
		sent(own);
		expect(await refusalOf(job(own))).toMatchObject(STRANGER);
	});

	it.each<[string, IDataObject, Array<Record<string, unknown>>]>([
		['it is as ordered', { gpus_per_vm: 1, total_vms: 1 }, [{}]],
		['only its time is not that of the order', { created_at: '2020-01-01T00:00:00Z' }, [{}]],
		['one of two orders may have made it', {}, [{ knownIds: ['d2'] }, {}]],
		['others were there before', {}, [{ knownIds: ['d1'] }]],
		['the order was of another account', {}, [{ account: 'other', isRefused: true }]],
		['the order was of another name', {}, [{ resource_private_name: 'b', isRefused: true }]],
		['the note is of no deploy', {}, [{ resource_private_name: null, isRefused: true }]],
	])('is the one that is meant where %s', async (_, shown, notes) => {
		const own = await context(shown);
		notes.forEach((note, index) => sent(own, note as IDataObject, index + 1));
		expect(await job(own)).toEqual({ state: 'found', id: 'd2' });
	});

	it('and that this execution has bought under another name is that of the order that made it', async () => {
		const own = await contextAt(new Market().add('d7'));
		bought(own, 'd7', 'p2', 'other');
		sent(own);
		const refusal = await refusalOf(job(own));
		expect(refusal?.message).toBe(STRANGER.message.replace('d2', 'd7'));
		sent(own, { purchaseId: 'p2' });
		expect(await job(own)).toEqual({ state: 'found', id: 'd7' });
	});

	it('is the one that is meant as long as nothing can be read that tells otherwise', async () => {
		const market = new Market().add('d2');
		let isRead = false;
		market.instead = (request) => {
			if (isRead) return REFUSED;
			isRead = request === 'GET deployment/d2';
			return undefined;
		};
		const own = await contextAt(market);
		sent(own);
		expect(await job(own)).toEqual({ state: 'found', id: 'd2' });
	});
});
