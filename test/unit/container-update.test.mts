import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { update } from '../../nodes/Caas/resources/deployment/update.ts';
import { locator } from '../engine/nodes.mts';
import { DEPLOYMENT, inputOf, jobBench, outcome, type Answer, type Bench } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const OLD = 'registry.example/web:1';
const NEW = 'registry.example/web:2';

/** A service that shows these details, and others after it was told to update; undefined has none to show. */
function serviceOf(
	before: IDataObject | undefined,
	told: Answer,
	after: IDataObject | undefined = before,
): Bench {
	let isTold = false;
	return jobBench({
		instead(request) {
			if (request.startsWith('PATCH')) {
				isTold = true;
				return told;
			}
			const details = isTold ? after : before;
			if (!request.endsWith(`/caas/deployment/${DEPLOYMENT}`)) return undefined;
			return details ? [200, { data: { deployment_id: DEPLOYMENT, ...details } }] : [500, {}];
		},
	});
}

async function updated(bench: Bench, updateFields: IDataObject = { imageUrl: NEW }) {
	const input = inputOf(update, { deploymentId: locator(DEPLOYMENT), updateFields });
	return await outcome(async () => await update.run(bench.context(), input));
}

async function failed(bench: Bench, updateFields?: IDataObject): Promise<NodeApiError> {
	const result = await updated(bench, updateFields);
	if (!(result instanceof Error)) throw new Error(`No error: ${JSON.stringify(result)}`);
	return result;
}

const sent = ({ requests }: Bench) => requests.filter((one) => one.startsWith('PATCH')).length;
const running = (image: string) => ({ status: 'running', registry_config: { image_url: image } });
const YES: Answer = [200, { data: { deployment_id: DEPLOYMENT, status: 'updating' } }];
const LOST: Answer = [502, {}];

describe('an update of containers', () => {
	it('is made where the service says so, and no look is needed where the details tell nothing', async () => {
		const bench = serviceOf({ status: 'running' }, YES);
		expect(await updated(bench)).toEqual([
			{
				deployment_id: DEPLOYMENT,
				status: 'updating',
				updated: true,
				updated_fields: ['image_url'],
			},
		]);
		expect(bench.requests).toHaveLength(2);
	});

	it.each([
		['destroyed', 'ended'],
		['completed', 'ended'],
		['termination requested', 'ending'],
	])('is not sent to one that is %s: it has %s', async (status) => {
		const bench = serviceOf({ status }, YES);
		const error = await failed(bench);
		expect(error.message).toBe(`Deployment ${DEPLOYMENT} is "${status}" and cannot be updated`);
		expect(error.description).toContain('Nothing was sent.');
		expect(sent(bench)).toBe(0);
	});

	it('is sent where the details cannot be read', async () => {
		const bench = serviceOf(undefined, YES);
		expect(await updated(bench)).toMatchObject([{ updated: true }]);
		expect(sent(bench)).toBe(1);
	});

	it('is an error where the service refuses it', async () => {
		const bench = serviceOf(running(OLD), [422, { detail: 'no such image' }]);
		const error = await failed(bench);
		expect(error.httpCode).toBe('422');
		expect(sent(bench)).toBe(1);
	});

	it('is unknown where it was refused and shows all the same', async () => {
		const error = await failed(serviceOf(running(OLD), [409, {}], running(NEW)));
		expect(error.message).toContain(`Update of ${DEPLOYMENT}: outcome unknown.`);
		expect(error.message).toContain(`it shows all the same (${DEPLOYMENT})`);
	});
});

describe('an update whose answer was lost', () => {
	it('was made where the details show what they did not show before', async () => {
		const bench = serviceOf(running(OLD), LOST, running(NEW));
		expect(await updated(bench)).toMatchObject([
			{ deployment_id: DEPLOYMENT, updated: true, updated_fields: ['image_url'], recovered: true },
		]);
		expect(sent(bench)).toBe(1);
	});

	it.each<[string, IDataObject | undefined, IDataObject]>([
		['only what was there before', running(NEW), running(NEW)],
		['something, and before it could not be read', undefined, running(NEW)],
	])('is unknown where the details show %s', async (_, before, after) => {
		const bench = serviceOf(before, LOST, after);
		const error = await failed(bench, { imageUrl: NEW, command: 'serve' });
		expect(error.message).toContain(`Update of ${DEPLOYMENT}: outcome unknown.`);
		expect(error.message).toContain('its details do not tell whether it was made');
		expect(error.context).toMatchObject({
			known: { deployment_id: DEPLOYMENT, outcome: 'unknown' },
		});
		expect(sent(bench)).toBe(1);
	});

	it('is unknown where the details show the former settings', async () => {
		const bench = serviceOf(running(OLD), LOST);
		const error = await failed(bench);
		expect(error.message).toContain('its details show image_url otherwise than sent');
		expect(error.description).toContain('Look at the deployment (Deployment > Get)');
		expect(sent(bench)).toBe(1);
	});
});
