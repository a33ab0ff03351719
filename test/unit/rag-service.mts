import type { IDataObject, NodeApiError } from 'n8n-workflow';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import { Body, type Answered, type Asked } from './log-parts.mts';
import { node } from './parameters-form.mts';
import { Documents } from './rag-parts.mts';

type Sent = Asked & { method?: string; body?: string | Buffer };

export const MORNING = '2026-07-01T08:00:00Z';
export const UPLOAD = 'POST /documents';

/** What was asked for that changes something. */
export const changes = ({ asked }: Documents) =>
	asked.filter((request) => !request.startsWith('GET'));

/** A service of documents that takes uploads. */
export class Uploads extends Documents {
	/** Forms of the uploads, as text. */
	readonly forms: string[] = [];
	/** The ID that the service chooses in place of the one that is sent. */
	chosenId?: string;
	/** What the service shows of a new document. */
	shown: IDataObject = { ingestion_status: 'success' };

	override answer(asked: Sent): Answered {
		const isUpload = asked.method === 'POST' && asked.url.endsWith('/documents');
		const instead = isUpload ? this.instead(UPLOAD) : undefined;
		if (!isUpload || instead?.status === 422) return instead ?? super.answer(asked);
		this.asked.push(UPLOAD);
		const form = String(asked.body);
		this.forms.push(form);
		const id = this.chosenId ?? fieldOf(form, 'id') ?? '';
		const metadata = JSON.parse(fieldOf(form, 'metadata') ?? '{}') as IDataObject;
		if (!instead) this.add(id, { ...this.shown, metadata });
		return instead ?? { status: 202, json: { results: { document_id: id } } };
	}
}

function fieldOf(form: string, name: string): string | undefined {
	return new RegExp(`name="${name}"\r\n\r\n(.*)\r\n`).exec(form)?.[1];
}

/** A service that gives these answers, one after the other, the last one for good. */
export class Answers extends Documents {
	/** JSON of the requests. */
	readonly sent: unknown[] = [];
	private readonly answers: Answered[];

	constructor(...answers: Answered[]) {
		super();
		this.answers = answers;
	}

	override answer({ method, url, body }: Sent): Answered {
		this.asked.push(`${method} ${new URL(url).pathname}`);
		this.sent.push(body === undefined ? undefined : JSON.parse(String(body)));
		const next = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
		return next ?? {};
	}
}

/** An answer that comes as events, each a name and its data. */
export function eventsOf(...events: Array<[name: string, data: unknown]>): Answered {
	const texts = events.map(([name, data]) => event(name, data));
	return streamOf(new Body().write(...texts, undefined));
}

/** An answer whose body brings events. */
export const streamOf = (body: Body): Answered => ({
	body,
	headers: { 'content-type': 'text/event-stream' },
});

/** One event of a stream. */
export function event(name: string, data: unknown): string {
	return `event: ${name}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Lets an execution stream into a chat; returns what the chat gets. */
export function openChat({ functions }: OperationContext): string[] {
	const shown: string[] = [];
	Object.assign(functions, {
		isStreaming: () => true,
		continueOnFail: () => false,
		sendChunk: async (type: string, _: number, text = '') => {
			shown.push(type === 'item' ? text : `(${type})`);
			await Promise.resolve();
		},
	});
	return shown;
}

/** What a piece of work gives or throws. */
export const outcomeOf = async <T,>(
	work: Promise<T>,
): Promise<{ value?: T; error?: NodeApiError }> =>
	await work.then(
		(value) => ({ value }),
		(error: NodeApiError) => ({ error }),
	);

/** The form of an operation with these values. */
export const formOf = ({ fields }: Pick<Operation<never>, 'fields'>, values: IDataObject) =>
	new Parameters(node, 0, fields, (name) => values[name]);
