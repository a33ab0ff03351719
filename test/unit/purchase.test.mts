import { describe, expect, it } from 'vitest';
import { hasOrderedInVain } from '../../nodes/marketplace/ownDeployments.ts';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { productContext, REFUSED, refusalOf } from './market-parts.mts';
import { broken, buying, fresh, minutesAgo, PRICES, selling, Shop } from './purchase-parts.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

describe('a purchase', () => {
	it('is sent once, after a look at the names, and looked at afterwards', async () => {
		const [id, name] = [fresh('d'), fresh('job')];
		const shop = selling(id, name);
		expect(await buying(shop, name)).toStrictEqual({
			deployment_id: id,
			expires_at: minutesAgo(-120),
			resource_private_name: name,
			hardware_name: 'H100',
			...PRICES,
		});
		expect(shop.bodies).toEqual([{ resource_private_name: name, hardware_id: 12 }]);
		expect(shop.requests()).toEqual([
			'GET deployments',
			'POST deploy',
			`GET deployment/${id}`,
			'GET deployments',
		]);
	});

	it.each<[string, boolean, () => Shop]>([
		['that is refused', true, () => Object.assign(new Shop(), { sells: () => REFUSED })],
		[
			'whose list cannot be read',
			true,
			() => Object.assign(new Shop(), { instead: () => REFUSED }),
		],
		['that is made', false, () => selling(fresh('d'), 'made')],
	])('%s: whether what has the name is none of its own is %j', async (_, isInVain, shopOf) => {
		const shop = shopOf();
		const context = await productContext(shop);
		await buying(shop, 'made', { context, rules: { dryRun: true } }).catch(() => undefined);
		expect(hasOrderedInVain(context, 'made')).toBe(false);
		await buying(shop, 'made', { context }).catch(() => undefined);
		expect(hasOrderedInVain(context, 'made')).toBe(isInVain);
	});

	it('takes up its name for other executions, also while nothing shows it', async () => {
		const [id, name] = [fresh('d'), fresh('job')];
		const shop = selling(id, name, false);
		await buying(shop, name);
		expect(await refusalOf(buying(shop, name))).toMatchObject({
			message: `A deployment named "${name}" already exists (${id}, state unknown)`,
		});
		expect(shop.bodies).toHaveLength(1);
	});

	it('that is refused is an error with the words of the service, and may be sent again', async () => {
		const name = fresh('job');
		const shop = new Shop();
		shop.sells = () => ({ status: 400, json: { message: 'no such hardware' } });
		const context = await productContext(shop);
		expect((await refusalOf(buying(shop, name, { context })))?.message).toContain(
			'no such hardware',
		);
		expect(context.journal.intent()).toBeUndefined();
		expect(shop.requests()).toEqual(['GET deployments', 'POST deploy', 'GET deployments']);
		await refusalOf(buying(shop, name));
		expect(shop.bodies).toHaveLength(2);
	});

	it('that never left is sent again, and its price is read each time', async () => {
		const [id, name] = [fresh('d'), fresh('job')];
		const shop = selling(id, name);
		const { sells } = shop;
		shop.sells = () => (shop.bodies.length < 3 ? broken('ECONNREFUSED') : sells());
		let quotes = 0;
		const quote = async () => await Promise.resolve({ prices: { ...PRICES, offer: ++quotes } });
		const { value } = await ended(buying(shop, name, { order: { quote } }));
		expect(value).toMatchObject({ deployment_id: id, offer: 3 });
		expect(shop.bodies).toHaveLength(3);
	});

	it.each([
		['It is 4 usdc.', 'It is 4 usdc. Nothing was deployed.'],
		[undefined, 'Nothing was deployed.'],
	])('is not sent above its price (%s)', async (description, shown) => {
		const shop = new Shop();
		const problem = { message: 'Too dear', description };
		const quote = async () => await Promise.resolve({ problem });
		for (const dryRun of [false, true]) {
			const work = buying(shop, fresh('job'), { rules: { dryRun }, order: { quote } });
			expect(await refusalOf(work)).toMatchObject({ message: 'Too dear', description: shown });
		}
		expect(shop.bodies).toEqual([]);
	});

	it('in a dry run is shown and not sent, and leaves the name free', async () => {
		const [id, name] = [fresh('d'), fresh('job')];
		const shop = selling(id, name);
		expect(await buying(shop, name, { rules: { dryRun: true } })).toStrictEqual({
			dry_run: true,
			resource_private_name: name,
			...PRICES,
			request: { resource_private_name: name, hardware_id: 12 },
		});
		expect(shop.bodies).toEqual([]);
		expect(await buying(shop, name)).toMatchObject({ deployment_id: id });
	});

	it('has a suffix where its name is to be unique, unless it has one already', async () => {
		const name = fresh('job');
		const rules = { uniqueName: true, dryRun: true };
		const { resource_private_name: unique } = await buying(new Shop(), name, { rules });
		expect(unique).toMatch(new RegExp(`^${name}-[0-9a-f]{10}$`));
		const own = { rules: { ...rules, hasSuffix: true } };
		expect(await buying(new Shop(), name, own)).toMatchObject({ resource_private_name: name });
		const plain = { rules: { dryRun: true, hasSuffix: true } };
		expect(await buying(new Shop(), name, plain)).toMatchObject({ resource_private_name: name });
	});

	it('uses the existing deployment where that is wanted', async () => {
		const name = fresh('job');
		const shop = new Shop();
		shop.add(fresh('d'), { resource_private_name: name, compute_minutes_remaining: 90 });
		const rules = { ifNameExists: 'useExisting' } as const;
		expect(await buying(shop, name, { rules })).toMatchObject({ existing: true });
		expect(shop.bodies).toEqual([]);
	});
});

describe('a purchase that is confirmed without an ID', () => {
	it('is said to be one where nothing shows it, and holds up its name', async () => {
		const name = fresh('job');
		const shop = new Shop();
		const { value, seconds } = await ended(buying(shop, name));
		expect(seconds).toBe(120);
		expect(value).toStrictEqual({
			deployment_id: null,
			resource_private_name: name,
			hardware_name: 'H100',
			...PRICES,
			hint: 'The service confirmed the deployment without an ID of its own, and it is not in the list of deployments. Find it by its name.',
		});
		expect((await refusalOf(buying(shop, name)))?.message).toMatch(/^Another execution has sent/);
	});

	it('is found by its name, also where the answer has the ID of an older one', async () => {
		const [id, old, name] = [fresh('d'), fresh('d'), fresh('job')];
		const shop = new Shop();
		shop.add(old, { resource_private_name: 'older' });
		shop.sells = () => {
			shop.add(id, { resource_private_name: name });
			return { json: { deployment_id: old } };
		};
		expect(await buying(shop, name)).toMatchObject({ deployment_id: id });
	});

	it('takes up its name in this execution', async () => {
		const name = fresh('job');
		const shop = new Shop();
		const flow = {};
		await ended(buying(shop, name, { context: await productContext(shop, { flow }) }));
		const context = await productContext(shop, { flow });
		context.journal = openJournals(context.functions)(1);
		expect(await refusalOf(buying(shop, name, { context }))).toMatchObject({
			message: `A deployment named "${name}" already exists (ID unknown, state unknown)`,
		});
	});
});
