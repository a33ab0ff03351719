import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { hardwareRows, modelText } from '../marketplace/hardwareRows';
import { LOG_CREDENTIALS } from '../marketplace/log/credentials';
import { listOffers } from '../marketplace/offers';
import { numberOf } from '../shared/numbers';
import { filterRows, openApi } from '../shared/listSearch';
import { listAvailableReplicas } from './replicas';

/** The hardware of VMs whose ID is a whole number, which alone containers take. */
export async function searchHardware(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const offers = await listOffers(await openApi(this, LOG_CREDENTIALS));
	const rows = hardwareRows(offers, modelText)
		.filter(({ value }) => /^\d+$/.test(String(value)))
		.map(({ name, value }) => ({ name: `${name} · ID ${value}`, value }));
	return filterRows(rows, filter);
}

/** The locations of the chosen hardware, those with most free replicas first; none while no hardware is chosen. */
export async function loadLocations(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const hardwareId = Number(
		this.getCurrentNodeParameter('hardwareId', { extractValue: true }) || NaN,
	);
	const gpus = Number(this.getCurrentNodeParameter('gpusPerContainer') ?? 1);
	if (!Number.isSafeInteger(hardwareId) || !(gpus >= 1)) return [];
	const context = await openApi(this, LOG_CREDENTIALS);
	const locations = await listAvailableReplicas(context, hardwareId, gpus);
	return locations
		.map((location) => ({ location, free: numberOf(location.available_replicas) }))
		.sort((a, b) => (b.free ?? 0) - (a.free ?? 0))
		.flatMap(({ location, free }) => {
			const { id, name, iso2 } = location;
			if (typeof id !== 'number' && typeof id !== 'string') return [];
			const place = [name, iso2].find((one) => typeof one === 'string' && one !== '') ?? 'Location';
			return [{ name: `${String(place)} · ${free ?? 'unknown'} free · ID ${id}`, value: id }];
		});
}
