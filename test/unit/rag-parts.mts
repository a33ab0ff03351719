import type { IBinaryData, IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import { INTELLIGENCE_CREDENTIALS } from '../../nodes/intelligence/credentials.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { Body, functionsOf, type Answered, type Asked } from './log-parts.mts';

const ORIGIN = 'https://service.test/api/rag/v3';

/** The documents of a service that answers in this process. */
export class Documents {
	readonly byId = new Map<string, IDataObject>();
	/** What a download gives. */
	readonly contents = new Map<string, string>();
	/** What was asked: `GET /documents/d1`. */
	readonly asked: string[] = [];
	/** Answers in place of the service, where it gives one. */
	instead: (request: string) => Answered | undefined = () => undefined;

	add(id: string, more: IDataObject = {}): this {
		this.byId.set(id, { id, ...more });
		return this;
	}

	answer({ method = 'GET', url, qs = {} }: Asked & { method?: string }): Answered {
		const path = decodeURIComponent(url.slice(ORIGIN.length));
		const request = `${method} ${path}`;
		this.asked.push(request);
		const instead = this.instead(request);
		if (instead) return instead;
		const [, id, isDownload] = /^\/documents\/([^/]+)(\/download)?$/.exec(path) ?? [];
		if (id === undefined) return this.list(qs);
		const document = this.byId.get(id);
		if (!document) return { status: 404, json: { detail: 'no such document' } };
		if (isDownload) return { body: new Body().write(this.contents.get(id) ?? '', undefined) };
		if (method === 'DELETE') this.byId.delete(id);
		return { json: { results: document } };
	}

	private list({ offset = 0, limit = 100, ids }: IDataObject): Answered {
		const wanted = [ids].flat().filter((id) => id !== undefined);
		const all = [...this.byId.values()].filter(
			({ id }) => wanted.length === 0 || wanted.includes(id as string),
		);
		const page = all.slice(Number(offset), Number(offset) + Number(limit));
		return { json: { results: page, total_entries: all.length } };
	}
}

interface Given {
	documents?: Documents;
	itemIndex?: number;
	inputs?: Array<DocumentInput | undefined>;
	/** What all nodes of the execution share. */
	flow?: Record<string, unknown>;
}

/** What an operation gets for an item, with a service of these documents. */
export async function contextOf({
	documents = new Documents(),
	itemIndex = 0,
	inputs = [],
	flow = {},
}: Given = {}): Promise<OperationContext> {
	const service = functionsOf((asked) => documents.answer(asked), {
		getInstanceId: () => 'instance',
		getContext: () => flow,
		getInputData: () => [],
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getCredentials: async () =>
			await Promise.resolve({
				baseUrl: 'https://service.test',
				ragSegment: 'rag',
				apiKey: 'key-of-documents',
				header: 'bearer',
			}),
	});
	const getBinaryDataBuffer = async (_: number, { data }: IBinaryData) =>
		await Promise.resolve(Buffer.from(data, 'base64'));
	const functions = {
		...service,
		helpers: { ...service.helpers, getBinaryDataBuffer },
	} as unknown as IExecuteFunctions;
	const loads = new Map<string, Promise<unknown>>();
	return {
		functions,
		account: await openAccount(functions, INTELLIGENCE_CREDENTIALS),
		itemIndex,
		journal: openJournals(functions)(itemIndex),
		known: {},
		inputs,
		once: async <T,>(key: string, load: () => Promise<T>) => {
			if (!loads.has(key)) loads.set(key, load());
			return (await loads.get(key)) as T;
		},
		kept: new Map(),
		log: () => undefined,
	};
}

/** The input of an item whose document is this text. */
export const textInput = (rawText: string, more: Partial<DocumentInput> = {}): DocumentInput => ({
	source: { rawText },
	collectionIds: [],
	fields: {},
	ifExists: 'error',
	identity: 'content',
	...more,
});
