import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { JumpingClock } from './clock.mts';
import { chunk, formOf, list, parsed, stream, vectorOf, type Answer } from './forms.mts';

type Json = Record<string, unknown>;

/** A request as it arrived; `form` holds the fields of an upload. */
export interface Call {
	method: string;
	path: string;
	query: URLSearchParams;
	body: Json;
	form: Record<string, string>;
	/** Of those with this method and path, how many came before. */
	count: number;
}

type Rule = (call: Call) => Answer | undefined;

export interface StoredDocument {
	id: string;
	title: string | null;
	metadata: Json;
	content: string;
	created_at: string;
	ingestion_status: string;
}

/** The service, with its books. A rule answers before it does. */
export class Service {
	readonly calls: Call[] = [];
	/** Tokens by what they were for, one entry for each answer. */
	readonly bills: Array<{ what: string; tokens: number }> = [];
	readonly documents = new Map<string, StoredDocument>();
	readonly conversations = new Map<string, { name: string; messages: Json[] }>();
	readonly collections = new Map<string, string>();
	/** What the next documents go through, a look at a time. */
	ingestion: string[] = ['success'];
	rules: Rule[] = [];
	private ids = 0;
	private readonly server = createServer((request, response) => {
		void this.take(request, response);
	});

	constructor(readonly clock: JumpingClock) {}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async start(): Promise<this> {
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
		return this;
	}

	async close(): Promise<void> {
		this.server.close();
		this.server.closeAllConnections();
		await once(this.server, 'close');
	}

	reset(): void {
		for (const book of [this.calls, this.bills]) book.length = 0;
		for (const book of [this.documents, this.conversations, this.collections]) book.clear();
		this.rules = [];
		this.ingestion = ['success'];
	}

	/** Answers what matches, instead of the service: `POST /chat`. */
	on(what: string, rule: Rule | Answer): void {
		const [method, path = ''] = what.split(' ');
		this.rules.push((call) =>
			call.method === method && call.path.includes(path)
				? typeof rule === 'function'
					? rule(call)
					: rule
				: undefined,
		);
	}

	sent(what: string): Call[] {
		const [method, path = ''] = what.split(' ');
		return this.calls.filter((call) => call.method === method && call.path.includes(path));
	}

	bill(what: string, tokens = 10): void {
		this.bills.push({ what, tokens });
	}

	newId(): string {
		return `00000000-0000-4000-9000-${String(++this.ids).padStart(12, '0')}`;
	}

	add(document: Partial<StoredDocument>): StoredDocument {
		const id = document.id ?? this.newId();
		const stored = {
			id,
			title: null,
			metadata: {},
			content: '',
			created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, this.ids)).toISOString(),
			ingestion_status: 'success',
			...document,
		};
		this.documents.set(id, stored);
		return stored;
	}

	private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const bytes: Buffer[] = [];
		for await (const piece of request) bytes.push(piece as Buffer);
		const raw = Buffer.concat(bytes).toString('utf8');
		const url = new URL(request.url ?? '', this.url);
		const { method = '' } = request;
		const path = decodeURIComponent(url.pathname);
		const call: Call = {
			method,
			path,
			query: url.searchParams,
			body: parsed(raw),
			form: formOf(raw),
			count: this.calls.filter((one) => one.method === method && one.path === path).length,
		};
		this.calls.push(call);
		const own = this.rules.map((rule) => rule(call)).find((one) => one !== undefined);
		await this.send(response, own ?? this.answer(call));
	}

	private async send(response: ServerResponse, answer: Answer): Promise<void> {
		const { status = 200, type = 'application/json', headers, json, end = 'end' } = answer;
		const { parts = json === undefined ? [] : [JSON.stringify(json)] } = answer;
		response.writeHead(status, { 'content-type': type, ...headers });
		response.flushHeaders();
		for (const part of parts) {
			response.write(part);
			await setImmediate();
		}
		for (let turn = 0; turn < 30 && end !== 'end'; turn++) await setImmediate();
		if (end === 'end') response.end();
		else if (end === 'cut') response.destroy();
		else
			for (let minute = 0; minute < 12 && !response.destroyed; minute++) {
				this.clock.beSilent(60_000);
				for (let turn = 0; turn < 20; turn++) await setImmediate();
			}
	}

	private answer({ method, path, query, body, form }: Call): Answer {
		const [, kind = '', id = '', below = ''] =
			/\/(?:api\/v1|v3)\/(\w[\w-]*)\/?([^/]*)\/?(.*)/.exec(path) ?? [];
		if (kind === 'chat') return this.complete(body);
		if (kind === 'embeddings') return this.embed(body);
		if (kind === 'retrieval' && id === 'search')
			return { json: { results: { chunk_search_results: this.chunks() } } };
		if (kind === 'rag')
			return { json: { results: { answer: 'Forty-two', usage: { total_tokens: 9 } } } };
		if (kind === 'documents' && method === 'POST') {
			const documentId = form.id ?? this.newId();
			if (this.documents.has(documentId))
				return { status: 409, json: { message: `Document ${documentId} already exists` } };
			const content = form.raw_text ?? form.file ?? form.chunks ?? '';
			const metadata = parsed(form.metadata ?? '{}');
			this.add({
				id: documentId,
				content,
				metadata,
				title: form.file_name ?? null,
				ingestion_status: this.ingestion[0],
			});
			this.bill(`document ${documentId}`);
			return {
				status: 202,
				json: { results: { message: 'queued', task_id: null, document_id: documentId } },
			};
		}
		const books: Record<string, Map<string, Json>> = {
			documents: this.documents as never,
			conversations: this.conversations as never,
			collections: new Map([...this.collections].map(([one, name]) => [one, { id: one, name }])),
		};
		const book = books[kind];
		if (!book) return { status: 404, json: { detail: 'Not Found' } };
		if (kind === 'conversations') return this.talk(method, id, below, body, query);
		if (method === 'POST' && kind === 'collections') {
			const made = this.newId();
			this.collections.set(made, String(body.name));
			return { json: { results: { id: made, name: body.name } } };
		}
		if (id === '') return list([...book.values()], query);
		const found = book.get(id);
		if (!found) return { status: 404, json: { message: 'not found', error_type: 'R2RException' } };
		if (method === 'DELETE') {
			book.delete(id);
			return { json: { results: { success: true } } };
		}
		if (kind === 'documents' && method === 'GET') {
			const at = this.ingestion.indexOf(String(found.ingestion_status));
			const shown = { ...found };
			if (at >= 0 && at < this.ingestion.length - 1)
				found.ingestion_status = this.ingestion[at + 1];
			return { json: { results: shown } };
		}
		return { json: { results: found } };
	}

	private complete(body: Json): Answer {
		const content = String((body.messages as Json[]).at(-1)?.content);
		this.bill(content, 15);
		const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
		const text = `Re: ${content}`;
		if (body.stream)
			return stream([chunk({ role: 'assistant', content: text }), chunk({}, 'stop', { usage })]);
		const message = { role: 'assistant', content: text };
		return {
			json: {
				id: 'c',
				model: body.model,
				choices: [{ index: 0, message, finish_reason: 'stop' }],
				usage,
			},
		};
	}

	private embed({ input, model }: Json): Answer {
		const texts = [input].flat().map(String);
		for (const text of texts) this.bill(text, 1);
		const data = texts.map((text, index) => ({
			object: 'embedding',
			index,
			embedding: vectorOf(text),
		}));
		return {
			json: {
				object: 'list',
				model,
				data,
				usage: { prompt_tokens: texts.length, total_tokens: texts.length },
			},
		};
	}

	private chunks(): Json[] {
		return [...this.documents.values()].map(({ id, content, metadata }) => ({
			id: `chunk-${id}`,
			document_id: id,
			text: content,
			score: 0.9,
			metadata,
		}));
	}

	private talk(
		method: string,
		id: string,
		below: string,
		body: Json,
		query: URLSearchParams,
	): Answer {
		if (id === '' && method === 'POST') {
			const made = this.newId();
			this.conversations.set(made, { name: String(body.name), messages: [] });
			return { json: { results: { id: made, name: body.name } } };
		}
		if (id === '')
			return list(
				[...this.conversations].map(([one, { name }]) => ({ id: one, name, created_at: one })),
				query,
			);
		const found = this.conversations.get(id);
		if (!found) return { status: 404, json: { message: 'no such conversation' } };
		if (below === 'messages') {
			const message = {
				id: this.newId(),
				message: { role: body.role, content: body.content },
				parent_id: body.parent_id,
			};
			found.messages.push(message);
			return { json: { results: message } };
		}
		if (method === 'POST') found.name = String(body.name);
		if (method === 'POST') return { json: { results: { id, name: found.name } } };
		if (method === 'DELETE') this.conversations.delete(id);
		return { json: { results: method === 'DELETE' ? { success: true } : found.messages } };
	}
}
