import type { IDataObject } from 'n8n-workflow';
import {
	described,
	findDeployment,
	idOf,
	listDeployments,
	nameOf,
} from '../../../marketplace/deployments';
import {
	EMPTY_FILTER,
	namePrefixField,
	readNamePrefix,
	statusField,
} from '../../../marketplace/fields';
import { utcTime } from '../../../shared/dates';
import { collectionField, limitFields, readLimit } from '../../../shared/fields';
import { numberOf } from '../../../shared/numbers';
import type { OperationContext } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import { now } from '../../../shared/time';

interface ListInput {
	limit?: number;
	status?: string;
	namePrefix?: string;
	olderThanHours?: number;
}

export const getAll: Operation<ListInput> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many deployments',
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
				description: 'Only deployments that were created longer ago than this',
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
		for (const entry of await listDeployments(context, status)) {
			if (found.length === limit) break;
			if (status !== undefined && entry.status !== status) continue;
			if (namePrefix !== undefined && !nameOf(entry)?.startsWith(namePrefix)) continue;
			if (olderThanHours === undefined || (await isOlder(context, entry, olderThanHours)))
				found.push(described(entry));
		}
		return found;
	},
};

/** The list does not say when a deployment was created; minutes served prove an age, and only where they do not are the details read. */
async function isOlder(
	context: OperationContext,
	entry: IDataObject,
	hours: number,
): Promise<boolean> {
	if ((numberOf(entry.compute_minutes_served) ?? 0) > hours * 60) return true;
	const created =
		entry.created_at ?? (await findDeployment(context, String(idOf(entry))))?.created_at;
	return (
		typeof created === 'string' &&
		now() - Date.parse(utcTime(created) ?? created) > hours * 3_600_000
	);
}
