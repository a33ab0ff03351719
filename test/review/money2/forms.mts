import type { IDataObject, IRun } from 'n8n-workflow';
import {
	caas,
	containerParameters,
	deployment,
	deployParameters,
	locator,
} from '../../engine/nodes.mts';
import type { NodeUnderTest, RunOptions } from '../../engine/engine.mts';
import { errorOf, jsonOf } from '../../engine/results.mts';
import { expect } from 'vitest';
import { API_KEY, type Market } from './service.mts';

type Settings = Partial<NodeUnderTest>;

/** A deploy of hardware 12 in US, one GPU, two hours. */
export const deploy = (changes: IDataObject = {}, settings: Settings = {}) =>
	deployment(
		'deploy',
		deployParameters({
			hardwareId: locator(12),
			gpusPerVm: 1,
			locationId: locator('US'),
			...changes,
		}),
		settings,
	);

export const cheapest = (changes: IDataObject = {}, settings: Settings = {}) => {
	const { hardwareId: _h, placement: _p, locationId: _l, ...common } = deployParameters();
	return deployment(
		'deployCheapest',
		{ ...common, filters: {}, maxTries: 3, ...changes },
		settings,
	);
};

export const extend = (
	id: unknown,
	hours: unknown = 2,
	safety: IDataObject = {},
	settings: Settings = {},
) =>
	deployment(
		'extend',
		{ deploymentId: locator(id), durationHours: hours as number, safety },
		settings,
	);

export const destroy = (id: unknown, options: IDataObject = {}, settings: Settings = {}) =>
	deployment('destroy', { deploymentId: locator(id), options }, settings);

export const waitFor = (id: unknown, changes: IDataObject = {}, settings: Settings = {}) =>
	deployment(
		'waitFor',
		{
			deploymentId: locator(id),
			waitUntil: 'running',
			pollInterval: 10,
			timeout: 60,
			onTimeout: 'error',
			...changes,
		},
		settings,
	);

export const deployContainers = (changes: IDataObject = {}, settings: Settings = {}) =>
	caas(
		'deployment',
		'deploy',
		containerParameters({ hardwareId: locator(12), ...changes }),
		settings,
	);

/** What came of a run, with all that a person can read of it. */
export interface Told {
	items: IDataObject[];
	error?: string;
	details: IDataObject;
	text: string;
}

/** Runs a node, and checks what holds in every world: no secret, and each machine that runs is named. */
export async function told(
	market: Market,
	node: NodeUnderTest,
	items: IDataObject[] = [{}],
	options: RunOptions = {},
): Promise<Told> {
	const before = new Set(market.rented);
	const run = await market.engine.run(node, items, options);
	const one = toldBy(run);
	for (const { id, name, body } of market.rented.filter((rented) => !before.has(rented))) {
		const names = [String(id), String(name), String(body.resource_private_name)];
		expect(
			names.some((word) => one.text.includes(word)),
			`names ${names.join(' or ')}`,
		).toBe(true);
	}
	return one;
}

export function toldBy(run: IRun): Told {
	const { error } = run.data.resultData;
	const items = error ? [] : jsonOf(run);
	const found = error ? errorOf(run) : undefined;
	const details = ((found?.context as IDataObject | undefined)?.known ?? {}) as IDataObject;
	const text = JSON.stringify([items, found?.message, found?.description, found?.context]);
	expect(text).not.toContain(API_KEY);
	return {
		items,
		details,
		text,
		...(found && { error: `${found.message} | ${String(found.description ?? '')}` }),
	};
}
