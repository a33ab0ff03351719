import { describe, expect, it } from 'vitest';
import { boughtBefore } from '../../nodes/marketplace/boughtBefore.ts';
import { noteAccepted, noteDestroyed } from '../../nodes/marketplace/ownDeployments.ts';
import { noteList, noteSeen, whatIs, whatIsForCertain } from '../../nodes/marketplace/presence.ts';
import { ABSENT, Market, productContext, REFUSED, refusalOf } from './market-parts.mts';
import { ended, pass, useStillTime } from './still-time.mts';

useStillTime();

describe('what an earlier try has bought', () => {
	it('is the result of a retry, as long as none of it has ended', async () => {
		const market = new Market().add('d1').add('d2', { status: 'terminating' });
		const results = [{ deployment_id: 'd1' }, { deployment_id: 'd2' }];
		expect(await boughtBefore(await productContext(market), results)).toEqual(results);
		expect(market.asked).toEqual(['GET deployment/d1', 'GET deployment/d2']);
	});

	it('is an error once any of it has ended, and is not bought again', async () => {
		const market = new Market().add('d1').add('d2', { status: 'failed' });
		const results = [{ deployment_id: 'd1' }, { deployment_id: 'd2' }];
		expect(await refusalOf(boughtBefore(await productContext(market), results))).toEqual({
			message: 'Deployment d2, which an earlier try of this item has bought, has ended (failed)',
			description: 'Nothing was deployed now. Execute the workflow again to deploy another one.',
			known: { deployment_id: 'd2' },
		});
	});

	it('is an error where this execution has destroyed it, and nothing shows its status', async () => {
		const context = await productContext(new Market());
		noteDestroyed(context, 'd1');
		expect(await refusalOf(boughtBefore(context, [{ deployment_id: 'd1' }]))).toMatchObject({
			message: 'Deployment d1, which an earlier try of this item has bought, has ended',
		});
	});

	it('cannot be looked at without an ID, and is passed on', async () => {
		const market = new Market();
		const results = [{ deployment_id: null }, { deployment_id: '' }, { dry_run: true }];
		expect(await boughtBefore(await productContext(market), results)).toEqual(results);
		expect(market.asked).toEqual([]);
	});
});

describe('what a deployment is', () => {
	it('is told by the list where its details are not there', async () => {
		const market = new Market().add('d1', { status: 'failed' });
		market.details.clear();
		expect(await whatIs(await productContext(market), 'd1')).toMatchObject({
			state: 'ended',
			details: { status: 'failed' },
		});
	});

	it('is "ended" of what was destroyed here and shows nowhere', async () => {
		const context = await productContext(new Market());
		noteDestroyed(context, 'd1');
		expect(await whatIs(context, 'd1')).toEqual({ state: 'ended' });
	});

	it('is "never seen" without a list where neither list nor details are there', async () => {
		const market = new Market();
		market.instead = () => ABSENT;
		expect(await whatIs(await productContext(market), 'd1')).toEqual({
			state: 'never seen',
			hasList: false,
			isYoung: true,
		});
	});

	it('cannot be read where the list was there before, or is refused', async () => {
		const market = new Market();
		market.instead = () => ABSENT;
		const context = await productContext(market);
		noteList(context);
		expect(await whatIs(context, 'd1')).toMatchObject({ state: 'unreadable' });
		market.instead = (request) => (request === 'GET deployments' ? REFUSED : undefined);
		expect(await whatIs(await productContext(market), 'd1')).toMatchObject({
			state: 'unreadable',
			error: { httpCode: '403' },
		});
	});

	it('cannot be read where a list that it has read itself is gone', async () => {
		const market = new Market();
		const context = await productContext(market);
		expect(await whatIs(context, 'd1')).toEqual({
			state: 'never seen',
			hasList: true,
			isYoung: true,
		});
		market.instead = () => ABSENT;
		expect(await whatIs(context, 'd1')).toMatchObject({ state: 'unreadable' });
	});

	it('is looked at again while it has vanished, until it has ended', async () => {
		const context = await productContext(new Market().add('other'));
		noteSeen(context, 'd1');
		expect(await whatIs(context, 'd1')).toEqual({ state: 'vanished' });
		expect(await ended(whatIsForCertain(context, 'd1'))).toEqual({
			value: { state: 'ended' },
			seconds: 120,
		});
	});

	it.each([
		['"ended" after two looks where the list has others', ['other'], 'ended'],
		['"vanished" until a third one where the list is empty', [], 'vanished'],
	])('that was told to end is %s', async (_, others, second) => {
		const market = new Market();
		others.forEach((id) => market.add(id));
		const context = await productContext(market);
		noteSeen(context, 'd1');
		noteAccepted(context, 'd1');
		await pass(120_000);
		expect(await whatIs(context, 'd1')).toEqual({ state: 'vanished' });
		await pass(20_000);
		expect(await whatIs(context, 'd1')).toEqual({ state: second });
		await pass(40_000);
		expect(await whatIs(context, 'd1')).toEqual({ state: 'ended' });
	});
});
