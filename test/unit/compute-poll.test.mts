import type { IDataObject, INodeParameters, IPollFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { load, store, type Kept } from '../../nodes/ComputeTrigger/memory.ts';
import { poll } from '../../nodes/ComputeTrigger/poll.ts';
import { readSettings } from '../../nodes/ComputeTrigger/settings.ts';
import { functionsOf, type Answered } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

let triggers = 0;
const BASE: INodeParameters = {
	authentication: 'apiKey',
	event: 'deploymentStateChanged',
	product: 'vmaas',
	minutes: 60,
	maxHourlyPrice: 0,
	filters: {},
	options: {},
	offerOptions: {},
	deviceIds: ['d'],
	downtimeMinutes: 10,
};

/** A node that polls, with its static data. */
function node(changes: INodeParameters = {}, more: object = {}) {
	const parameters: INodeParameters = { ...BASE, ...changes };
	const id = `node ${triggers++}`;
	const answers: { next: (path: string) => Promise<Answered> | Answered } = {
		next: () => ({ json: { data: { deployments: [], total: 0 } } }),
	};
	const data: IDataObject = {};
	const warnings: string[] = [];
	const errors: string[] = [];
	const credential = { id: 'credential' };
	const functions = functionsOf(async ({ url }) => await answers.next(new URL(url).pathname), {
		getNode: () => ({
			id,
			name: 'Trigger',
			type: 'computeTrigger',
			credentials: { computeMarketplaceApi: credential },
		}),
		getWorkflow: () => ({ id: 'w' }),
		getMode: () => 'trigger',
		getActivationMode: () => 'update',
		getNodeParameter: (name: string, fallback?: unknown) => parameters[name] ?? fallback,
		getWorkflowStaticData: () => data,
		logger: { warn: (text: string) => warnings.push(text) },
		__emitError: (error: Error) => errors.push(error.message),
		...more,
	}) as unknown as IPollFunctions;
	const show = (...deployments: IDataObject[]) =>
		void (answers.next = () => ({ json: { data: { deployments, total: deployments.length } } }));
	const told = async () => (await poll(functions))?.[0]?.map(({ json }) => json) ?? null;
	return { functions, parameters, answers, data, warnings, errors, credential, show, told };
}

const running = { id: 'a', status: 'running' };

describe('a poll', () => {
	it('tells nothing at first, then what is new, then nothing', async () => {
		const { show, told } = node();
		expect(await told()).toBeNull();
		show(running);
		expect(await told()).toMatchObject([{ event: 'deploymentStateChanged', deployment_id: 'a' }]);
		expect(await told()).toBeNull();
	});

	it.each<[string, (one: ReturnType<typeof node>) => unknown]>([
		['another credential', ({ credential }) => (credential.id = 'another')],
		['another name prefix', ({ parameters }) => (parameters.options = { namePrefix: 'a' })],
		['another event', ({ parameters }) => (parameters.event = 'deploymentExpiresSoon')],
	])('with %s begins anew', async (_, change) => {
		const one = node();
		const named = { ...running, name: 'a', compute_minutes_remaining: 1 };
		await one.told();
		one.show(named);
		change(one);
		expect(await one.told()).toBeNull();
		one.show(named, { ...named, id: 'b' });
		expect(await one.told()).not.toBeNull();
	});

	it('with another product has a base line of that one, and keeps the other', async () => {
		const { show, told, parameters, data } = node();
		await told();
		parameters.product = 'caas';
		show(running);
		expect(await told()).toBeNull();
		expect(JSON.parse(String(data.computeTrigger))).toMatchObject({
			seen: { vmaas: {}, caas: {} },
		});
	});

	it.each([
		['offers', { event: 'offerMatches' }, { maxHourlyPrice: 5 }],
		['devices', { event: 'deviceDown', authentication: 'accessToken' }, { downtimeMinutes: 20 }],
	])('of %s begins anew with another limit', async (_, changes, limit) => {
		const { answers, told, parameters, data } = node(changes);
		answers.next = () => ({ json: { status: 'succeeded', data: { hardware: [] } } });
		const scopeOf = () => (JSON.parse(String(data.computeTrigger)) as Kept).scope;
		await told();
		const scope = scopeOf();
		Object.assign(parameters, limit);
		await told();
		expect(scopeOf()).not.toBe(scope);
	});

	it('that is under way is not begun a second time, and one after a failure is', async () => {
		const { answers, told, show } = node();
		await told();
		let release: (answer: Answered) => void = () => undefined;
		const answer = new Promise<Answered>((resolve) => (release = resolve));
		answers.next = async () => await answer;
		const first = told().catch(() => 'failed');
		await pass();
		expect(await told()).toBeNull();
		release({ status: 404 });
		expect(await first).toBe('failed');
		show(running);
		expect(await told()).toHaveLength(1);
	});

	it.each([
		['update', []],
		['init', ['Not found (404)']],
		['leadershipChange', ['Not found (404)']],
	])('that fails at the activation "%s" is thrown, or told and tried again', async (mode, told) => {
		const one = node({}, { getActivationMode: () => mode });
		one.answers.next = () => ({ status: 404 });
		const result = await one.told().catch(() => 'thrown');
		expect(result).toBe(told.length === 0 ? 'thrown' : null);
		expect(one.errors).toEqual(told);
	});

	it('with events and a failure tells the events, and warns', async () => {
		const { answers, told, warnings } = node({ product: 'both' });
		await told();
		answers.next = (path) =>
			path.includes('vmaas')
				? { status: 404 }
				: { json: { data: { deployments: [running], total: 1 } } };
		expect(await told()).toMatchObject([{ product: 'caas' }]);
		expect(warnings).toEqual([expect.stringContaining('404')]);
		await expect(told()).rejects.toThrow('404');
	});

	it.each([
		[undefined, 300_000, '300 seconds'],
		[() => 20_000, 20_000, '20 seconds'],
	])('has the time that n8n says, or five minutes: %s', async (getPollBudgetMs, ms, text) => {
		// One answer alone has less time
		const deviceIds = Array.from({ length: 20 }, (_, index) => `d${index}`);
		const { answers, told } = node(
			{ event: 'deviceDown', authentication: 'accessToken', deviceIds },
			getPollBudgetMs ? { getPollBudgetMs } : {},
		);
		answers.next = async () => await new Promise(() => undefined);
		let message = '';
		void told().catch((error: Error) => (message = error.message));
		await pass(ms - 1);
		expect(message).toBe('');
		await pass(1);
		expect(message).toContain(text);
	});

	it('has an ID that tells each event, and is the same where it is told again', async () => {
		const { show, told, data } = node();
		await told();
		const before = String(data.computeTrigger);
		show(running);
		const first = await told();
		expect(first?.[0]?.event_id).toMatch(/^[\w-]{22}$/);
		data.computeTrigger = before;
		expect(await told()).toMatchObject([{ event_id: first?.[0]?.event_id }]);
	});
});

describe('a test run', () => {
	it('shows a sample, of whatever product has one, and keeps nothing', async () => {
		const { answers, told, data } = node({ product: 'both' }, { getMode: () => 'manual' });
		answers.next = (path) => ({
			json: {
				data: path.includes('caas')
					? { deployments: [running], total: 1 }
					: { deployments: [], total: 0 },
			},
		});
		const sample = await told();
		expect(sample).toMatchObject([{ product: 'caas', sample: true }]);
		expect(sample?.[0]?.event_id).toBe(`sample-${String(sample?.[0]?.seen_at)}`);
		expect(data).toEqual({});
	});

	it.each([
		['deploymentStateChanged', 'no such deployment'],
		['deploymentExpiresSoon', 'No deployment runs'],
		['offerMatches', 'No available offer'],
	])('of %s says what there is not', async (event, description) => {
		const { answers, told } = node({ event }, { getMode: () => 'manual' });
		answers.next = () => ({ json: { data: { deployments: [], hardware: [], total: 0 } } });
		await expect(told()).rejects.toMatchObject({
			description: expect.stringContaining(description),
		});
	});
});

describe('what is kept', () => {
	const kept = (more: Partial<Kept> = {}): Kept => ({
		scope: 's',
		since: 1,
		told: 0,
		count: 10,
		seen: {},
		...more,
	});
	/** What is saved, and then what a quiet poll of this process has seen. */
	const both = (saved: Kept, quiet: Kept) => {
		const { functions, data } = node();
		store(functions, quiet, false);
		data.computeTrigger = JSON.stringify(saved);
		return load(functions, 's')?.count;
	};

	it.each<[string, Kept, Kept, number | undefined]>([
		['is later', kept(), kept({ count: 11 }), 11],
		['is no later', kept(), kept({ count: 9 }), 10],
		['is of before events that are saved', kept({ told: 1 }), kept({ count: 11 }), 10],
		['is of another base line', kept(), kept({ count: 11, since: 2 }), 10],
		['is of another scope', kept(), kept({ count: 11, scope: 'other' }), 10],
		['is all of this scope', kept({ scope: 'other' }), kept({ count: 11 }), undefined],
	])('in the process counts only where it goes on: what %s', (_, saved, quiet, at) => {
		expect(both(saved, quiet)).toBe(at);
	});

	it('in the process alone counts where nothing is saved', () => {
		const { functions, data } = node();
		expect(load(functions, 's')).toBeUndefined();
		store(functions, kept(), false);
		delete data.computeTrigger;
		expect(load(functions, 's')).toEqual(kept());
		expect(load(functions, 'other')).toBeUndefined();
	});

	it('with events counts once it is saved', () => {
		const { functions, data } = node();
		store(functions, kept(), true);
		expect(load(functions, 's')).toEqual(kept());
		delete data.computeTrigger;
		expect(load(functions, 's')).toBeUndefined();
	});

	it.each([7, '{', 'null', '{"scope":"s"}', '{"scope":"s","seen":7}'])('is not %j', (damaged) => {
		const { functions, data } = node();
		data.computeTrigger = damaged;
		expect(load(functions, 's')).toBeUndefined();
	});
});

describe('the settings of the compute trigger', () => {
	const read = (changes: INodeParameters) => readSettings(node(changes).functions);
	const devices = { event: 'deviceDown', authentication: 'accessToken' };
	const named = (count: number) => Array.from({ length: count }, (_, index) => `d${index}`);

	it.each<[INodeParameters, object]>([
		[{ product: 'both' }, { products: [{ key: 'vmaas' }, { key: 'caas' }] }],
		[{ product: 'caas' }, { products: [{ key: 'caas' }] }],
		[{ event: 'deploymentExpiresSoon', minutes: 1 }, { minutes: 1 }],
		[{ event: 'offerMatches' }, { maxHourlyPrice: Infinity, alsoCheaper: false }],
		[
			{ event: 'offerMatches', maxHourlyPrice: 0.01, offerOptions: { alsoCheaper: true } },
			{ maxHourlyPrice: 0.01, alsoCheaper: true },
		],
		[{ ...devices, deviceIds: ['a', 'b', 'a'] }, { deviceIds: ['a', 'b'] }],
		[{ ...devices, deviceIds: named(100), downtimeMinutes: 1_440 }, { downtimeMinutes: 1_440 }],
	])('are read: %j', (changes, settings) => {
		expect(read(changes)).toMatchObject(settings);
	});

	it.each<[INodeParameters, RegExp]>([
		[{ authentication: 'accessToken' }, /must be API Key/],
		[{ event: 'offerMatches', authentication: 'oAuth2' }, /must be API Key/],
		[{ ...devices, authentication: 'apiKey' }, /must be Access Token or OAuth2/],
		[{ ...devices, deviceIds: [] }, /1 to 100 devices, got 0/],
		[{ ...devices, deviceIds: named(101) }, /1 to 100 devices, got 101/],
		[{ ...devices, deviceIds: ['a', '..'] }, /Device IDs/],
		[{ ...devices, downtimeMinutes: 0 }, /0/],
		[{ ...devices, downtimeMinutes: 1_441 }, /1441/],
		[{ event: 'deploymentExpiresSoon', minutes: 0 }, /0/],
		[{ event: 'offerMatches', maxHourlyPrice: -1 }, /-1/],
		[{ options: { namePrefix: '' } }, /Name Prefix/],
	])('are wrong: %j', (changes, message) => {
		expect(() => read(changes)).toThrow(message);
	});
});
