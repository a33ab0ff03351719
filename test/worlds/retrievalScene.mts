import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startEngine, type Engine } from '../engine/engine.mts';
import type { Retriever } from '../../nodes/RetrieverCompute/retriever.ts';
import { fileItem, rag, subNode } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { startR2r, type R2rServer } from '../sandbox/worlds/retrieval/r2r/server.mts';
import {
	R2R_HABITS,
	STRANGER,
	type StoredDocument,
} from '../sandbox/worlds/retrieval/r2r/store.mts';
import type { RetrievalOperation, RetrievalWorld } from '../sandbox/worlds/retrievalWorld.mts';
import type { Ingestion, RetrievalRecord } from './retrievalRecord.mts';
import type { Stage } from './stage.mts';

const LONGEST_EXECUTION_MS = 3_600_000;
/** Between two executions: what is behind has caught up. */
const PAUSE_MS = 600_000;

/** As much of a LangChain memory as n8n's agent calls. */
interface Memory {
	loadMemoryVariables(
		values: object,
	): Promise<{ chat_history: Array<{ content: unknown; type: string }> }>;
	saveContext(input: object, output: object): Promise<void>;
}

/** One file that a workflow ingests. */
export interface Wanted {
	identity: string;
	fileName?: string;
	/** Default: the identity. */
	content: string | Buffer;
	options?: IDataObject;
	additionalFields?: IDataObject;
	parameters?: IDataObject;
	settings?: IDataObject;
	/** It must be refused. */
	mayFail?: boolean;
}

/** An account of the engine in one world, and executions of the node on it. */
export class RetrievalScene {
	readonly record: RetrievalRecord;
	private executions = 0;
	/** Identity of each document by its ID; those of others are strangers'. */
	private readonly owners = new Map<StoredDocument, string>();
	private readonly contents = new Map<string, string>();

	private constructor(
		private readonly stage: Stage,
		world: RetrievalWorld,
		readonly server: R2rServer,
		private readonly engine: Engine,
	) {
		this.record = {
			world,
			refusals: [],
			ingestions: [],
			searches: [],
			streams: [],
			lists: [],
			chats: new Map(),
		};
	}

	static async open(stage: Stage, world: RetrievalWorld): Promise<RetrievalScene> {
		stage.sandbox.reset();
		const server = await startR2r(stage.sandbox.clock, { ...R2R_HABITS, ...world.habits });
		const engine = await startEngine({
			'compute-intelligence': {
				type: 'computeIntelligenceApi',
				data: { baseUrl: server.url, ragSegment: 'rag', apiKey: 'r2r-key', header: 'bearer' },
			},
		});
		return new RetrievalScene(stage, world, server, engine);
	}

	async close(): Promise<RetrievalRecord> {
		await this.server.close();
		return this.record;
	}

	/** A document that somebody else has put into the same engine. */
	addStranger(title: string, content: string, id = '11111111-2222-4333-8444-555555555555'): void {
		const document: StoredDocument = {
			id,
			owner: STRANGER,
			title,
			type: 'txt',
			bytes: Buffer.from(content),
			metadata: {},
			collectionIds: [],
			createdAt: 0,
			readyAt: 0,
		};
		this.server.store.documents.set(id, document);
		this.owners.set(document, 'a stranger');
	}

	/** Runs any operation once; undefined where it was refused. */
	async run(
		operation: RetrievalOperation,
		[resource, name]: [resource: string, name: string],
		parameters: IDataObject,
		{
			item = { json: {} },
			settings = {},
		}: { item?: INodeExecutionData; settings?: IDataObject } = {},
	): Promise<IDataObject[] | undefined> {
		const work = this.engine.runItems(rag(resource, name, parameters, settings), [item], {
			executionId: String(++this.executions),
		});
		const run = await this.stage.time.during(work, LONGEST_EXECUTION_MS);
		if (!run.data.resultData.error) return jsonOf(run);
		const { message, description, context } = errorOf(run);
		const reason = [message, description, JSON.stringify(context)].join('\n');
		this.record.refusals.push({ operation, reason });
		return undefined;
	}

	/** What the retriever gives a chain; undefined where it was refused. */
	async retrieve(query: string, options: IDataObject): Promise<string[] | undefined> {
		const node = subNode('retrieverCompute', { topK: 50, options });
		const { response } = await this.engine.supply(node);
		const work = (response as Retriever).invoke(query);
		const found = await this.stage.time
			.during(work, LONGEST_EXECUTION_MS)
			.catch((error: Error) => error);
		if (!(found instanceof Error)) return found.map(({ pageContent }) => pageContent);
		this.record.refusals.push({ operation: 'retrieve for a chain', reason: found.message });
		return undefined;
	}

	/** A turn of a chat, in an execution of its own: its question, and the answer to it. */
	async say(session: string, question: string): Promise<void> {
		const chat = this.record.chats.get(session) ?? {
			saved: [],
			refused: [],
			kept: () => this.server.conversations.textsOf(session),
		};
		this.record.chats.set(session, chat);
		const memory = await this.memory(session);
		const isSaved = await this.remembering(
			memory.saveContext({ input: question }, { output: `re: ${question}` }).then(() => true),
		);
		(isSaved ? chat.saved : chat.refused).push(question);
	}

	/** What the memory gives an agent; undefined where it was refused. */
	async recall(session: string): Promise<string[] | undefined> {
		const memory = await this.memory(session);
		const values = await this.remembering(memory.loadMemoryVariables({}));
		return values?.chat_history.map(({ type, content }) => `${type} ${textOf(content)}`);
	}

	private async memory(session: string): Promise<Memory> {
		const form = { sessionIdType: 'customKey', sessionKey: session, contextWindowLength: 5 };
		return (await this.engine.supply(subNode('memoryCompute', form))).response as Memory;
	}

	private async remembering<T>(work: Promise<T>): Promise<T | undefined> {
		const done = await this.stage.time
			.during(work, LONGEST_EXECUTION_MS)
			.catch((error: Error) => error);
		if (!(done instanceof Error)) return done;
		this.record.refusals.push({ operation: 'remember a turn', reason: done.message });
		return undefined;
	}

	/** Ingests one file (or text, where it has no name), and notes what that did to the engine. */
	async ingest(operation: RetrievalOperation, wanted: Wanted): Promise<Ingestion> {
		const { identity, fileName, content, options, additionalFields, settings } = wanted;
		const { store } = this.server;
		const before = store.changes.length;
		const conflicts = store.conflicts;
		const refusals = this.record.refusals.length;
		const ofIdentity = () =>
			[...store.documents.values()].filter(
				(one) => this.owners.get(one) === identity && store.statusOf(one) === 'success',
			);
		const hadEarlier = ofIdentity().length > 0;
		const output = await this.run(
			operation,
			['document', 'create'],
			{
				...(fileName === undefined
					? { source: 'rawText', rawText: String(content) }
					: { source: 'file', binaryPropertyName: 'data' }),
				additionalFields: additionalFields ?? {},
				options: options ?? {},
				...wanted.parameters,
			},
			{ item: fileName === undefined ? { json: {} } : fileItem(fileName, content), settings },
		);
		const changes = store.changes.slice(before);
		const created = changes
			.filter(({ kind }) => kind === 'created')
			.map(({ document }) => document);
		for (const document of created) this.owners.set(document, identity);
		const bytes = Buffer.from(content);
		const digest = createHash('sha256').update(bytes).digest('hex');
		const ingestion: Ingestion = {
			operation,
			identity,
			output: output?.[0],
			error: this.record.refusals.slice(refusals)[0]?.reason,
			uploaded: created.map(({ id }) => id),
			failed: created.filter((one) => store.statusOf(one) === 'failed').map(({ id }) => id),
			deleted: changes
				.filter(({ kind }) => kind === 'deleted')
				.map(({ document }) => ({
					id: document.id,
					identity: this.owners.get(document) ?? 'nobody',
				})),
			isRefused: store.conflicts > conflicts,
			searchable: ofIdentity().map(({ id }) => id),
			isFound: ofIdentity().some((one) => one.bytes.equals(bytes)),
			isChanged: (this.contents.get(identity) ?? digest) !== digest,
			hadEarlier,
		};
		if (output?.[0]?.existing !== true) this.contents.set(identity, digest);
		if (wanted.mayFail) this.record.refusals.length = refusals;
		this.record.ingestions.push(ingestion);
		return ingestion;
	}

	/** Lets everything catch up. */
	async pause(): Promise<void> {
		await this.stage.time.pass(PAUSE_MS);
	}
}

function textOf(content: unknown): string {
	if (!Array.isArray(content)) return String(content);
	return content.map((part: { text?: string }) => part.text ?? '').join('');
}
