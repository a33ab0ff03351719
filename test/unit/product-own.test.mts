import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	accountKey,
	CAAS,
	isOwn,
	onProduct,
	ownerKey,
	ownerOf,
	productStore,
	VMAAS,
	type Product,
	type ProductContext,
} from '../../nodes/marketplace/product.ts';
import { Market, productContext } from './market-parts.mts';

const flow = {};
const market = new Market();

async function contextOf(product: Product, account: object = {}): Promise<ProductContext> {
	const context = await productContext(market, { product, flow });
	return { ...context, account: { ...context.account, ...account } };
}

/** Contexts of other owners than that of the first one. */
const others = async () => ({
	product: await contextOf(CAAS),
	server: await contextOf(VMAAS, { baseUrl: 'https://other.test' }),
	service: await contextOf(VMAAS, { segments: { service: 'other' } }),
	key: await contextOf(VMAAS, { keyHash: 'other' }),
});

describe('what belongs to one product of one account', () => {
	it('is kept apart from that of others', async () => {
		const mine = await contextOf(VMAAS);
		productStore<number>(mine, 'part').d1 = 1;
		expect(productStore(await contextOf(VMAAS), 'part')).toEqual({ d1: 1 });
		expect(productStore(mine, 'other part')).toEqual({});
		const all = await others();
		for (const context of Object.values(all)) {
			expect(productStore(context, 'part')).toEqual({});
			expect(ownerKey(context)).not.toBe(ownerKey(mine));
			expect(isOwn(context, ownerOf(mine))).toBe(false);
		}
		expect(ownerKey(await contextOf(VMAAS))).toBe(ownerKey(mine));
		expect(accountKey(all.product)).toBe(accountKey(mine));
		expect(accountKey(all.key)).not.toBe(accountKey(mine));
	});

	it('is named by a short hash in what is saved, which tells nothing of the account', async () => {
		const mine = await contextOf(VMAAS);
		expect(ownerOf(mine)).toEqual({
			product: 'vmaas',
			account: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
		});
		expect(isOwn(mine, ownerOf(mine))).toBe(true);
	});

	it('is also what an earlier version has noted, without the account', async () => {
		const mine = await contextOf(VMAAS);
		expect(isOwn(mine, { product: 'vmaas' })).toBe(true);
		expect(isOwn(mine, { product: 'caas' })).toBe(false);
		expect(isOwn(mine, {})).toBe(false);
	});
});

describe('an operation on a product', () => {
	const operation = {
		value: 'act',
		name: 'Act',
		action: 'Act',
		description: 'Acts',
		effect: 'write' as const,
		fields: [],
		input: () => 7,
		run: async ({ product, itemIndex }: ProductContext, input: number) =>
			await Promise.resolve([{ key: product.key, itemIndex, input }]),
	};

	it('runs on that product, and has nothing to do in a retry', async () => {
		const act = onProduct<number>(CAAS, operation);
		expect(act).not.toHaveProperty('again');
		expect(act).toMatchObject({ value: 'act', name: 'Act', effect: 'write', fields: [] });
		expect(await act.run(await contextOf(VMAAS), 7)).toEqual([
			{ key: 'caas', itemIndex: 0, input: 7 },
		]);
	});

	it('looks in a retry at what is there of that product', async () => {
		const again = async ({ product, itemIndex }: ProductContext, results: IDataObject[]) =>
			await Promise.resolve([{ key: product.key, itemIndex }, ...results]);
		const act = onProduct<number>(CAAS, { ...operation, again });
		expect(await act.again?.(await contextOf(VMAAS), [{ deployment_id: 'd1' }])).toEqual([
			{ key: 'caas', itemIndex: 0 },
			{ deployment_id: 'd1' },
		]);
	});
});
