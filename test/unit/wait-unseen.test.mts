import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../nodes/marketplace/operations/waitFor.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { ABSENT, Market, productContext, refusalOf, REFUSED } from './market-parts.mts';
import { formOf } from './rag-service.mts';
import { ended, useStillTime } from './still-time.mts';
import { FORM, goalOf, GOES_ON, waiting, type Given } from './wait-parts.mts';

useStillTime();

describe('a service that fails', () => {
	/** Fails for so many requests. */
	function failing(times: number, status = 503): Market {
		const market = new Market().add('d1');
		market.instead = () => (market.asked.length <= times ? { status, json: {} } : undefined);
		return market;
	}

	it('for a moment is asked again', async () => {
		const { value } = await ended(waiting(failing(8)));
		expect(value).toMatchObject({ reached: true, status: 'running' });
	});

	it('until the timeout is the error, or an item of what is known', async () => {
		const { value } = await ended(refusalOf(waiting(failing(1_000), { timeout: 30 })));
		expect(value?.message).toMatch(/^Deployment d1 could not be read: /);
		expect(value?.description).toContain(GOES_ON);
		const item = await ended(waiting(failing(1_000), { timeout: 30, onTimeout: 'output' }));
		expect(item.value).toMatchObject({
			deployment_id: 'd1',
			status: 'unknown',
			reached: false,
		});
	});

	it('for good is an error at once', async () => {
		const market = new Market();
		market.instead = () => REFUSED;
		const { value, seconds } = await ended(refusalOf(waiting(market)));
		expect(seconds).toBe(0);
		expect(value?.message).toMatch(/^Deployment d1 could not be read: /);
	});

	it('by not answering is told at the timeout', async () => {
		const market = new Market();
		const context = await productContext(market);
		context.functions.helpers.httpRequestWithAuthentication = async () =>
			await new Promise(() => undefined);
		const { value, seconds } = await ended(refusalOf(waiting(market, { context, timeout: 5 })));
		expect(seconds).toBe(10);
		expect(value).toMatchObject({
			message: 'Deployment d1 could not be read within 5 seconds',
			description: GOES_ON,
		});
	});
});

describe('a deployment that does not show', () => {
	it('is waited for two minutes', async () => {
		const { value, seconds } = await ended(refusalOf(waiting(new Market(), { timeout: 300 })));
		expect(seconds).toBe(120);
		expect(value).toMatchObject({
			message: 'There is no deployment d1',
			description: expect.stringMatching(
				/^The service did not show it for two minutes\./,
			) as string,
		});
	});

	it('is unknown to the service meanwhile', async () => {
		const { value } = await ended(waiting(new Market(), { timeout: 0, onTimeout: 'output' }));
		expect(value).toMatchObject({ status: 'unknown to the service', reached: false });
	});

	it('is not waited for where the service has no list', async () => {
		const market = new Market();
		market.instead = () => ABSENT;
		const { value, seconds } = await ended(refusalOf(waiting(market)));
		expect(seconds).toBe(0);
		expect(value?.description).toMatch(
			/^This service has neither details nor a list of deployments: nothing can be waited for\./,
		);
	});
});

describe('a deployment that is named', () => {
	const named = async (market: Market, given: Given = {}) => {
		const operation = waitFor(VMAAS, goalOf());
		const input = operation.input(
			formOf(operation, { ...FORM, ...given } as IDataObject),
			() => undefined,
		);
		const context = await productContext(market);
		const [item] = await operation.run(context, { ...input, reference: { name: 'job' } });
		return { item: item as IDataObject, known: context.known };
	};

	it('stays the one that was seen first, whatever gets its name', async () => {
		const market = new Market().add('d1', { status: 'deployment requested' });
		market.instead = () => {
			if (market.asked.length === 4) {
				market.hide('d1', { status: 'running' });
				market.listed = [{ deployment_id: 'd2', resource_private_name: 'job' }];
			}
			return undefined;
		};
		const { value } = await ended(named(market));
		expect(value).toMatchObject({
			item: { deployment_id: 'd1', resource_private_name: 'job', reached: true },
			known: { resource_private_name: 'job' },
		});
	});

	it('has ended where all of its name have, and one that was not destroyed decides', async () => {
		const market = new Market().add('d1', { status: 'destroyed' }).add('d2', { status: 'failed' });
		const { value } = await ended(named(market, { waitUntil: 'final', timeout: 300 }));
		expect(value?.item).toMatchObject({ status: 'failed', reached: true });
		const gone = new Market().add('d1', { status: 'destroyed' });
		const destroyed = await ended(named(gone, { waitUntil: 'destroyed', timeout: 300 }));
		expect(destroyed.value?.item).toMatchObject({ status: 'destroyed', reached: true });
	});

	it('is told by its name in errors', async () => {
		const { value } = await ended(refusalOf(named(new Market(), { timeout: 0 })));
		expect(value).toMatchObject({
			message: 'Deployment "job" was still "unknown to the service" after 0 seconds',
			known: { resource_private_name: 'job' },
		});
	});
});
