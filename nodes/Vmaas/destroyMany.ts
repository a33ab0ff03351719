import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../shared/execute';
import { limitField } from '../shared/fields';
import type { Operation } from '../shared/operation';
import { described, isFinal, listDeployments, nameOf } from './deployments';
import { destroyEach, destroyNotice, readDestroyOptions, verifyField, type DestroyOptions } from './destroy';

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
	description: 'Terminate every deployment whose name begins with a text, such as the leftovers of a job. Dry Run is on until you turn it off.',
	effect: 'write',
	triesAll: true,
	names: ['deployment_id', 'resource_private_name'],
	fields: [
		{
			displayName: 'Name Prefix',
			name: 'namePrefix',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. nightly-training-',
			description: 'Text that the names begin with; capital letters and blanks count',
		},
		{ ...limitField, description: 'Max number of machines to destroy in one run. A hint says how many more match.' },
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: true,
			description: 'Whether to only list what would be destroyed',
		},
		destroyNotice,
		verifyField,
	],
	input: (form) => ({
		namePrefix: form.verbatim('namePrefix'),
		limit: form.integer('limit', { min: 1 }),
		dryRun: form.flag('dryRun'),
		options: readDestroyOptions(form),
	}),
	async run(call, { namePrefix, limit, dryRun, options }) {
		// A retry by n8n has the same machines to destroy, and not the next ones: some of these are not in the list any more
		const noted = call.journal.open()?.machines as IDataObject[] | undefined;
		const found = noted ?? (await matchingOf(call, namePrefix, limit));
		if (dryRun) return found.map((entry) => ({ deleted: false, dry_run: true, ...entry }));
		const names = new Map(found.map((entry) => [entry.deployment_id, entry.resource_private_name]));
		call.journal.note({ machines: found.map(({ deployment_id: id, resource_private_name: name }) => ({ deployment_id: id, resource_private_name: name })) });
		const results = await destroyEach(call, found.map((entry) => String(entry.deployment_id)), options);
		return results.map((result) => ({ ...result, ...('error' in result ? {} : { resource_private_name: names.get(result.deployment_id) ?? null }) }));
	},
};

async function matchingOf(call: Call, namePrefix: string, limit: number): Promise<IDataObject[]> {
	const matching = (await listDeployments(call))
		.filter((entry) => nameOf(entry)?.startsWith(namePrefix) && !isFinal(entry.status) && entry.status !== 'termination requested');
	const left = matching.length - limit;
	if (left > 0) {
		const message = `${left} more deployments begin with "${namePrefix}": the Limit is ${limit}`;
		call.ctx.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	}
	return matching.slice(0, limit).map(described);
}
