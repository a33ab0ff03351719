import type { IDataObject } from 'n8n-workflow';
import type { OperationContext } from '../../../shared/operation/context';
import { listResults } from '../../../intelligence/retrieval/list';
import { cutLength, likeName } from '../../../shared/names';
import type { DocumentInput } from './createFields';
import { isChanged, ownDigest, storedHash, type Identity } from './documentId';

/** What the list of documents shows of an item whose document has an ID that the node did not choose. */
export interface Listed {
	/** Documents with the identity of the item, or else with its name and its content. */
	same: IDataObject[];
	/** Documents of which it cannot be told whether they are the same, such as one with its content and a similar name. */
	unclear: IDataObject[];
}

/** Maximum number of documents whose content is compared. */
const MAX_COMPARED = 5;

/**
 * Looks for the document of an item in the list of all documents: for an engine that chooses IDs by itself, or a conflict that names
 * none.
 * @param sentId the ID that the item was sent with, where its answer is lost: then the content has to be that of the item, and a
 * document with a similar name may be it
 * @throws where the list cannot be read to its end
 */
export async function findListed(
	context: OperationContext,
	input: DocumentInput,
	{ ids: [key] }: Identity,
	sentId?: string,
): Promise<Listed> {
	const isSent = sentId !== undefined;
	const documents = await listResults(context, { path: '/documents' });
	const digest = await ownDigest(context, input.source);
	const marked = documents.filter((document) => {
		const { n8n_identity: identity } = (document.metadata ?? {}) as IDataObject;
		return identity === key && (!isSent || storedHash(document) === digest);
	});
	if (marked.length > 0) return { same: marked, unclear: [] };
	const isMarked = ({ metadata }: IDataObject) =>
		(metadata as IDataObject | null | undefined)?.n8n_identity !== undefined;
	const likeness = likenessTo(
		input,
		cutLength(documents.map(({ title }) => String(title))),
		isSent,
	);
	const others = documents
		.filter((document) => !isMarked(document))
		.map((document) => ({
			document,
			likeness: String(document.id) === sentId ? 'equal' : likeness(document),
		}));
	const those = (wanted: 'equal' | 'similar') =>
		others.filter((one) => one.likeness === wanted).map(({ document }) => document);
	const equal = those('equal');
	const found: Listed = { same: [], unclear: [] };
	const alike = isSent ? [...equal, ...those('similar')] : equal;
	for (const [place, document] of alike.slice(0, MAX_COMPARED).entries()) {
		const changed = await isChanged(context, input, String(document.id), document);
		if (changed === false && place < equal.length) found.same.push(document);
		else if (!changed || !isSent) found.unclear.push(document);
	}
	found.unclear.push(...alike.slice(MAX_COMPARED));
	return found;
}

/**
 * IDs of the other documents that have the identity of one, for an engine that chooses IDs by itself: none of the node's own IDs is
 * theirs.
 * @throws where the list cannot be read to its end
 */
export async function othersOf(
	context: OperationContext,
	{ ids: [key] }: Identity,
	documentId: string,
): Promise<string[]> {
	const documents = await listResults(context, { path: '/documents' });
	return documents
		.filter(({ metadata }) => (metadata as IDataObject | null | undefined)?.n8n_identity === key)
		.map(({ id }) => String(id))
		.filter((id) => id !== documentId);
}

/** Tells of documents whether they have the name of an item, or one that a service may have made of it. */
function likenessTo(
	input: DocumentInput,
	longest: number,
	isSent: boolean,
): (document: IDataObject) => 'equal' | 'similar' | undefined {
	const names = namesOf(input);
	const alike = names.map((name) => lookAlike(name, longest));
	return ({ title, size_in_bytes: size }) => {
		const shown = String(title ?? '');
		if (names.includes(shown)) return 'equal';
		if (names.length > 0) return alike.some((isAlike) => isAlike(shown)) ? 'similar' : undefined;
		if (!isAsLong(input, size)) return undefined;
		return isNameless(input, shown) || !isSent ? 'equal' : 'similar';
	};
}

/** Tells of titles whether they may be a name without its folders or its extension, changed, cut, or with the number of a copy. */
function lookAlike(name: string, longest: number): (title: string) => boolean {
	const own = baseNames(name)
		.filter((one) => one !== '')
		.map((one) => likeName(one, longest));
	return (title) =>
		baseNames(title)
			.flatMap((one) => [one, one.replace(/[^\p{L}\p{N}]*\d+\W*$/u, '')])
			.some((form) => own.some((isLike) => isLike(form)));
}

/** A name without its folders, and without its extension as well. */
function baseNames(name: string): string[] {
	const last = name.slice(name.lastIndexOf('/') + 1);
	return [last, last.replace(/\.[^./]+$/, '')];
}

/** Whether a title is that of a text without a name: none, what R2R shows for none, or the beginning of the text. */
function isNameless({ source }: DocumentInput, title: string): boolean {
	return title === 'N/A' || ('rawText' in source && source.rawText.trim().startsWith(title.trim()));
}

/** The names that the service may show of a file: its title, or its own name without folders. */
function namesOf({ source, metadata }: DocumentInput): string[] {
	const { title } = metadata ?? {};
	const name = 'file' in source ? source.file.fileName : undefined;
	const names = [title, title && name && `${String(title)}${/\.[^./]+$/.exec(name)?.[0] ?? ''}`];
	return [...names, name, name?.split('/').at(-1)].filter(
		(one): one is string => typeof one === 'string' && one !== '',
	);
}

/** Of a text without a name, only the length says which documents are worth a look. */
function isAsLong({ source }: DocumentInput, size: unknown): boolean {
	if (!('rawText' in source)) return false;
	const lengths = [Buffer.byteLength(source.rawText), [...source.rawText].length];
	return lengths.includes(Number(size));
}
