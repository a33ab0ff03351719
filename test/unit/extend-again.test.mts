import { describe, expect, it } from 'vitest';
import { Extending, extending, twoItems } from './extend-parts.mts';
import { refusalOf } from './market-parts.mts';
import { broken, fresh } from './purchase-parts.mts';
import { ended, pass, useStillTime } from './still-time.mts';

useStillTime();

describe('a retry of an extension', () => {
	it('finds what the first try has made, and sends nothing', async () => {
		const shop = new Extending();
		const { first } = await twoItems(shop);
		shop.sells = () => broken('ECONNRESET');
		await ended(refusalOf(extending(shop, { context: first })));
		shop.grow();
		const reference = { id: fresh('d') };
		expect(await extending(shop, { context: first, reference })).toMatchObject({
			deployment_id: shop.id,
			added_hours: 2,
			recovered: true,
		});
		expect(shop.bodies).toHaveLength(1);
	});

	it('sends it again after a quarter of an hour without a trace of it', async () => {
		const shop = new Extending();
		const { sells } = shop;
		const { first } = await twoItems(shop);
		shop.sells = () => broken('ECONNRESET');
		await ended(refusalOf(extending(shop, { context: first })));
		await pass(900_000);
		shop.sells = sells;
		expect(await extending(shop, { context: first })).toMatchObject({ added_hours: 2 });
		expect(shop.bodies).toHaveLength(2);
	});
});

describe('another item that extends the same deployment', () => {
	const WAS_MADE = (id: string) =>
		`An earlier extension of ${id} by 2 hours was made. Nothing was added now: execute the workflow again to add more`;

	it('does not extend it where the first one was made, and a retry neither', async () => {
		const shop = new Extending();
		const { first, second } = await twoItems(shop);
		shop.sells = () => broken('ECONNRESET');
		await ended(refusalOf(extending(shop, { context: first })));
		shop.grow();
		const node = second.functions.getNode();
		second.functions.getNode = () => ({ ...node, retryOnFail: true });
		const refusal = {
			message: WAS_MADE(shop.id),
			known: { deployment_id: shop.id, added_hours: 2 },
		};
		expect(await refusalOf(extending(shop, { context: second }))).toMatchObject(refusal);
		await pass(299_000);
		expect(await refusalOf(extending(shop, { context: second }))).toMatchObject(refusal);
		expect(shop.bodies).toHaveLength(1);
		// A loop that comes by later means another one
		await pass(1_000);
		shop.sells = () => ({ json: { data: shop.grow() } });
		expect(await extending(shop, { context: second })).toMatchObject({ added_hours: 2 });
	});

	it('extends it at the next call where the node has no retries', async () => {
		const shop = new Extending();
		const { first, second } = await twoItems(shop);
		shop.sells = () => broken('ECONNRESET');
		await ended(refusalOf(extending(shop, { context: first })));
		shop.grow();
		expect((await refusalOf(extending(shop, { context: second })))?.message).toBe(
			WAS_MADE(shop.id),
		);
		shop.sells = () => ({ json: { data: shop.grow() } });
		expect(await extending(shop, { context: second })).toMatchObject({ added_hours: 2 });
	});

	it.each([{ deployment_id: 'other' }, { product: 'caas' }, { account: 'other' }])(
		'does so where the open one is of %j',
		async (changes) => {
			const shop = new Extending();
			const { first, second } = await twoItems(shop);
			const note = { product: 'vmaas', deployment_id: shop.id, ...changes };
			first.journal.note(note);
			expect(await extending(shop, { context: second })).toMatchObject({ added_hours: 2 });
			expect(first.journal.intent()).toEqual(note);
		},
	);
});
