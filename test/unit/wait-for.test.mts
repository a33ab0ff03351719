import { describe, expect, it } from 'vitest';
import { waitFor } from '../../nodes/marketplace/operations/waitFor.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { Market, productContext, refusalOf } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';
import { ended, useStillTime } from './still-time.mts';
import { FORM, goalOf, GOES_ON, waiting } from './wait-parts.mts';

useStillTime();

/** A service that shows d1 in these states, one for each look, the last one for good. */
function showing(...states: string[]): Market {
	const market = new Market().add('d1');
	market.instead = (request) => {
		if (request !== 'GET deployment/d1') return undefined;
		const status = states.length > 1 ? states.shift() : states[0];
		return { json: { data: { deployment_id: 'd1', status } } };
	};
	return market;
}

describe('the form of Wait For', () => {
	it.each([
		[{ waitUntil: 'other' }, 'Wait Until'],
		[{ pollInterval: 0 }, 'Poll Interval (Seconds)'],
		[{ timeout: -1 }, 'Timeout (Seconds)'],
		[{ onTimeout: 'other' }, 'On Timeout'],
	])('refuses %j', (changes, field) => {
		const operation = waitFor(VMAAS, goalOf());
		const read = () => operation.input(formOf(operation, { ...FORM, ...changes }), () => undefined);
		expect(message(read)).toContain(field);
	});

	it('asks for what a goal needs only where it is chosen', () => {
		const { fields } = waitFor(VMAAS, goalOf());
		const shown = fields.filter(({ displayOptions }) => displayOptions);
		expect(shown.map(({ name, displayOptions }) => [name, displayOptions])).toEqual([
			['way', { show: { waitUntil: ['usable'] } }],
		]);
	});
});

describe('a deployment that is waited for', () => {
	it('is reached at once where it runs', async () => {
		expect(await ended(waiting(showing('running'), { timeout: 0 }))).toEqual({
			seconds: 0,
			value: { deployment_id: 'd1', status: 'running', reached: true, waited_seconds: 0 },
		});
	});

	it('is looked at after each interval until it runs', async () => {
		const market = showing('deployment requested', 'paused', 'running');
		expect(await ended(waiting(market))).toMatchObject({
			seconds: 20,
			value: { reached: true, waited_seconds: 20 },
		});
		expect(market.asked).toHaveLength(3);
	});

	it.each([
		['final', 'failed', ['running', 'failed']],
		['final', 'destroyed', ['terminating', 'destroyed']],
		['destroyed', 'terminated', ['terminating', 'terminated']],
	])('until it is %s is reached where it is %s', async (waitUntil, status, states) => {
		expect(await ended(waiting(showing(...states), { waitUntil }))).toMatchObject({
			seconds: 10,
			value: { status, reached: true },
		});
	});

	it.each([
		['running', 'failed', 'running'],
		['running', 'terminating', 'running'],
		['usable', 'destroyed', 'running'],
		['destroyed', 'failed', 'destroyed'],
	])('until it is %s is not waited for longer where it is %s', async (waitUntil, status, word) => {
		expect(await refusalOf(waiting(showing(status), { waitUntil }))).toEqual({
			message: `Deployment d1 is "${status}" and will not become ${word}`,
			description:
				'Waiting longer would not help. See Deployment > Get and VM > Get Many for what happened.',
			known: { deployment_id: 'd1', status },
		});
	});

	it('is looked at a last time at the timeout', async () => {
		const market = showing('deployment requested');
		expect(await ended(refusalOf(waiting(market, { timeout: 25 })))).toEqual({
			seconds: 25,
			value: {
				message: 'Deployment d1 was still "deployment requested" after 25 seconds',
				description: GOES_ON,
				known: { deployment_id: 'd1', status: 'deployment requested' },
			},
		});
		expect(market.asked).toHaveLength(4);
	});

	it('is an item after the timeout where that is wanted', async () => {
		const market = showing('deployment requested');
		const { value } = await ended(waiting(market, { timeout: 5, onTimeout: 'output' }));
		expect(value).toStrictEqual({
			deployment_id: 'd1',
			status: 'deployment requested',
			reached: false,
			waited_seconds: 5,
		});
	});

	it('is waited for five minutes at most, which is said', async () => {
		const market = showing('deployment requested');
		expect(await ended(refusalOf(waiting(market, { timeout: 301 })))).toMatchObject({
			seconds: 300,
			value: {
				message:
					'Deployment d1 was still "deployment requested" after 300 seconds. The node waits 300 seconds at most',
			},
		});
		const item = await ended(waiting(market, { timeout: 301, onTimeout: 'output' }));
		expect(item.value).toMatchObject({
			reached: false,
			hint: 'The timeout is 301 seconds, but the node waits 300 at most.',
		});
		const exact = await ended(waiting(market, { timeout: 300, onTimeout: 'output' }));
		expect(exact.value).not.toHaveProperty('hint');
	});

	it('is not waited for where the execution is cancelled', async () => {
		const controller = new AbortController();
		const market = showing('deployment requested');
		const { instead } = market;
		market.instead = (request) => {
			controller.abort();
			return instead(request);
		};
		const context = await productContext(market, { signal: controller.signal });
		const { error, seconds } = await ended(waiting(market, { context }));
		expect(seconds).toBe(0);
		expect(error?.message).toMatch(/cancelled/i);
	});
});

describe('a goal of its own', () => {
	it('is looked at once it runs, and adds to the output', async () => {
		const market = showing('deployment requested', 'running');
		const given = { waitUntil: 'usable', goal: goalOf('no login') };
		expect(await ended(waiting(market, given))).toEqual({
			seconds: 20,
			value: {
				deployment_id: 'd1',
				status: 'running',
				seen: ['d1', 'running', 'by foot'],
				reached: true,
				waited_seconds: 20,
			},
		});
	});

	it('tells what is missing at the timeout', async () => {
		const given = { waitUntil: 'usable', timeout: 0 };
		const goal = () => goalOf('no login');
		expect(await refusalOf(waiting(showing('running'), { ...given, goal: goal() }))).toMatchObject({
			message: 'Deployment d1 was still "running" after 0 seconds: no login',
		});
		const item = await waiting(showing('running'), {
			...given,
			goal: goal(),
			onTimeout: 'output',
		});
		expect(item).toMatchObject({ reached: false, missing: 'no login' });
	});
});
