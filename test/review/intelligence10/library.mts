import { randomUUID } from 'node:crypto';
import { ABSENT, page, type Fields, type Received, type Response } from './service.mts';

export interface Shelved extends Fields {
	id: string;
	title: string;
	metadata: Fields;
	ingestion_status: string;
	created_at: string;
	text: string;
}

/** The documents of a service, the newest first. */
export class Library {
	readonly all: Shelved[] = [];
	/** Whether the service keeps the IDs that it is sent. */
	keepsIds = true;
	/** Whether it refuses a second document with the same text. */
	refusesTexts = false;
	status = 'success';
	/** What comes in place of an answer; undefined for the usual one. */
	instead: (request: Received) => Response | undefined = () => undefined;
	private last = 0;

	constructor(service: { respond: (request: Received) => Response }) {
		service.respond = (request) => this.instead(request) ?? this.answer(request);
	}

	put(text: string, more: Partial<Shelved> = {}): Shelved {
		const at = new Date(Date.UTC(2026, 0, 1) + ++this.last * 1_000).toISOString();
		const document = {
			...{ id: randomUUID(), title: 'N/A', metadata: {}, collection_ids: [] },
			...{ ingestion_status: this.status, created_at: at, updated_at: at },
			...{ size_in_bytes: Buffer.byteLength(text), text, ...more },
		};
		this.all.unshift(document);
		return document;
	}

	answer(request: Received): Response {
		const { method, path, query } = request;
		const [, , id, part] = path.split('/');
		if (method === 'POST') return this.create(fieldsOf(request.text));
		if (id === undefined) {
			const ids = query.getAll('ids');
			const some = ids.length === 0 ? this.all : this.all.filter((one) => ids.includes(one.id));
			return page(some.map(viewOf), request);
		}
		const found = this.all.find((one) => one.id === id);
		if (!found) return ABSENT;
		if (part === 'download')
			return { bytes: [Buffer.from(found.text)], headers: { 'content-type': 'text/plain' } };
		if (method === 'GET') return { json: { results: viewOf(found) } };
		this.all.splice(this.all.indexOf(found), 1);
		return { json: { results: { success: true } } };
	}

	private create(sent: Record<string, string>): Response {
		const text = sent.raw_text ?? '';
		const id = this.keepsIds && sent.id ? sent.id : randomUUID();
		const isTaken = this.all.some(
			(one) => one.id === id || (this.refusesTexts && one.text === text),
		);
		if (isTaken) return { status: 409, json: { message: `Document ${id} already exists` } };
		const metadata = JSON.parse(sent.metadata ?? '{}') as Fields;
		const title = typeof metadata.title === 'string' ? metadata.title : 'N/A';
		this.put(text, { id, metadata, title });
		const results = { message: 'Ingested', task_id: null, document_id: id };
		return { status: 202, json: { results } };
	}
}

/** A document as it shows. */
export function viewOf({ text: _text, ...view }: Shelved): Fields {
	return view;
}

/** The texts of a multipart body. */
function fieldsOf(body: string): Record<string, string> {
	const parts = body.matchAll(/name="([^"]+)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([\s\S]*?)\r\n--/g);
	return Object.fromEntries([...parts].map(([, name = '', value = '']) => [name, value]));
}
