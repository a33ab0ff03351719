import type { IDataObject } from 'n8n-workflow';
import { described, listDeployments, nameOf } from '../../../marketplace/deployments';
import {
	destroyEach,
	destroyOptionsField,
	listed,
	notDestroyed,
	readDestroyOptions,
	refundNotice,
	type DestroyOptions,
} from '../../../marketplace/destroy';
import { stateOf } from '../../../marketplace/state';
import { limitField } from '../../../shared/fields';
import type { OperationContext } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';

interface Input {
	namePrefix: string;
	limit: number;
	dryRun: boolean;
	options: DestroyOptions;
}

export const destroyMany: Operation<Input> = {
	value: 'destroyMany',
	name: 'Destroy Many',
	action: 'Destroy many deployments by name',
	description:
		'End every deployment whose name starts with a prefix, such as the leftovers of a job. Dry Run is on until you turn it off.',
	effect: 'write',
	runsAllItems: true,
	identifyingKeys: ['deployment_id', 'resource_private_name'],
	describeUnsent(inputs) {
		const prefixes = inputs
			.filter(({ dryRun }) => !dryRun)
			.map(({ namePrefix }) => `${namePrefix}*`);
		return prefixes.length > 0 ? notDestroyed(prefixes) : '';
	},
	fields: [
		{
			displayName: 'Name Prefix',
			name: 'namePrefix',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. nightly-training-',
			description: 'Prefix of the names; case-sensitive, whitespace is significant',
		},
		{
			...limitField,
			description:
				'Max number of deployments to destroy per execution. A hint says how many more match.',
		},
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: true,
			description: 'Whether to only list what would be destroyed',
		},
		refundNotice,
		destroyOptionsField,
	],
	input: (parameters) => ({
		namePrefix: parameters.text('namePrefix', { trim: false }),
		limit: parameters.integer('limit', { min: 1 }),
		dryRun: parameters.flag('dryRun'),
		options: readDestroyOptions(parameters),
	}),
	async run(context, { namePrefix, limit, dryRun, options }) {
		// A retry by n8n destroys the same deployments, not the next ones: some of these are not in the list any more
		const { found, left } =
			(context.journal.intent() as Chosen | undefined) ??
			(await choose(context, namePrefix, limit, options.verify));
		if (left > 0) {
			const message = `${left} more deployments start with "${namePrefix}": the Limit is ${limit}`;
			context.functions.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
		}
		if (dryRun) return found.map((entry) => ({ deleted: false, dry_run: true, ...entry }));
		const names = new Map(found.map((entry) => [entry.deployment_id, entry.resource_private_name]));
		const ids = found.map((entry) => String(entry.deployment_id));
		const what = `Destroy of ${listed(ids)}`;
		context.journal.note({
			found: found.map(({ deployment_id: id, resource_private_name: name }) => ({
				deployment_id: id,
				resource_private_name: name,
			})),
			left,
			what,
		});
		const results = await destroyEach(context, ids, options);
		return results.map((result) => ({
			...result,
			...('error' in result
				? {}
				: { resource_private_name: names.get(result.deployment_id) ?? null }),
		}));
	},
};

/** The deployments to destroy, and how many more the limit leaves. */
interface Chosen {
	found: IDataObject[];
	left: number;
}

/** @param verify one that is ending already is waited for, too */
async function choose(
	context: OperationContext,
	namePrefix: string,
	limit: number,
	verify: boolean,
): Promise<Chosen> {
	const matching = (await listDeployments(context)).filter((entry) => {
		const state = stateOf(entry.status);
		const isOpen = state !== 'ended' && (verify || state !== 'ending');
		return isOpen && nameOf(entry)?.startsWith(namePrefix);
	});
	return {
		found: matching.slice(0, limit).map(described),
		left: Math.max(0, matching.length - limit),
	};
}
