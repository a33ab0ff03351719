import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { filterRows, openApi } from '../shared/listSearch';
import type { Id } from '../shared/operation/parameters';
import { deploymentRows } from '../marketplace/deploymentRows';
import { findByName, idOf } from '../marketplace/deployments';
import { hardwareRows } from '../marketplace/hardwareRows';
import {
	byAvailabilityAndPrice,
	listOffers,
	offersOf,
	priceText,
	sizesOf,
	type Offer,
	type Size,
} from '../marketplace/offers';
import { VMAAS } from '../marketplace/product';
import { KEY_CREDENTIALS } from '../marketplace/credentials';
import { isFinal } from '../marketplace/state';
import { isRecord } from '../shared/guards';
import { listVms, vmIdOf } from './resources/vm/list';

/** The hardware of the offers; see {@link hardwareRows}. */
export async function searchHardware(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const offers = await listOffers(await openApi(this, KEY_CREDENTIALS));
	return filterRows(hardwareRows(offers), filter);
}

/** The locations of the chosen hardware with the price of each size; sold-out ones last and marked. */
export async function searchLocations(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const hardwareId = this.getCurrentNodeParameter('hardwareId', { extractValue: true }) as
		Id | undefined;
	const offers = await listOffers(await openApi(this, KEY_CREDENTIALS));
	const isChosen = hardwareId !== undefined && hardwareId !== '';
	const there = new Map<string, Offer[]>();
	const chosen = isChosen ? offersOf(offers, hardwareId) : offers;
	for (const offer of [...chosen].sort(byAvailabilityAndPrice)) {
		const { location } = offer;
		if (typeof location !== 'string') continue;
		const group = there.get(location) ?? [];
		if (group.push(offer) === 1) there.set(location, group);
	}
	const rows = [...there].map(([location, group]) => ({
		name: `${location} · ${isChosen ? pricesText(sizesOf(group)) : priceText(group[0]!)}`,
		value: location,
	}));
	return filterRows(rows, filter);
}

/** Deployments by name and state; those that have ended last. */
export async function searchDeployments(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const context = { ...(await openApi(this, KEY_CREDENTIALS)), product: VMAAS };
	return filterRows(await deploymentRows(context), filter);
}

/** The VMs of the chosen deployment with state and address. */
export async function searchVms(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const raw: unknown = this.getCurrentNodeParameter('deploymentId');
	const { mode, value } = isRecord(raw) ? raw : { mode: 'id', value: raw };
	const chosen = typeof value === 'number' ? String(value) : value;
	if (typeof chosen !== 'string' || chosen.trim() === '') return { results: [] };
	const context = { ...(await openApi(this, KEY_CREDENTIALS)), product: VMAAS };
	const ids =
		mode === 'name'
			? (await findByName(context, chosen)).flatMap((entry) =>
					isFinal(entry.status) ? [] : [idOf(entry)!],
				)
			: [chosen.trim()];
	const vms = await Promise.all(ids.map(async (id) => await listVms(context, id)));
	const rows = vms.flat().map((vm) => {
		const id = vmIdOf(vm)!;
		const words = [vm.hardware, vm.status, vm.ssh_access].filter(
			(word) => typeof word === 'string',
		);
		return { name: [id, ...words].join(' · '), value: id };
	});
	return filterRows(rows, filter);
}

/** The price of the only size, or of each: `1 × $0.55/h, 8 × $4.40/h`. */
function pricesText(sizes: Size[]): string {
	if (sizes.length === 1) return priceText(sizes[0]!.offer);
	return sizes.map(({ cards, offer }) => `${cards ?? '?'} × ${priceText(offer)}`).join(', ');
}
