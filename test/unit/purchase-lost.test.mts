import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { productContext, refusalOf } from './market-parts.mts';
import { buying, fresh, losing, minutesAgo, PRICES, Shop } from './purchase-parts.mts';
import { ended, pass, useStillTime } from './still-time.mts';

useStillTime();

const QUARTER_MS = 900_000;

describe('a purchase whose answer is lost', () => {
	it('is found by its name', async () => {
		const [id, name] = [fresh('d'), fresh('job')];
		const shop = losing(() => shop.add(id, { resource_private_name: name }));
		expect(await buying(shop, name)).toEqual({
			deployment_id: id,
			resource_private_name: name,
			status: 'running',
			expires_at: minutesAgo(-120),
			hardware_name: 'H100',
			...PRICES,
			recovered: true,
		});
		expect(shop.bodies).toHaveLength(1);
	});

	it('is unknown while nothing shows it, and holds up its name for a quarter of an hour', async () => {
		const name = fresh('job');
		const shop = losing();
		const { value, seconds } = await ended(refusalOf(buying(shop, name)));
		expect(seconds).toBe(120);
		expect(value).toEqual({
			message: `Deploy of "${name}": outcome unknown. The connection to service.test was lost before a response arrived, and it is not in the list of deployments. Do not deploy it again before you have looked for it (Deployment > Get Many)`,
			description: `The deployment may exist and bill. Look for "${name}" in the deployments (Deployment > Get Many) or in the service's own console before you deploy again. It is sent again only after 15 minutes, by a retry or another item, if it still does not show.`,
			known: { resource_private_name: name, deployment_id: null, outcome: 'unknown' },
		});
		const taken = {
			message: `Another execution has sent a deploy of "${name}", and its outcome is unknown`,
			description:
				'Nothing was deployed now. It is sent again 15 minutes after that, if it still does not show.',
		};
		expect(await refusalOf(buying(shop, name))).toMatchObject(taken);
		expect(await refusalOf(buying(shop, name, { rules: { dryRun: true } }))).toMatchObject(taken);
		// What was there before is not it
		await pass(QUARTER_MS - 1);
		expect(await refusalOf(buying(shop, name))).toMatchObject(taken);
		await pass(1);
		shop.sells = () => ({ json: { data: { deployment_id: fresh('d') } } });
		expect(await buying(shop, name)).toMatchObject({ resource_private_name: name });
	});

	it('holds up neither a unique name nor one that is deployed anyway', async () => {
		const name = fresh('job');
		const shop = losing();
		await ended(buying(shop, name));
		shop.sells = () => ({ json: { data: { deployment_id: fresh('d') } } });
		const unique = { uniqueName: true, hasSuffix: true };
		for (const rules of [unique, { ifNameExists: 'deploy' as const }])
			expect(await buying(shop, name, { rules })).toMatchObject({ resource_private_name: name });
	});

	it('holds up its name no longer once something new has it, and has ended', async () => {
		const [id, old, name] = [fresh('d'), fresh('d'), fresh('job')];
		const shop = losing();
		shop.add(old, { resource_private_name: name, status: 'destroyed' });
		await ended(buying(shop, name));
		expect((await refusalOf(buying(shop, name)))?.message).toMatch(/^Another execution has sent/);
		shop.add(id, { resource_private_name: name, status: 'failed' });
		shop.sells = () => ({ json: { data: { deployment_id: fresh('d') } } });
		expect(await buying(shop, name)).toMatchObject({ resource_private_name: name });
	});

	it('holds up its name no longer once another one was bought', async () => {
		const [first, name] = [fresh('d'), fresh('job')];
		const shop = losing();
		await ended(buying(shop, name));
		shop.sells = () => ({ json: { data: { deployment_id: first } } });
		await buying(shop, name, { rules: { ifNameExists: 'deploy' } });
		shop.hide(first, { status: 'destroyed' });
		shop.sells = () => ({ json: { data: { deployment_id: fresh('d') } } });
		expect(await buying(shop, name)).toMatchObject({ resource_private_name: name });
	});

	it('is looked for by a retry under the name that was sent, and not sent again', async () => {
		const [id, name] = [fresh('d'), fresh('job')];
		const shop = losing();
		const flow = {};
		await ended(buying(shop, name, { context: await productContext(shop, { flow }) }));
		shop.add(id, { resource_private_name: name });
		const context = await productContext(shop, { flow });
		expect(await buying(shop, 'another name', { context })).toMatchObject({
			deployment_id: id,
			resource_private_name: name,
			recovered: true,
		});
		expect(context.known).toEqual({ resource_private_name: name });
		expect(context.journal.results()).toMatchObject([{ deployment_id: id }]);
		expect(shop.bodies).toHaveLength(1);
	});

	it('is that of another item: an agent gets it, and any other item does not buy again', async () => {
		for (const isAgent of [true, false]) {
			const [id, name] = [fresh('d'), fresh('job')];
			const shop = losing();
			const flow = {};
			const first = await productContext(shop, { flow });
			await ended(buying(shop, name, { context: first }));
			shop.add(id, { resource_private_name: name });
			const context = await productContext(shop, { flow });
			context.journal = openJournals(context.functions)(1);
			if (isAgent)
				context.functions.getNode = () => ({
					...first.functions.getNode(),
					rewireOutputLogTo: 'ai_tool',
				});
			const work = buying(shop, name, { context });
			if (isAgent) expect(await work).toMatchObject({ deployment_id: id, recovered: true });
			else
				expect(await refusalOf(work)).toMatchObject({
					message: `A deployment named "${name}" already exists (${id}, running)`,
					description: expect.stringMatching(/^This execution has deployed it\./) as string,
				});
			expect(shop.bodies).toHaveLength(1);
		}
	});

	it('is no concern of another name, product or account', async () => {
		const name = fresh('job');
		for (const changes of [{ resource_private_name: 'x' }, { product: 'caas' }, { account: 'x' }]) {
			const shop = new Shop();
			const context = await productContext(shop);
			const other = openJournals(context.functions)(1);
			const note: IDataObject = { product: 'vmaas', resource_private_name: name, ...changes };
			other.note(note);
			await buying(shop, name, { context, rules: { dryRun: true } });
			expect(other.intent()).toEqual(note);
		}
	});

	it('is logged where the execution is cancelled meanwhile', async () => {
		const name = fresh('job');
		const controller = new AbortController();
		const shop = losing(() => controller.abort());
		const logged: unknown[] = [];
		const context = await productContext(shop, { signal: controller.signal });
		context.log = (...line) => logged.push(line);
		await refusalOf(buying(shop, name, { context }));
		expect(logged).toEqual([
			[
				'Cancelled while a deploy was under way: the deployment may exist and bill. Look for it by its name.',
				{ resource_private_name: name, deployment_id: null },
			],
		]);
	});
});
