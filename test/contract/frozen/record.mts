import { createHash } from 'node:crypto';
import type { INodeExecutionData } from 'n8n-workflow';
import { asJson, type Json } from './golden.mts';
import type { NodeOutput, Sandbox } from './run.mts';

/** One request as the service got it; of the keys only which headers held them. */
export interface Sent {
	/** `POST /path?query`. */
	request: string;
	auth: string[];
	body?: Json;
}

/** What a saved workflow does, as far as people rely on it. */
export interface Recorded {
	/** Every request that is no GET, in order. */
	writes: Sent[];
	/** Every distinct GET, sorted. */
	reads: Sent[];
	/** Nodes whose execution ended in an error. */
	failed: string[];
	/** Key paths of the items of each node and output. */
	outputs: Record<string, string[]>;
}

type Request = Sandbox['requests'][number];

const AUTH = ['authorization', 'token', 'x-api-key'];
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Page and place in a list: how a list is read is the node's own affair. */
const PAGING = ['limit', 'offset', 'page', 'page_size'];
const LONGEST_TEXT = 2_000;

/**
 * Requests and outputs in the form of the golden files.
 * @param saved text of the workflow: an ID in it is kept, others are numbered as they appear in the writes
 * @param volatile what differs from run to run, and its replacement
 */
export async function record(
	requests: Request[],
	nodes: NodeOutput[],
	saved: string,
	volatile: Array<[RegExp, string]>,
): Promise<Recorded> {
	const all = await Promise.all(requests.map(sent));
	const isRead = ({ request }: Sent): boolean => request.startsWith('GET ');
	const ids = new Map<string, string>();
	const stable = <T,>(value: T, nameOf: (id: string) => string): T => {
		const text = volatile.reduce(
			(now, [from, to]) => now.replaceAll(from, to),
			JSON.stringify(value),
		);
		return JSON.parse(text.replace(UUID, (id) => (saved.includes(id) ? id : nameOf(id)))) as T;
	};
	const writes = stable(
		all.filter((one) => !isRead(one)),
		(id) => {
			if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
			return ids.get(id) ?? id;
		},
	);
	const reads = stable(all.filter(isRead), (id) => ids.get(id) ?? '<id>');
	const distinct = [...new Map(reads.map((one) => [JSON.stringify(one), one]))].sort();
	return {
		writes,
		reads: distinct.map(([, one]) => one),
		failed: nodes.filter(({ error }) => error).map(({ node }) => node.name),
		outputs: Object.fromEntries(nodes.flatMap(keysOf)),
	};
}

/** A request without what only says which part of a list it asks for. */
export function withoutPaging({ request, auth }: Sent): Sent {
	const [target = '', query = ''] = request.split('?');
	const kept = query.split('&').filter((part) => !PAGING.includes(part.split('=')[0] ?? ''));
	return { request: [target, kept.join('&')].filter(Boolean).join('?'), auth };
}

async function sent(request: Request): Promise<Sent> {
	const { method, path, query, headers } = request;
	const parts = Object.entries(query)
		.flatMap(([name, values]) => [values].flat().map((value) => `${name}=${value}`))
		.sort();
	const body = await bodyOf(request);
	return {
		request: `${method} ${path}${parts.length > 0 ? `?${parts.join('&')}` : ''}`,
		auth: AUTH.filter((name) => headers[name] !== undefined),
		...(body !== undefined && { body }),
	};
}

/** JSON as it is, a form by its fields. */
async function bodyOf({ headers, body }: Request): Promise<Json | undefined> {
	const type = String(headers['content-type'] ?? '');
	if (typeof body !== 'string' || !type.startsWith('multipart/form-data')) {
		return body === undefined ? undefined : asJson(body);
	}
	const form = await new Response(body, { headers: { 'content-type': type } }).formData();
	const fields = await Promise.all(
		[...form].map(async ([name, value]): Promise<[string, Json]> => [name, await fieldOf(value)]),
	);
	return { form: Object.fromEntries(fields.sort()) };
}

async function fieldOf(value: NonNullable<ReturnType<FormData['get']>>): Promise<Json> {
	// The order of keys in a field that holds JSON means nothing
	if (typeof value === 'string') return /^[[{]/.test(value) ? (JSON.parse(value) as Json) : value;
	const content = await value.text();
	const digest = createHash('sha256').update(content).digest('hex');
	return {
		fileName: value.name,
		type: value.type,
		content: content.length > LONGEST_TEXT ? `sha256 ${digest}` : content,
	};
}

function keysOf({ node, outputs }: NodeOutput): Array<[string, string[]]> {
	return outputs.flatMap((items, index): Array<[string, string[]]> => {
		if (items.length === 0) return [];
		const paths = new Set(items.flatMap(pathsOf));
		return [[index === 0 ? node.name : `${node.name} (output ${index})`, [...paths].sort()]];
	});
}

function pathsOf({ json, binary }: INodeExecutionData): string[] {
	const files = Object.keys(binary ?? {}).map((name) => `binary: ${name}`);
	return [...leaves(asJson(json), ''), ...files];
}

/** Paths of what has no parts: `a.b`, `list[].c`. */
function leaves(value: Json, at: string): string[] {
	if (typeof value !== 'object' || value === null) return [at];
	const inner = Array.isArray(value)
		? value.flatMap((one) => leaves(one, `${at}[]`))
		: Object.entries(value).flatMap(([key, one]) => leaves(one, at === '' ? key : `${at}.${key}`));
	return inner.length > 0 || at === '' ? [...new Set(inner)] : [at];
}

/** Frozen key paths that are not there any more; `a` is there where `a.b` or `a[]` is. */
export function lostKeys(frozen: string[], present: string[] = []): string[] {
	return frozen.filter(
		(key) =>
			!present.some((one) => one === key || one.startsWith(`${key}.`) || one.startsWith(`${key}[`)),
	);
}
