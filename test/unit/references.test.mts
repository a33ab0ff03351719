import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deploymentField } from '../../nodes/marketplace/fields.ts';
import { noteBought } from '../../nodes/marketplace/ownDeployments.ts';
import {
	idsOf,
	labelOf,
	notFoundError,
	readReference,
	readReferences,
	resolveDeployment,
	type Reference,
} from '../../nodes/marketplace/references.ts';
import { locator } from '../engine/nodes.mts';
import { Market, productContext, REFUSED, refusalOf } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const formWith = (deploymentId: unknown) =>
	formOf({ fields: [deploymentField] }, { deploymentId } as IDataObject);

describe('the deployments that a form means', () => {
	it.each<[string, unknown, Reference[]]>([
		['an ID', locator('d1'), [{ id: 'd1' }]],
		['a text of an expression', 'd1', [{ id: 'd1' }]],
		['an ID from the list', locator('d1', 'list'), [{ id: 'd1' }]],
		['several IDs', locator(['d1', 'd2']), [{ id: 'd1' }, { id: 'd2' }]],
		[
			'a name, without the blanks around it, as a deploy takes it',
			locator(' a job\n', 'name'),
			[{ name: 'a job' }],
		],
		['a name that is a number', locator(2026, 'name'), [{ name: '2026' }]],
		['several names', locator(['a', 7], 'name'), [{ name: 'a' }, { name: '7' }]],
	])('are read from %s', (_, value, references) => {
		expect(readReferences(formWith(value))).toEqual(references);
	});

	it.each<[unknown, string]>([
		[[], 'Deployment is required: the list of names is empty'],
		[' ', 'Deployment must be a name, got " "'],
		[['job', null], 'Deployment must be a name, got nothing'],
	])('are none as the name %j', (name, text) => {
		expect(message(() => readReferences(formWith(locator(name, 'name'))))).toBe(text);
	});

	it('are one where only one may be meant', () => {
		expect(readReference(formWith(locator(['job'], 'name')))).toEqual({ name: 'job' });
		expect(message(() => readReference(formWith(locator(['a', 'b', 'c'], 'name'))))).toBe(
			'Deployment must be exactly one value, got 3',
		);
	});
});

describe('the ID of a deployment', () => {
	const resolve = async (market: Market, reference: Reference) =>
		await resolveDeployment(await productContext(market), reference);

	it('is that which was chosen, and nothing is asked', async () => {
		const market = new Market();
		expect(await resolve(market, { id: 'd1' })).toBe('d1');
		expect(market.asked).toEqual([]);
	});

	it('is that of the only one of a name that has not ended', async () => {
		const market = new Market()
			.add('d1', { status: 'failed' })
			.add('d2')
			.add('d3', { resource_private_name: 'job-2' });
		expect(await resolve(market, { name: 'job' })).toBe('d2');
		expect(new Set(market.asked)).toEqual(new Set(['GET deployments', 'GET deployment/d2']));
	});

	it('is not known where all of its name have ended', async () => {
		const market = new Market().add('d1', { status: 'failed' }).add('d2', { status: 'destroyed' });
		expect(await refusalOf(resolve(market, { name: 'job' }))).toEqual({
			message: 'Every deployment named "job" has ended: d1, d2',
			description: 'To use one of them, choose it By ID.',
			known: {},
		});
		expect([labelOf({ id: 'd1' }), labelOf({ name: 'job' })]).toEqual(['d1', '"job"']);
		expect(idsOf([{ deployment_id: 'd1' }, {}])).toBe('d1, no ID');
	});

	it('is not known where nothing has the name', async () => {
		const market = new Market().add('d1', { resource_private_name: 'other' });
		expect(await refusalOf(resolve(market, { name: 'job' }))).toEqual({
			message: 'There is no deployment named "job"',
			description: 'Check it, and that the API key belongs to the account that deployed it.',
			known: { resource_private_name: 'job' },
		});
	});
});

describe('a reference to nothing', () => {
	/** What is said of it, where these deployments are there: each by its ID, its name and its status. */
	async function said(
		reference: Reference,
		shown: Array<[id: string, name: string, status?: string]>,
		bought: string[] = [],
	) {
		const market = new Market();
		for (const [id, name, status = 'running'] of shown)
			market.add(id, { resource_private_name: name, status });
		const context = await productContext(market);
		if (bought.length > 0) noteBought(context, 'd9', { names: bought, purchaseId: 'p' });
		return (await notFoundError(context, reference)).message;
	}

	it('is an error that says what follows and how to go on', async () => {
		const context = await productContext(new Market());
		const error = await notFoundError(context, { id: 'd9' }, 'Nothing was sent.');
		expect([error.message, error.description, error.httpCode, error.context.known]).toEqual([
			'There is no deployment d9',
			'Nothing was sent. Check it, and that the API key belongs to the account that deployed it.',
			'404',
			{ deployment_id: 'd9' },
		]);
	});

	it.each<[string, Reference, Array<[string, string, string?]>, string]>([
		[
			'names in another case',
			{ name: 'job' },
			[
				['d1', 'JOB'],
				['d2', 'Job'],
			],
			'There is no deployment named "job". A similar name has d1 ("JOB"), d2 ("Job")',
		],
		[
			'names that have ended',
			{ name: 'job' },
			[['d1', 'JOB', 'destroyed']],
			'There is no deployment named "job"',
		],
		[
			'an ID that is a name',
			{ id: 'job' },
			[
				['d1', 'job'],
				['d2', 'job'],
				['d3', 'job', 'failed'],
				['d4', 'JOB'],
			],
			'There is no deployment job: that is the name of d1, d2. Choose By Name',
		],
		['an ID like any other', { id: 'd9' }, [['d1', 'job']], 'There is no deployment d9'],
	])('may be %s', async (_, reference, shown, text) => {
		expect(await said(reference, shown)).toBe(text);
	});

	it('may be the ID of a request to deploy: what its names show is told once', async () => {
		const shown: Array<[string, string, string?]> = [
			['d1', 'JOB'],
			['d2', 'job', 'destroyed'],
			['d3', 'other'],
		];
		expect(await said({ id: 'd9' }, shown, ['job', 'Job'])).toBe(
			'There is no deployment d9: it is the ID in the answer to a deploy, and under its name there is d1 ("JOB"). If that is yours, choose it By ID',
		);
		expect(await said({ id: 'd9' }, shown, ['third'])).toBe('There is no deployment d9');
	});

	it('is told without a guess where the list cannot be read', async () => {
		const market = new Market().add('d1', { resource_private_name: 'JOB' });
		market.instead = () => REFUSED;
		const error = await notFoundError(await productContext(market), { name: 'job' });
		expect(error.message).toBe('There is no deployment named "job"');
	});
});
