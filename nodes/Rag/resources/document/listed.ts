import type { IDataObject } from 'n8n-workflow';
import type { OperationContext } from '../../../shared/operation/context';
import { listResults } from '../../../intelligence/retrieval/list';
import type { DocumentInput } from './createFields';
import { digestOf, isChanged, type Identity } from './documentId';

/** What the list of documents shows of an item whose document has an ID that the node did not choose. */
export interface Listed {
	/** Documents with the identity of the item, or else with its name and its content. */
	same: IDataObject[];
	/** Documents with its name, of which it cannot be told whether they are the same. */
	unclear: IDataObject[];
}

/** Maximum number of documents whose content is compared. */
const MAX_COMPARED = 5;

/**
 * Looks for the document of an item in the list of all documents: for an engine that chooses IDs by itself, or a conflict that names
 * none.
 * @param isSent whether the content has to be that of the item
 * @throws where the list cannot be read to its end
 */
export async function findListed(
	context: OperationContext,
	input: DocumentInput,
	{ ids: [key] }: Identity,
	isSent: boolean,
): Promise<Listed> {
	const documents = await listResults(context, { path: '/documents' });
	const digest = await digestOf(context, input.source);
	const marked = documents.filter(({ metadata }) => {
		const { n8n_identity: identity, n8n_sha256: hash } = (metadata ?? {}) as IDataObject;
		return identity === key && (!isSent || hash === digest);
	});
	if (marked.length > 0) return { same: marked, unclear: [] };
	const names = namesOf(input);
	const isMarked = ({ metadata }: IDataObject) =>
		(metadata as IDataObject | null | undefined)?.n8n_identity !== undefined;
	const alike = documents.filter(
		(document) =>
			!isMarked(document) &&
			(names.length > 0 ? names.includes(String(document.title)) : isAsLong(input, document)),
	);
	const found: Listed = { same: [], unclear: [] };
	for (const document of alike.slice(0, MAX_COMPARED)) {
		const changed = await isChanged(context, input, String(document.id), document, !isSent);
		if (changed === false) found.same.push(document);
		else if (changed === null || !isSent) found.unclear.push(document);
	}
	found.unclear.push(...alike.slice(MAX_COMPARED));
	return found;
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
function isAsLong({ source }: DocumentInput, { size_in_bytes: size }: IDataObject): boolean {
	if (!('rawText' in source)) return false;
	const lengths = [Buffer.byteLength(source.rawText), [...source.rawText].length];
	return lengths.includes(Number(size));
}
