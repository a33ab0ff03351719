import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { KEY_CREDENTIALS } from '../../nodes/marketplace/credentials.ts';
import { VMAAS, type Product, type ProductContext } from '../../nodes/marketplace/product.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { functionsOf, type Answered, type Asked } from './log-parts.mts';

type Sent = Asked & { method?: string };

export const REFUSED: Answered = { status: 403, json: { message: 'not allowed' } };
export const ABSENT: Answered = { status: 404, json: { message: 'not found' } };

/** The deployments of a service that answers in this process. */
export class Market {
	/** A place of its own: the process remembers what was bought at another one, also in another file of tests. */
	readonly baseUrl = `https://service.test/${randomUUID()}`;
	/** What the list shows. */
	listed: IDataObject[] = [];
	/** What the details show, by ID. */
	readonly details = new Map<string, IDataObject>();
	/** What was asked: `GET deployments`, `DELETE deployment/d1`. */
	readonly asked: string[] = [];
	/** What prices were asked for. */
	readonly queries: IDataObject[] = [];
	/** Answers in place of the service, where it gives one. */
	instead: (request: string) => Promise<Answered | undefined> | Answered | undefined = () =>
		undefined;

	/** A deployment that list and details show. */
	add(id: string, more: IDataObject = {}): this {
		const shown = { deployment_id: id, resource_private_name: 'job', status: 'running', ...more };
		this.listed.push(shown);
		this.details.set(id, shown);
		return this;
	}

	/** A deployment that only its details show. */
	hide(id: string, more: IDataObject = {}): this {
		this.details.set(id, { deployment_id: id, status: 'running', ...more });
		return this;
	}

	async answer(sent: Sent): Promise<Answered> {
		const { method = 'GET', url, qs = {} } = sent;
		const path = decodeURIComponent(new URL(url).pathname).replace(/^.*\/(vmaas|caas)\//, '');
		const request = `${method} ${path}`;
		this.asked.push(request);
		if (path === 'price') this.queries.push(qs);
		return (await this.instead(request)) ?? this.usually(method, path, sent);
	}

	/** The answer of the service itself. */
	protected usually(method: string, path: string, _: Sent): Answered {
		if (path === 'deployments')
			return { json: { data: { deployments: this.listed, total: this.listed.length } } };
		const id = path.replace(/^deployment\//, '');
		const shown = this.details.get(id);
		if (!shown || (method === 'DELETE' && shown.status === 'destroyed')) return ABSENT;
		if (method === 'DELETE') this.details.set(id, { ...shown, status: 'destroyed' });
		return { json: { status: 'success', data: method === 'DELETE' ? {} : shown } };
	}
}

interface Given {
	product?: Product;
	/** What all nodes of the execution share. */
	flow?: Record<string, unknown>;
	signal?: AbortSignal;
	/** What n8n gives beside or in place of the usual. */
	functions?: object;
}

/** What an operation on a product gets for an item. */
export async function productContext(
	market: Market,
	{ product = VMAAS, flow = {}, signal, functions: more }: Given = {},
): Promise<ProductContext> {
	const functions = functionsOf(async (asked) => await market.answer(asked), {
		getCredentials: async () =>
			await Promise.resolve({ baseUrl: market.baseUrl, service: 'svc', apiKey: 'key-1' }),
		getInstanceId: () => 'instance',
		getExecutionId: () => 'execution',
		getContext: () => flow,
		getInputData: () => [],
		getWorkflow: () => ({ id: 'workflow' }),
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		continueOnFail: () => false,
		...more,
	}) as unknown as IExecuteFunctions;
	const loads = new Map<string, Promise<unknown>>();
	return {
		functions,
		product,
		signal,
		account: await openAccount(functions, KEY_CREDENTIALS),
		itemIndex: 0,
		journal: openJournals(functions)(0),
		known: {},
		inputs: [],
		once: async <T,>(key: string, load: () => Promise<T>) => {
			if (!loads.has(key)) loads.set(key, load());
			return (await loads.get(key)) as T;
		},
		kept: new Map(),
		log: () => undefined,
	};
}

/** What an error says, and what it carries of the thing that it is about. */
export async function refusalOf(work: Promise<unknown>) {
	const error = await work.then(
		() => undefined,
		(caught: Error & { description?: string; context?: IDataObject }) => caught,
	);
	if (!error) return undefined;
	return {
		message: error.message,
		description: error.description,
		known: error.context?.known as IDataObject | undefined,
	};
}
