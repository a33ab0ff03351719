import type { IDataObject } from 'n8n-workflow';
import { described, findDeployment, idOf, listPrefixed } from '../deployments';
import { EMPTY_FILTER, namePrefixField, readNamePrefix, statusField } from '../fields';
import { hasZone, LARGEST_ZONE_MS, timeOf } from '../../shared/dates';
import { collectionField, limitFields, readLimit } from '../../shared/fields';
import { numberOf } from '../../shared/numbers';
import { onProduct, type Product, type ProductContext } from '../product';
import { now } from '../../shared/time';

interface ListInput {
	limit?: number;
	status?: string;
	namePrefix?: string;
	olderThanHours?: number;
}

/** Deployment > Get Many of a product. */
export const getAll = (product: Product) =>
	onProduct<ListInput>(product, {
		value: 'getAll',
		name: 'Get Many',
		action: `Get many ${product.deployment}s`,
		description: 'Retrieve the deployments of the account with state, name and remaining time',
		effect: 'read',
		fields: [
			...limitFields,
			collectionField('filters', 'Filters', 'Add Filter', [
				namePrefixField,
				{
					displayName: 'Older Than (Hours)',
					name: 'olderThanHours',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 2 },
					default: 12,
					description:
						'Only deployments that were created longer ago than this, with age_hours. One whose age cannot be read comes with age_hours: null and without its deployment_id.',
				},
				statusField,
			]),
		],
		input(parameters) {
			const filters = parameters.group('filters');
			// A Destroy may follow
			['namePrefix', 'status'].forEach((name) => filters.requireFilled(name, EMPTY_FILTER));
			return {
				limit: readLimit(parameters),
				status: filters.text('status', { optional: true }),
				namePrefix: readNamePrefix(filters),
				olderThanHours: filters.number('olderThanHours', { optional: true, min: 0 }),
			};
		},
		async run(context, { limit, status, namePrefix, olderThanHours }) {
			const found: IDataObject[] = [];
			for (const entry of await listPrefixed(context, namePrefix, status)) {
				if (found.length === limit) break;
				if (olderThanHours === undefined) {
					found.push(described(entry));
					continue;
				}
				const { hours, isAtLeast } = await ageOf(context, entry);
				if (hours !== undefined && hours > olderThanHours)
					found.push({ ...described(entry), age_hours: Math.round(hours * 100) / 100 });
				else if (hours === undefined || isAtLeast) found.push(ofUnknownAge(entry));
			}
			return found;
		},
	});

/** A deployment whose age cannot be read must be seen, but a Destroy that follows must not take it for an old one. */
function ofUnknownAge(entry: IDataObject): IDataObject {
	return {
		...described(entry),
		deployment_id: null,
		age_hours: null,
		hint: `The age of deployment ${idOf(entry)} cannot be read. Its deployment_id is left out, so that nothing that follows takes it for an old one.`,
	};
}

/** Zones differ by an hour at least, so that what waits no longer for its start shows in the minutes served whether a time is UTC. */
const LONGEST_START_MINUTES = 45;

interface Age {
	hours?: number;
	/** It is only known to be as old as that. */
	isAtLeast?: boolean;
}

/**
 * The age of a deployment: since it was created, or else started, which list entries do not always say but details do.
 * Without a time that can be read, the minutes served tell the least that it can be; some services sum them over all GPUs.
 */
async function ageOf(context: ProductContext, entry: IDataObject): Promise<Age> {
	const { product } = context;
	const details =
		timeOf(entry.created_at) === undefined
			? await findDeployment(context, String(idOf(entry)))
			: undefined;
	const all = { ...details, ...entry };
	const start = [entry.created_at, details?.created_at, all.started_at].find(
		(time) => timeOf(time) !== undefined,
	);
	const minutes = numberOf(all.compute_minutes_served);
	const gpus = Math.max(
		...[
			numberOf(all.hardware_quantity),
			numberOf(all.total_gpus),
			(numberOf(all[product.gpusKey]) ?? 0) * (numberOf(all[product.workersKey]) ?? 0),
		].map((count) => count ?? 0),
	);
	const startedAt = timeOf(start);
	if (startedAt === undefined)
		return minutes === undefined || gpus < 1 ? {} : { hours: minutes / gpus / 60, isAtLeast: true };
	// The younger one by the two clocks
	const ageMs = now() + Math.min(0, context.account.clockAheadMs ?? 0) - startedAt;
	const isUtc = [1, gpus].some((count) => {
		const waited = ageMs / 60_000 - (minutes ?? NaN) / count;
		return waited >= -LONGEST_START_MINUTES / 10 && waited <= LONGEST_START_MINUTES;
	});
	if (hasZone(start) || minutes === undefined || isUtc) return { hours: ageMs / 3_600_000 };
	return { hours: (ageMs - LARGEST_ZONE_MS) / 3_600_000, isAtLeast: true };
}
