import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { noteBought, noteConfirmed } from '../../nodes/marketplace/ownDeployments.ts';
import { ownerOf, type ProductContext } from '../../nodes/marketplace/product.ts';
import { ownBeside } from '../../nodes/marketplace/references.ts';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { now } from '../../nodes/shared/time.ts';
import { Market, productContext } from './market-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

/** A process remembers what it has bought, by the account: no other file has this one. */
async function contextAt(...given: Parameters<typeof productContext>): Promise<ProductContext> {
	const context = await productContext(...given);
	return { ...context, account: { ...context.account, keyHash: 'references own' } };
}

/** Notes that another item of this execution has sent a deploy of this name whose outcome is open. */
const sent = (context: ProductContext, more: IDataObject = {}) =>
	openJournals(context.functions)(1).note({
		...ownerOf(context),
		resource_private_name: 'job',
		purchaseId: 'p1',
		order: { sentAt: now() },
		...more,
	});

const beside = async (context: ProductContext, entries: IDataObject[] = []) =>
	await ownBeside(context, entries, (name) => name.startsWith('job'));

const UNSEEN = {
	resource_private_name: 'job',
	hint: 'This execution has sent its deploy, and the service does not show it: it may exist and bill.',
};
const entry = (deployment_id?: string, resource_private_name = 'job') => ({
	...(deployment_id && { deployment_id }),
	resource_private_name,
	status: 'running',
});

describe('what this execution has bought, beside what the list shows', () => {
	it('is what the list does not show, once, under the name that is meant', async () => {
		const context = await contextAt(new Market().hide('d1').hide('d3').hide('d4'));
		noteBought(context, 'd1', { names: ['job', 'job-eu'], purchaseId: 'p1' });
		noteBought(context, 'd2', { names: ['job'], purchaseId: 'p2' });
		noteBought(context, 'd3', { names: ['other'], purchaseId: 'p3' });
		expect(await beside(context, [entry('d2')])).toEqual([
			{ deployment_id: 'd1', resource_private_name: 'job', status: 'running' },
		]);
	});

	it('is not what has ended', async () => {
		const context = await contextAt(new Market().hide('d1', { status: 'failed' }));
		noteBought(context, 'd1', { names: ['job'], purchaseId: 'p1' });
		expect(await beside(context)).toEqual([]);
	});

	it('is also what shows nowhere, since it may bill', async () => {
		const context = await contextAt(new Market());
		noteBought(context, 'd1', { names: ['job'], purchaseId: 'p1' });
		expect(await beside(context)).toEqual([{ deployment_id: 'd1', resource_private_name: 'job' }]);
	});
});

describe('a deploy that was sent and does not show', () => {
	it.each<[string, IDataObject, IDataObject[]]>([
		['nothing has its name', {}, []],
		['only what was there before has its name', { knownIds: ['d1'] }, [entry('d1')]],
		['something has another name', {}, [entry('d1', 'job-2')]],
	])('is told, as it may bill, where %s', async (_, note, entries) => {
		const context = await contextAt(new Market());
		sent(context, note);
		expect(await beside(context, entries)).toEqual([UNSEEN]);
	});

	it.each<[string, IDataObject, IDataObject[]]>([
		['one that has its name may be it', { knownIds: ['d2'] }, [entry('d1'), entry('d2')]],
		['one that has its name shows no ID', {}, [entry()]],
		['its name is not meant', { resource_private_name: 'other' }, []],
		['it was to another account', { account: 'other' }, []],
	])('is not told where %s', async (_, note, entries) => {
		const context = await contextAt(new Market());
		sent(context, note);
		expect(await beside(context, entries)).toEqual([]);
	});

	it('is not told of a note that has no name: it is of another operation', async () => {
		const context = await contextAt(new Market());
		sent(context, { resource_private_name: null });
		expect(await ownBeside(context, [], () => true)).toEqual([]);
	});

	it('is told for a quarter of an hour', async () => {
		const context = await contextAt(new Market());
		sent(context);
		await pass(899_999);
		expect(await beside(context)).toEqual([UNSEEN]);
		await pass(1);
		expect(await beside(context)).toEqual([]);
	});

	it('is told where one of two may be another one', async () => {
		const context = await contextAt(new Market());
		sent(context, { knownIds: ['d1'] });
		openJournals(context.functions)(2).note({
			...ownerOf(context),
			resource_private_name: 'job',
			purchaseId: 'p2',
			order: { sentAt: now() },
		});
		expect(await beside(context, [entry('d1')])).toEqual([UNSEEN]);
	});

	it('is told where the service has confirmed it', async () => {
		const context = await contextAt(new Market());
		noteConfirmed(context, 'job', { purchaseId: 'p1', sentAt: now() });
		expect(await beside(context)).toEqual([UNSEEN]);
	});
});
