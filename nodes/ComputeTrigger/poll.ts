import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { KEY_CREDENTIALS, TOKEN_CREDENTIALS } from '../marketplace/credentials';
import { openAccount } from '../shared/http/credentials';
import { operationError } from '../shared/http/errors';
import type { RequestContext } from '../shared/http/request';
import { deadline, now } from '../shared/time';
import { watchDevices } from './events/devices';
import { watchEnds } from './events/expiring';
import { watchOffers } from './events/offers';
import { watchStates } from './events/states';
import { load, nodeKey, store, type Kept } from './memory';
import { readSettings, type Settings } from './settings';
import { digest, type TriggerEvent, type Watch } from './watch';

/** Activations that no person asked for: n8n has restarted, or another process takes over. */
const RESUMING_MODES: string[] = ['init', 'leadershipChange'];
/** A poll may take so long, in milliseconds, where n8n does not say. */
const BUDGET_MS = 300_000;
/** Characters of an event ID: 132 bits. */
const ID_LENGTH = 22;

/** The nodes of this process whose poll is under way. */
const polling = new Set<string>();

/** What is watched in one part of the service, whatever it has seen. */
type Part = [name: string, watch: Watch<unknown>];

/**
 * Looks once, as n8n asks at each of the poll times and at the activation.
 * @returns the events, or null where there are none
 * @throws where nothing could be read and nothing is to be told: n8n shows it as a failed execution, or at the activation
 */
export async function poll(functions: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (functions.getMode() === 'manual') return await sample(functions);
	const key = nodeKey(functions);
	// A poll that takes longer than the time between two: the next one would tell the same
	if (polling.has(key)) return null;
	polling.add(key);
	const outcome = await look(functions)
		.catch((error: Error) => ({ error }))
		.finally(() => polling.delete(key));
	if (!('error' in outcome)) return outcome.items;
	if (!RESUMING_MODES.includes(functions.getActivationMode())) throw outcome.error;
	// n8n would not start a workflow whose first poll fails after a restart, as in an outage of the service
	functions.__emitError(outcome.error);
	return null;
}

async function look(functions: IPollFunctions): Promise<{ items: INodeExecutionData[][] | null }> {
	const settings = readSettings(functions);
	const context = await open(functions, settings);
	const scope = scopeOf(context, settings);
	const before = load(functions, scope);
	const at = now();
	const kept: Kept = {
		scope,
		since: before?.since ?? at,
		told: before?.told ?? 0,
		count: (before?.count ?? 0) + 1,
		seen: { ...before?.seen },
	};
	const events: TriggerEvent[] = [];
	const failures: unknown[] = [];
	for (const [name, watch] of partsOf(settings)) {
		const seen = before?.seen[name];
		const result = await watch.look(context, seen).catch((failure: unknown) => ({ failure }));
		if (result.failure !== undefined) failures.push(result.failure);
		if (!('seen' in result)) continue;
		kept.seen[name] = result.seen;
		events.push(...result.events);
	}
	if (events.length > 0) kept.told++;
	const hasChanged = JSON.stringify(before?.seen) !== JSON.stringify(kept.seen);
	if (hasChanged && Object.keys(kept.seen).length > 0) store(functions, kept, events.length > 0);
	if (events.length > 0) {
		for (const failure of failures) functions.logger.warn(String((failure as Error).message));
		return { items: [events.map((event) => ({ json: itemOf(settings, event, kept, at) }))] };
	}
	const [failure] = failures;
	if (failure === undefined) return { items: null };
	throw context.signal?.aborted ? overdue(functions) : failure;
}

/** The event with an ID that it keeps when it is told again. */
function itemOf(
	{ event: name }: Settings,
	event: TriggerEvent,
	kept: Kept,
	at: number,
): IDataObject {
	const { identity, isUnique, json } = event;
	// What is told again after a restart is told by the same poll as before, counted in polls with events
	const which = isUnique ? [] : [kept.since, kept.told];
	const item: IDataObject = {
		...json,
		event: name,
		event_id: digest([name, ...identity, ...which], ID_LENGTH),
		seen_at: new Date(at).toISOString(),
	};
	// The mark of a test run
	delete item.sample;
	return item;
}

/** A test run in the editor: what there is now, as a sample. It touches nothing that the active workflow keeps. */
async function sample(functions: IPollFunctions): Promise<INodeExecutionData[][]> {
	const settings = readSettings(functions);
	const context = await open(functions, settings);
	for (const [, watch] of partsOf(settings)) {
		const json = await watch.sample(context);
		if (!json) continue;
		const at = new Date(now()).toISOString();
		const { event } = settings;
		return [[{ json: { ...json, event, event_id: `sample-${at}`, seen_at: at, sample: true } }]];
	}
	throw operationError(functions.getNode(), 'There is nothing to show as a sample now', {
		description: EMPTY[settings.event],
	});
}

const EMPTY: Record<Settings['event'], string> = {
	deploymentStateChanged: 'The account has no such deployment. The active workflow waits for one.',
	deploymentExpiresSoon:
		'No deployment runs and shows its time. The active workflow waits for one.',
	offerMatches: 'No available offer passes the filters. The active workflow waits for one.',
	deviceDown: 'The devices show nothing.',
};

async function open(functions: IPollFunctions, { event }: Settings): Promise<RequestContext> {
	const credentials = event === 'deviceDown' ? TOKEN_CREDENTIALS : KEY_CREDENTIALS;
	const account = await openAccount(functions, credentials);
	return { functions, account, signal: deadline(budgetOf(functions)) };
}

/** Absent before n8n 2.41. */
function budgetOf(functions: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
	return functions.getPollBudgetMs?.() ?? BUDGET_MS;
}

function overdue(functions: IPollFunctions): Error {
	const seconds = Math.round(budgetOf(functions) / 1000);
	return operationError(
		functions.getNode(),
		`The service took longer than the ${seconds} seconds of a poll`,
		{ description: 'Nothing was told. The next poll looks again.' },
	);
}

function partsOf(settings: Settings): Part[] {
	switch (settings.event) {
		case 'deploymentStateChanged':
			return settings.products.map((product) => [
				product.key,
				watchStates(product, settings.namePrefix) as Watch<unknown>,
			]);
		case 'deploymentExpiresSoon':
			return settings.products.map((product) => [
				product.key,
				watchEnds(product, settings.minutes, settings.namePrefix) as Watch<unknown>,
			]);
		case 'offerMatches':
			return [['offers', watchOffers(settings) as Watch<unknown>]];
		case 'deviceDown':
			return [['devices', watchDevices(settings) as Watch<unknown>]];
	}
}

/** What makes another base line, where a person changes it. A product or a device that is added has one of its own. */
function scopeOf({ functions, account }: RequestContext, settings: Settings): string {
	const credential = functions.getNode().credentials?.[account.credentialType]?.id ?? '';
	const where = [account.baseUrl, account.segments, credential, settings.event];
	const what =
		settings.event === 'offerMatches'
			? [settings.filters.query, String(settings.maxHourlyPrice)]
			: settings.event === 'deviceDown'
				? [settings.downtimeMinutes]
				: [settings.namePrefix ?? ''];
	return digest([...where, ...what], ID_LENGTH);
}
