import { describe, expect, it } from 'vitest';
import { extend } from '../../nodes/marketplace/operations/extend.ts';
import { noteAccepted } from '../../nodes/marketplace/ownDeployments.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { Extending, extending, SHOWN } from './extend-parts.mts';
import { ABSENT, productContext, refusalOf, REFUSED } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { broken, minutesAgo } from './purchase-parts.mts';
import { formOf } from './rag-service.mts';
import { ended, pass, useStillTime } from './still-time.mts';

useStillTime();

const NOT_AGAIN =
	'Check the remaining time of the deployment (Deployment > Get) before you extend it again.';

describe('the form of Extend', () => {
	const operation = extend(VMAAS, async () => await Promise.resolve([]));
	const inputOf = (durationHours: unknown) =>
		operation.input(
			formOf(operation, {
				deploymentId: 'd1',
				durationHours: durationHours as number,
				safety: { maxPrice: 5 },
			}),
			() => undefined,
		);

	it('gives the deployment, the hours and the limits', () => {
		expect(inputOf(1)).toEqual({
			reference: { id: 'd1' },
			durationHours: 1,
			priceLimits: { maxPrice: 5, currency: 'usdc' },
		});
	});

	it('refuses less than an hour', () => {
		expect(message(() => inputOf(0))).toContain('Additional Hours');
	});
});

describe('an extension', () => {
	it('is sent once, and its answer is the output', async () => {
		const shop = new Extending();
		const context = await productContext(shop);
		const item = {
			...SHOWN,
			deployment_id: shop.id,
			resource_private_name: 'job',
			status: 'running',
			compute_minutes_remaining: 210,
			amount_paid: 8,
			expires_at: minutesAgo(-210),
			added_hours: 2,
		};
		expect(await extending(shop, { context })).toStrictEqual(item);
		expect(shop.bodies).toEqual([{ duration_hours: 2 }]);
		expect(shop.requests()).toEqual([
			`GET deployment/${shop.id}`,
			`POST deployment/${shop.id}/extend`,
		]);
		expect(context.journal.results()).toEqual([item]);
		expect(context.known).toEqual({ deployment_id: shop.id });
	});

	it('finds its deployment by name', async () => {
		const shop = new Extending();
		expect(await extending(shop, { reference: { name: 'job' } })).toMatchObject({
			deployment_id: shop.id,
			added_hours: 2,
		});
		const none = extending(shop, { reference: { name: 'other' } });
		expect(await refusalOf(none)).toMatchObject({
			message: 'There is no deployment named "other"',
			description: expect.stringMatching(/Nothing was extended\.$/) as string,
		});
	});

	it('that is refused is an error, and what was known before counts again', async () => {
		const shop = new Extending();
		const { sells } = shop;
		shop.sells = () => ({ status: 400, json: { message: 'no capacity' } });
		expect((await refusalOf(extending(shop)))?.message).toContain('no capacity');
		shop.sells = sells;
		expect(await extending(shop)).toMatchObject({ added_hours: 2 });
	});

	it('that never left is sent again, after another look at the price', async () => {
		const shop = new Extending();
		const { sells } = shop;
		shop.sells = () => (shop.bodies.length < 2 ? broken('ECONNREFUSED') : sells());
		const priceLimits = { currency: 'usdc', maxPrice: 4 };
		const { value } = await ended(extending(shop, { priceLimits }));
		expect(value).toMatchObject({ added_hours: 2, total_price: 4, hourly_price: 2 });
		expect(shop.queries).toHaveLength(2);
	});

	it('whose answer is lost is found by the time of its deployment', async () => {
		const shop = new Extending();
		shop.sells = () => {
			shop.grow();
			return broken('ECONNRESET');
		};
		expect(await extending(shop)).toMatchObject({ added_hours: 2, recovered: true });
		expect(shop.bodies).toHaveLength(1);
	});

	it('whose answer is lost is unknown while its deployment shows no change', async () => {
		const shop = new Extending();
		shop.sells = () => broken('ECONNRESET');
		expect(await ended(refusalOf(extending(shop)))).toMatchObject({
			seconds: 120,
			value: {
				message: `Extension of ${shop.id} by 2 hours: outcome unknown. The connection to service.test was lost before a response arrived, and the deployment shows no change. Do not extend it again before you have checked its remaining time (Deployment > Get)`,
				description: `${NOT_AGAIN} It is sent again only after 15 minutes, by a retry or another item, if it still does not show.`,
				known: { deployment_id: shop.id, outcome: 'unknown' },
			},
		});
	});

	it('that is accepted and does not show is said to be so', async () => {
		const shop = new Extending();
		shop.sells = () => ({ json: {} });
		const { value, seconds } = await ended(extending(shop));
		expect(seconds).toBe(120);
		expect(value).toMatchObject({
			deployment_id: shop.id,
			added_hours: null,
			requested_hours: 2,
			accepted: true,
			compute_minutes_remaining: 90,
			hint: `The service accepted the extension, but the deployment shows no change. ${NOT_AGAIN}`,
		});
	});

	it('that is accepted, does not show and is billed says so as well', async () => {
		const shop = new Extending();
		shop.sells = () => {
			shop.hide(shop.id, { ...SHOWN, amount_paid: 14 });
			return { json: {} };
		};
		const priceLimits = { currency: 'usdc', maxPrice: 4 };
		const { value } = await ended(extending(shop, { priceLimits }));
		expect(value?.hint).toBe(
			`The service accepted the extension, but the deployment shows no change. ${NOT_AGAIN} The service shows 10 more paid than before instead of the price of 4.`,
		);
	});

	it('that is accepted where no details can be read has what is known', async () => {
		const shop = new Extending();
		shop.sells = () => {
			shop.instead = () => REFUSED;
			return { json: {} };
		};
		const { value } = await ended(extending(shop));
		expect(value).toEqual({
			deployment_id: shop.id,
			added_hours: null,
			requested_hours: 2,
			accepted: true,
			hint: expect.stringMatching(
				/^The service accepted the extension, but its details could not be read: /,
			) as string,
		});
	});

	it('counts the one before it that does not show yet, for two minutes', async () => {
		const shop = new Extending();
		shop.sells = () => ({ json: { data: { ...SHOWN, compute_minutes_remaining: 210 } } });
		expect(await extending(shop)).toMatchObject({ added_hours: 2 });
		// The copy that is behind has neither, and then both
		shop.sells = () => ({ json: { data: { ...SHOWN, compute_minutes_remaining: 330 } } });
		expect(await extending(shop)).toMatchObject({ added_hours: 2 });
		await pass(120_000);
		shop.sells = () => ({ json: { data: { ...SHOWN, compute_minutes_remaining: 210 } } });
		expect(await extending(shop)).toMatchObject({ added_hours: 2 });
	});

	it('counts one before it whose outcome is unknown as made', async () => {
		const shop = new Extending();
		shop.sells = () => broken('ECONNRESET');
		await ended(refusalOf(extending(shop)));
		shop.sells = () => ({ json: { data: { ...SHOWN, compute_minutes_remaining: 330 } } });
		expect(await extending(shop)).toMatchObject({ added_hours: 2 });
	});
});

describe('a deployment that is to be extended', () => {
	it('must not be told to end, also where it still shows as running', async () => {
		const shop = new Extending();
		noteAccepted(await productContext(shop), shop.id);
		expect((await refusalOf(extending(shop)))?.message).toBe(
			`Deployment ${shop.id} was told to end and cannot be extended`,
		);
		expect(shop.bodies).toEqual([]);
	});

	it.each([
		['terminating', 'terminating'],
		['destroyed', 'destroyed'],
	])('must not be %s', async (status, shown) => {
		const shop = new Extending({ ...SHOWN, status });
		expect(await refusalOf(extending(shop))).toMatchObject({
			message: `Deployment ${shop.id} is "${shown}" and cannot be extended`,
			description: 'Deploy a new one. Nothing was extended.',
		});
		expect(shop.bodies).toEqual([]);
	});

	it('must be there, and is waited for while it is young', async () => {
		const shop = new Extending();
		expect(await ended(refusalOf(extending(shop, { reference: { id: 'd0' } })))).toMatchObject({
			seconds: 120,
			value: { message: 'There is no deployment d0', known: { deployment_id: 'd0' } },
		});
	});

	it('must be readable', async () => {
		const shop = new Extending();
		shop.instead = () => REFUSED;
		expect((await refusalOf(extending(shop)))?.message).toMatch(
			/^The deployment could not be read: /,
		);
	});

	it('may be one of a service that shows no deployments', async () => {
		const shop = new Extending();
		shop.instead = () => ABSENT;
		shop.sells = () => ({ json: {} });
		const { value } = await ended(extending(shop));
		expect(value).toMatchObject({ deployment_id: shop.id, accepted: true });
		expect(shop.bodies).toHaveLength(1);
	});
});
