import type { IDataObject } from 'n8n-workflow';
import { allowAiAgentsField, requireAllowedByPerson } from '../agentLimit';
import { described, idOf, listNamed, nameOf } from '../deployments';
import {
	destroyEach,
	listed,
	notDestroyed,
	readDestroyOptions,
	refundNotice,
	verifyFields,
} from '../destroy';
import { noteSeen, readList } from '../presence';
import { idsWithNames, labelOf, ownBeside, type Reference } from '../references';
import { similarlyNamed } from '../similarNames';
import { stateOf } from '../state';
import type { DestroyOptions } from '../teardown';
import { collectionField, limitField } from '../../shared/fields';
import { onProduct, type Product, type ProductContext } from '../product';

const MATCHES = ['prefix', 'exact'] as const;

interface Input {
	namePrefix: string;
	match: (typeof MATCHES)[number];
	limit: number;
	dryRun: boolean;
	options: DestroyOptions;
}

/** Deployment > Destroy Many of a product. */
export const destroyMany = (product: Product) =>
	onProduct<Input>(product, {
		value: 'destroyMany',
		name: 'Destroy Many',
		action: `Destroy many ${product.deployment}s by name`,
		description:
			'End every deployment with a name, or whose name starts with a prefix, such as the leftovers of a job. Dry Run is on until you turn it off.',
		effect: 'write',
		runsAllItems: true,
		identifyingKeys: ['deployment_id', 'resource_private_name'],
		describeUnsent(inputs) {
			const names = inputs
				.filter(({ dryRun }) => !dryRun)
				.map(({ namePrefix, match }) => `${namePrefix}${match === 'prefix' ? '*' : ''}`);
			return names.length > 0 ? notDestroyed(names) : '';
		},
		fields: [
			{
				displayName: 'Name or Prefix',
				name: 'namePrefix',
				type: 'string',
				required: true,
				default: '',
				placeholder: 'e.g. nightly-training-',
				description: 'The name, or its beginning; case-sensitive, whitespace is significant',
			},
			{
				displayName: 'Match',
				name: 'match',
				type: 'options',
				options: [
					{ name: 'Exact', value: 'exact', description: 'Deployments with exactly this name' },
					{
						name: 'Prefix',
						value: 'prefix',
						description: 'Deployments whose name starts with this text',
					},
				],
				default: 'prefix',
				description: 'Which names match',
			},
			{
				...limitField,
				description:
					'Max number of deployments to destroy per execution. If more match, an item with reason: limit names them.',
			},
			{
				displayName: 'Dry Run',
				name: 'dryRun',
				type: 'boolean',
				default: true,
				description: 'Whether to only list what would be destroyed',
			},
			refundNotice,
			collectionField('options', 'Options', 'Add Option', [
				...verifyFields,
				allowAiAgentsField(
					'Whether an AI agent may destroy deployments with this node as its tool. Without it, an agent can only list them (Dry Run).',
				),
			]),
		],
		input: (parameters) => ({
			namePrefix: parameters.text('namePrefix', { trim: false }),
			match: parameters.choice('match', MATCHES),
			limit: parameters.integer('limit', { min: 1 }),
			dryRun: parameters.flag('dryRun'),
			options: readDestroyOptions(parameters),
		}),
		async run(context, input) {
			const { dryRun, options } = input;
			if (!dryRun) requirePermission(context);
			// A retry by n8n destroys the same deployments, not the next ones: some of these are not in the list any more
			const chosen =
				(context.journal.intent() as Chosen | undefined) ?? (await choose(context, input));
			const { found } = chosen;
			const rest = itemsBeside(context, input, chosen);
			if (dryRun)
				return [...found.map((entry) => ({ deleted: false, dry_run: true, ...entry })), ...rest];
			const names = new Map(
				found.map((entry) => [entry.deployment_id, entry.resource_private_name]),
			);
			const references = found.map(referenceTo);
			context.journal.note({
				...chosen,
				found: found.map(({ deployment_id: id, resource_private_name: name }) => ({
					deployment_id: id,
					resource_private_name: name,
				})),
				what: `Destroy of ${listed(references.map(labelOf))}`,
			});
			const results = await destroyEach(context, references, options);
			return [
				...results.map((result) => ({
					...('error' in result
						? {}
						: { resource_private_name: names.get(result.deployment_id) ?? null }),
					...result,
				})),
				...rest,
			];
		},
	});

/** A model that chooses a prefix may choose another person's. */
function requirePermission(context: ProductContext): void {
	requireAllowedByPerson(
		context,
		'Destroy Many',
		'Nothing was destroyed',
		'; Destroy with one ID is allowed',
	);
}

/** The deployments to destroy. */
interface Chosen extends IDataObject {
	found: IDataObject[];
	/** The IDs of those that match, too, above the limit. */
	left: string[];
	/** Where none matches: those that have a similar name, in words. */
	similar?: string;
}

async function choose(
	context: ProductContext,
	{ namePrefix, match, limit, options }: Input,
): Promise<Chosen> {
	const entries = await readList(context, async () => await listNamed(context));
	const isOpen = ({ status }: IDataObject) => {
		const state = stateOf(status);
		// One that is ending already is waited for, too
		return state !== 'ended' && (options.verify || state !== 'ending');
	};
	const isMeant = (name = '') =>
		match === 'exact' ? name === namePrefix : name.startsWith(namePrefix);
	const named = entries.filter((entry) => isMeant(nameOf(entry)));
	// Only what was seen can be gone later
	named.forEach((entry) => noteSeen(context, String(idOf(entry))));
	const own = await ownBeside(context, named, isMeant);
	const matching = [...named, ...own].filter(isOpen).map((entry) => described(entry));
	const similar = similarlyNamed(entries, namePrefix, match).filter(isOpen);
	return {
		found: matching.slice(0, limit),
		left: matching.slice(limit).map((entry) => labelOf(referenceTo(entry))),
		...(matching.length === 0 && similar.length > 0 && { similar: idsWithNames(similar) }),
	};
}

/** What this execution has bought may have no ID that is known yet. */
function referenceTo({ deployment_id: id, resource_private_name: name }: IDataObject): Reference {
	return id === null ? { name: String(name) } : { id: String(id) };
}

/** Items that tell a workflow what was not destroyed, with the reason to branch on. */
function itemsBeside(
	context: ProductContext,
	{ namePrefix, match, limit, dryRun }: Input,
	{ left, similar }: Chosen,
): IDataObject[] {
	const item = { deleted: false, ...(dryRun && { dry_run: true }) };
	const matches = match === 'exact' ? 'are named' : 'start with';
	if (similar !== undefined) {
		const hint = `No deployments ${matches} "${namePrefix}", but these have a similar name: ${similar}`;
		return [{ ...item, reason: 'similar name', hint }];
	}
	if (left.length === 0) return [];
	const hint = `${left.length} more deployments ${matches} "${namePrefix}": the Limit is ${limit}`;
	context.functions.addExecutionHints({ message: hint, type: 'warning', location: 'outputPane' });
	return [{ ...item, reason: 'limit', left_over: left.length, deployment_ids: left, hint }];
}
