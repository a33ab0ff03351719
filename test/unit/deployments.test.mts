import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	contentOf,
	described,
	findByName,
	findDeployment,
	findListed,
	getDeployment,
	hasPrefix,
	idOf,
	isAbsent,
	listDeployments,
	listNamed,
	listPrefixed,
	nameOf,
	spelledIn,
	stillAlive,
} from '../../nodes/marketplace/deployments.ts';
import type { Answered } from './log-parts.mts';
import { Market, productContext, REFUSED, refusalOf } from './market-parts.mts';

/** What is found of `d1` where the service answers so. */
async function found(answer: Answered) {
	const market = new Market();
	market.instead = () => answer;
	return await findDeployment(await productContext(market), 'd1');
}

const ids = (entries: IDataObject[]) => entries.map(idOf);

describe('the details of a deployment', () => {
	it.each([404, 405, 410, 501])('are unknown where the service answers %i', async (status) => {
		expect(await found({ status, json: { message: 'no' } })).toBeUndefined();
		expect(isAbsent({ httpCode: String(status) })).toBe(true);
	});

	it('cannot be read after another no', async () => {
		expect((await refusalOf(found(REFUSED)))?.message).toMatch(/not allowed/);
		expect([{ httpCode: '403' }, { httpCode: null }, {}].map(isAbsent)).toEqual([
			false,
			false,
			false,
		]);
	});

	it.each<[string, IDataObject, IDataObject]>([
		['in an envelope', { status: 'success', data: { id: 'd1', a: 1 } }, { id: 'd1', a: 1 }],
		['without one', { uuid: 'D1', a: 1 }, { uuid: 'D1', a: 1 }],
		['without an ID', { data: { status: 'running' } }, { status: 'running' }],
		['without both', { status: 'running', amount_paid: 0 }, { status: 'running', amount_paid: 0 }],
	])('are read %s', async (_, json, details) => {
		expect(await found({ json })).toEqual(details);
	});

	it.each<IDataObject>([
		{ status: 'failed', errorCode: 'TIMEOUT', errorMessage: 'upstream' },
		{ status: 'completed', result: null, took_ms: 12 },
		{ status: 'running', service: 'gateway', version: '2.1' },
	])('are not read in %j', async (json) => {
		await expect(found({ json })).rejects.toThrow('answered with a status of no deployment');
	});

	it.each<[string, IDataObject]>([
		['an empty envelope', { status: 'success', data: null }],
		['an envelope of a list', { status: 'success', data: [] }],
		['details that say nothing', { data: { a: 1 } }],
	])('are unknown in %s', async (_, json) => {
		expect(await found({ json })).toBeUndefined();
	});

	it.each<[string, IDataObject]>([
		['success', { success: false, deployment_id: 'd1', message: 'sorry' }],
		['an error', { error: 'sorry', deployment_id: 'd1', a: 1 }],
		['an envelope without content', { status: 'error', data: null, message: 'sorry' }],
	])('are an error where a 2xx says no by %s', async (_, json) => {
		expect((await refusalOf(found({ json })))?.message).toMatch(/sorry/);
	});

	it('are an error where they are those of another deployment', async () => {
		expect(
			await refusalOf(found({ json: { data: { deployment_id: 'd2', id: 7 } } })),
		).toMatchObject({
			message: 'The service answered with the details of d2, 7 instead of d1',
		});
	});

	it('must be there for whoever needs them', async () => {
		const context = await productContext(new Market().hide('d1'));
		expect(await getDeployment(context, 'd1')).toEqual({ deployment_id: 'd1', status: 'running' });
		expect(await refusalOf(getDeployment(context, 'd2'))).toEqual({
			message: 'There is no deployment d2',
			description: 'Check the ID, and that the API key belongs to the account that deployed it.',
			known: { deployment_id: 'd2' },
		});
	});
});

describe('the list of deployments', () => {
	const three = () =>
		new Market()
			.add('d1', { status: 'Running' })
			.add('d2', { status: 'failed', resource_private_name: 'job-2' })
			.add('d3', { status: 'running', resource_private_name: 'other' });

	it('has those of a state, however it is spelled', async () => {
		const context = await productContext(three());
		expect(ids(await listDeployments(context))).toEqual(['d1', 'd2', 'd3']);
		expect(ids(await listDeployments(context, 'RUNNING'))).toEqual(['d1', 'd3']);
		expect(ids(await listDeployments(context, 'paused'))).toEqual([]);
	});

	it('is read whole where the service knows no such state', async () => {
		const market = three();
		let filtered = 0;
		market.answer = async ({ qs = {} }) => {
			const deployments = qs.status === undefined ? market.listed : [];
			if (qs.status !== undefined) filtered++;
			return await Promise.resolve({ json: { data: { deployments, total: deployments.length } } });
		};
		expect(ids(await listDeployments(await productContext(market), 'running'))).toEqual([
			'd1',
			'd3',
		]);
		expect(filtered).toBeGreaterThan(0);
	});

	it('is read no further than to the one that is looked for', async () => {
		const market = three();
		const context = await productContext(market);
		expect(await findListed(context, 'd2')).toMatchObject({
			entry: { deployment_id: 'd2' },
			isEmpty: false,
		});
		expect(market.asked).toHaveLength(1);
		expect(await findListed(context, 'd4')).toEqual({ entry: undefined, isEmpty: false });
	});

	it('is read once more where it is empty', async () => {
		const market = new Market();
		market.instead = () => {
			if (market.asked.length > 1) market.listed = [{ id: 'd1' }];
			return undefined;
		};
		expect(await findListed(await productContext(market), 'd1')).toMatchObject({
			entry: { id: 'd1' },
			isEmpty: false,
		});
		expect(await findListed(await productContext(new Market()), 'd1')).toEqual({
			entry: undefined,
			isEmpty: true,
		});
	});

	it('is an error where it is no list', async () => {
		const market = new Market();
		market.instead = () => ({ json: { data: 'none' } });
		expect(await refusalOf(listDeployments(await productContext(market)))).toBeDefined();
	});

	it('is searched by whole names and by beginnings of names', async () => {
		const context = await productContext(three());
		expect(ids(await findByName(context, 'job'))).toEqual(['d1']);
		expect(ids(await listPrefixed(context, 'job'))).toEqual(['d1', 'd2']);
		expect(ids(await listPrefixed(context, 'job', 'failed'))).toEqual(['d2']);
		expect(ids(await listPrefixed(context))).toEqual(['d1', 'd2', 'd3']);
		expect(hasPrefix({ name: 'job-1' }, 'ob')).toBe(false);
		expect(hasPrefix({}, 'j')).toBe(false);
		expect(hasPrefix({})).toBe(true);
	});

	it('cannot be searched by name where no entry shows one', async () => {
		const market = new Market();
		market.listed = [{ id: 'd1' }, { id: 'd2', name: '' }];
		const context = await productContext(market);
		expect(await refusalOf(listNamed(context))).toMatchObject({
			message: 'No entry of the list shows a name that is known',
			description: 'Without names, a deployment can only be found by its ID.',
		});
		expect(ids(await listPrefixed(context))).toEqual(['d1', 'd2']);
		market.listed.push({ id: 'd3', name: 'job' });
		expect(ids(await listNamed(context))).toEqual(['d1', 'd2', 'd3']);
		market.listed = [];
		expect(await listNamed(context)).toEqual([]);
	});

	it('may be behind: what its details show as ended is not alive', async () => {
		const market = three().add('d4').add('d5').hide('d4', { status: 'destroyed' });
		market.instead = (request) => (request === 'GET deployment/d5' ? REFUSED : undefined);
		const entries = [...market.listed, { status: 'running', name: 'no ID' }];
		const alive = await stillAlive(await productContext(market), entries);
		expect(alive.map((entry) => idOf(entry) ?? entry.name)).toEqual(['d1', 'd3', 'd5', 'no ID']);
		expect(market.asked).toEqual([1, 3, 4, 5].map((id) => `GET deployment/d${id}`));
	});
});

describe('an ID', () => {
	it.each<[unknown, string | undefined]>([
		[{ deployment_id: 'a', id: 'b', deploymentId: 'c', uuid: 'd' }, 'a'],
		[{ id: 'b', deploymentId: 'c', uuid: 'd' }, 'b'],
		[{ deploymentId: 'c', uuid: 'd' }, 'c'],
		[{ uuid: 'd' }, 'd'],
		[{ deployment_id: '', id: 7 }, '7'],
		// A number that was rounded may be another's
		[{ id: 2 ** 53, uuid: 'd' }, 'd'],
		[{ deployment_id: 0, id: 'b' }, 'b'],
		[{ id: 0 }, '0'],
		// Beside an envelope it is that of the request
		[{ id: 'request', data: { id: 'b' } }, 'b'],
		[{ deployment_id: 'a', data: { id: 'b' } }, 'a'],
		[{ id: 'request', data: {} }, undefined],
		[{ id: null }, undefined],
		['a', undefined],
	])('in %j is %j', (answer, id) => {
		expect(idOf(answer)).toBe(id);
	});

	it('is found as the details spell it', () => {
		expect(spelledIn({ id: 'AbC', uuid: 'x' }, 'aBc')).toBe('AbC');
		expect(spelledIn({ id: 'AbC', uuid: 'x' }, 'X')).toBe('x');
		expect(spelledIn({ id: 'AbC' }, 'ab')).toBeUndefined();
	});
});

it.each<[IDataObject, string | undefined]>([
	[{ resource_private_name: 'a', name: 'b' }, 'a'],
	[{ resource_private_name: '', name: 'b' }, 'b'],
	[{ name: 2026 }, '2026'],
	[{ name: null }, undefined],
])('the name in %j is %j', (entry, name) => {
	expect(nameOf(entry)).toBe(name);
});

it('the content of an answer is that of its envelope, or empty', () => {
	const answer = (text: string) =>
		contentOf({ kind: 'answer', status: 200, contentType: 'application/json', text });
	expect(answer('{"data":{"id":"d1"},"id":"request"}')).toEqual({ id: 'd1' });
	expect(answer('{"id":"d1"}')).toEqual({ id: 'd1' });
	expect(answer('[1]')).toEqual({});
	expect(answer('no')).toEqual({});
	expect(contentOf({ kind: 'lost', reason: 'gone' })).toEqual({});
	expect(contentOf(undefined)).toEqual({});
});

it('a deployment is shown under the same keys everywhere, without its secrets', () => {
	expect(described({ uuid: 'd1', name: 'job', secret_env: { TOKEN: 'a' } })).toEqual({
		uuid: 'd1',
		name: 'job',
		secret_env: { TOKEN: '***' },
		deployment_id: 'd1',
		resource_private_name: 'job',
	});
	expect(described({ a: 1 })).toEqual({ a: 1, deployment_id: null });
});
