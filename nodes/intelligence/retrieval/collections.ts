import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isRecord, show } from '../../shared/guards';
import type { RequestContext } from '../../shared/http/request';
import { contextError, type OperationContext } from '../../shared/operation/context';
import { option, type Option } from '../../shared/operation/option';
import type { Parameters } from '../../shared/operation/parameters';
import { isUuid, readIds, textField, UUID } from './fields';
import { listResults } from './list';

/** What a look-up needs; `once` spares the list where several items need it. */
export type CollectionContext = RequestContext & Partial<Pick<OperationContext, 'once'>>;

/** A collection as a form names it: its ID, or its exact name. */
export type CollectionReference = string | { name: string };

/** The two options that name several collections: one to type into, and one to choose from. */
export interface CollectionOptions {
	typed: Option<string[]>;
	chosen: Option<string[]>;
}

/**
 * The options for several collections.
 * @param purpose what becomes of them: `to search`
 * @param read the entries of either field
 * @param more a sentence for the field to type into
 */
export function collectionOptions(purpose: string, read = readIds, more = ''): CollectionOptions {
	return {
		typed: option(
			textField(
				'Collection IDs',
				'collectionIds',
				`IDs or exact names of the collections ${purpose}, separated by commas.${more} Collection Names or IDs has a list to choose from.`,
				{ placeholder: UUID },
			),
			read,
		),
		chosen: option(chosenField(purpose), read),
	};
}

function chosenField(purpose: string): INodeProperties {
	return {
		displayName: 'Collection Names or IDs',
		name: 'collections',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'loadCollections' },
		default: [],
		description: `The collections ${purpose}. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.`,
	};
}

/** The collection that the field Collection names. */
export function readCollection(parameters: Parameters, field: string): CollectionReference {
	const raw = parameters.value(field);
	if (!isRecord(raw) || raw.mode !== 'name') return parameters.pathId(field);
	const name = typeof raw.value === 'number' ? String(raw.value) : raw.value;
	if (typeof name === 'string' && name.trim() !== '') return { name };
	return parameters.fail(field, `must be a name, got ${show(name)}`);
}

/**
 * The ID of a collection. Only a name is looked up.
 * @throws where the list of collections cannot be read, or no collection or several have the name
 */
export async function collectionIdOf(
	context: CollectionContext,
	reference: CollectionReference,
): Promise<string> {
	return typeof reference === 'string' ? reference : await idByName(context, reference.name);
}

/**
 * The IDs of collections that are given by ID or by exact name. What is no UUID is looked up: it may be a name, or the ID of a
 * service that makes IDs of another form.
 * @throws as {@link collectionIdOf}
 */
export async function collectionIdsOf(
	context: CollectionContext,
	given: string[],
): Promise<string[]> {
	const ids: string[] = [];
	for (const one of given) ids.push(isUuid(one) ? one : await idByName(context, one, true));
	return [...new Set(ids)];
}

async function idByName(
	context: CollectionContext,
	name: string,
	mayBeId = false,
): Promise<string> {
	const load = async () => await listResults(context, { path: '/collections' });
	// Some services send numbers for them
	const isId = ({ id }: IDataObject) => mayBeId && String(id) === name;
	const fits = (entry: IDataObject) => String(entry.name) === name || isId(entry);
	let found = (await (context.once?.('collections', load) ?? load())).filter(fits);
	// An earlier item may have given it this name
	if (found.length === 0 && context.once) found = (await load()).filter(fits);
	const byId = found.find(isId);
	const [first, ...others] = byId ? [byId] : found;
	if (!first)
		throw contextError(context, {
			message: `No collection has the name ${show(name)}`,
			description: 'Case and whitespace are significant. Choose the collection from the list.',
		});
	if (others.length > 0)
		throw contextError(context, {
			message: `${found.length} collections have the name ${show(name)}`,
			description: `Use the ID of one of them: ${found.map(({ id }) => String(id)).join(', ')}`,
		});
	return String(first.id);
}
