import { nthOf, type Answer, type Fields, type Heard, type Scripted } from './service.mts';
import { json } from './service.mts';

/** A document as the service keeps it. */
export interface Stored {
	id: string;
	title: string | null;
	metadata: Fields;
	content: Buffer;
	status: string;
	created: number;
	/** Parts of the form that it came in, by their names. */
	form: Map<string, string>;
}

/** The parts of a form: name, file name and content. */
export function partsOf({
	raw,
	headers,
}: Heard): Array<{ name: string; fileName?: string; content: Buffer }> {
	const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
	return raw
		.toString('latin1')
		.split(`--${boundary}`)
		.slice(1, -1)
		.map((part) => {
			const end = part.indexOf('\r\n\r\n');
			const head = Buffer.from(part.slice(0, end), 'latin1').toString();
			const content = Buffer.from(part.slice(end + 4, -2), 'latin1');
			const [, name = '', , fileName] = /name="([^"]*)"(; filename="([^"]*)")?/.exec(head) ?? [];
			return { name, ...(fileName !== undefined && { fileName }), content };
		});
}

/** The documents of an account (beyond-the-spec.md section 6 "Documents"), with books of what was really done. */
export class Documents {
	readonly all = new Map<string, Stored>();
	readonly created: string[] = [];
	readonly deleted: string[] = [];
	/** Whether a deletion is answered with 200 and does nothing. */
	keepsAll = false;
	/** Entries in a page, whatever is asked for. */
	pageSize = Infinity;

	constructor(private readonly service: Scripted) {}

	add(id: string, metadata: Fields = {}, content = id): Stored {
		const one = {
			id,
			title: id,
			metadata,
			content: Buffer.from(content),
			status: 'success',
			created: this.all.size,
			form: new Map<string, string>(),
		};
		this.all.set(id, one);
		return one;
	}

	shown({ id, title, metadata, content, status, created }: Stored): Fields {
		const at = new Date(Date.UTC(2026, 0, 1) + created * 1_000).toISOString();
		return {
			id,
			title,
			metadata,
			collection_ids: [],
			owner_id: 'me',
			document_type: 'txt',
			version: 'v0',
			size_in_bytes: content.length,
			ingestion_status: status,
			created_at: at,
			updated_at: at,
		};
	}

	/** Answers as documented. */
	serve(): this {
		const path = String.raw`/api/rag/v3/documents`;
		const one = new RegExp(`^(?:GET|DELETE|PATCH) ${path}/([^/]+)(/download|/metadata)?$`);
		this.service.when(new RegExp(`^GET ${path}$`), (response, heard, nth) => {
			const offset = Number(heard.query.get('offset') ?? 0);
			const size = Math.min(Number(heard.query.get('limit') ?? 100), this.pageSize);
			const ids = heard.query.getAll('ids');
			const list = [...this.all.values()].filter(({ id }) => ids.length === 0 || ids.includes(id));
			const results = list.slice(offset, offset + size).map((doc) => this.shown(doc));
			return json({ results, total_entries: list.length })(response, heard, nth);
		});
		this.service.when(new RegExp(`^POST ${path}$`), (...args) => this.upload(...args));
		this.service.when(one, (response, heard, nth) => {
			const [line, id = '', rest] = one.exec(heard.line) ?? [];
			const doc = this.all.get(id);
			if (!doc)
				return json({ message: 'Document not found', error_type: 'NotFound' }, 404)(
					response,
					heard,
					nth,
				);
			if (rest === '/download') return void response.end(doc.content);
			if (line?.startsWith('DELETE')) {
				if (!this.keepsAll) this.all.delete(id);
				this.deleted.push(id);
				return json({ results: { success: true } })(response, heard, nth);
			}
			return json({ results: this.shown(doc) })(response, heard, nth);
		});
		return this;
	}

	/** Takes a form in; 409 for an ID that is there. */
	readonly upload: Answer = (response, heard, nth) => {
		const one = this.take(heard);
		if (!one)
			return json({ message: 'Document already exists', error_type: 'Conflict' }, 409)(
				response,
				heard,
				nth,
			);
		return json({ results: { message: 'ok', task_id: null, document_id: one.id } }, 202)(
			response,
			heard,
			nth,
		);
	};

	/** What the service does with a form, without its answer. */
	take(heard: Heard): Stored | undefined {
		const parts = partsOf(heard);
		const form = new Map(parts.map(({ name, content }) => [name, content.toString()]));
		const file = parts.find(({ fileName }) => fileName !== undefined);
		const id = form.get('id') ?? `own-${this.all.size}`;
		if (this.all.has(id)) return undefined;
		const metadata = JSON.parse(form.get('metadata') ?? '{}') as Fields;
		const one = this.add(id, metadata);
		Object.assign(one, {
			title: metadata.title ?? file?.fileName ?? null,
			content: file?.content ?? Buffer.from(form.get('raw_text') ?? form.get('chunks') ?? ''),
			form,
		});
		this.created.push(id);
		return one;
	}

	only(): Stored {
		return nthOf([...this.all.values()], 0);
	}
}
