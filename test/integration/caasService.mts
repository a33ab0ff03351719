import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startEngine, type Engine } from '../engine/engine.mts';
import { packageTime } from '../engine/time.mts';

/** What a client sees of an answer. */
export interface Answered {
	status?: number;
	body?: unknown;
	/** In place of JSON. */
	text?: string;
	type?: string;
	/** The connection is closed in place of an answer. */
	isLost?: true;
}

export interface Asked {
	method: string;
	/** Without the prefix of the product. */
	path: string;
	query: URLSearchParams;
	body: IDataObject;
}

export interface Made extends IDataObject {
	id: string | number;
	name: string;
	status: string;
	hours: number;
	order: IDataObject;
}

type Override = (asked: Asked, work: () => Answered) => Answered | undefined;

/**
 * A service written from beyond-the-spec.md section 2 alone, on which all that the contract leaves open can be changed. Its clock
 * is moved by the waits of the package.
 */
export class CaasService {
	readonly asked: Asked[] = [];
	made: Made[] = [];
	clock = Date.UTC(2026, 0, 1);
	newId: () => string | number = randomUUID;
	/** Gets each request before the service; it may do the work, and answer something else. */
	override: Override = () => undefined;
	/** Changes what is shown of a deployment. */
	details: (shown: IDataObject, made: Made) => IDataObject = (shown) => shown;
	listed: (shown: IDataObject[]) => IDataObject[] = (shown) => shown;
	containers: (made: Made) => unknown = ({ order }) =>
		Array.from({ length: replicasOf(order) }, (_, index) => ({
			container_id: `c-${index}`,
			status: 'running',
			public_url: null,
		}));
	price: (query: URLSearchParams) => IDataObject = (query) => ({
		replica_count: Number(query.get('replica_count')),
		gpus_per_container: Number(query.get('gpus_per_container')),
		total_cost_usdc: Number(query.get('duration_hours')) * Number(query.get('replica_count')),
	});

	/** The first that was bought. */
	get first(): Made {
		const [first] = this.made;
		if (!first) throw new Error('Nothing was bought');
		return first;
	}

	sent(method: string): Asked[] {
		return this.asked.filter((one) => one.method === method);
	}

	answer(asked: Asked): Answered {
		this.asked.push(asked);
		return this.override(asked, () => this.work(asked)) ?? this.work(asked);
	}

	private work({ method, path, query, body }: Asked): Answered {
		const [, top, id, more] = path.split('/');
		if (method === 'POST' && top === 'deploy') return this.deploy(body);
		if (top === 'price') return { body: { data: this.price(query) } };
		if (top === 'available-replicas')
			return { body: { data: [{ id: 3, iso2: 'FI', name: 'Finland', available_replicas: 9 }] } };
		if (top === 'deployments') return this.list(query);
		const made = this.made.find((one) => String(one.id) === id);
		if (top !== 'deployment' || !made)
			return { status: 404, text: 'Not found', type: 'text/plain' };
		if (more === 'containers') {
			const workers = this.containers(made);
			return { body: { data: { total: Array.isArray(workers) ? workers.length : 0, workers } } };
		}
		if (more === 'extend') made.hours += Number(body.duration_hours);
		if (method === 'DELETE') made.status = 'destroyed';
		if (method === 'PATCH') apply(made.order, body);
		return method === 'DELETE' || method === 'PATCH'
			? { body: { status: 'ok', deployment_id: made.id } }
			: { body: { data: this.details(this.shownOf(made), made) } };
	}

	private deploy(order: IDataObject): Answered {
		const made = {
			id: this.newId(),
			name: String(order.resource_private_name),
			status: 'running',
			hours: Number(order.duration_hours),
			order: structuredClone(order),
		};
		this.made.push(made);
		return { body: { status: 'deployment requested', deployment_id: made.id } };
	}

	private list(query: URLSearchParams): Answered {
		const size = Number(query.get('page_size') ?? 10);
		const start = Number(query.get('page') ?? 0) * size;
		const all = this.listed(this.made.map(({ id, name, status }) => ({ id, name, status })));
		return {
			body: {
				data: { deployments: all.slice(start, start + size), total: all.length, statuses: [] },
			},
		};
	}

	private shownOf({ id, name, status, hours, order }: Made): IDataObject {
		const gpus = Number(order.gpus_per_container);
		return {
			id,
			status,
			resource_private_name: name,
			created_at: new Date(this.clock).toISOString(),
			amount_paid: 1,
			gpus_per_container: gpus,
			total_containers: replicasOf(order),
			total_gpus: gpus * replicasOf(order),
			hardware_id: order.hardware_id,
			locations: [{ id: 3, iso2: 'FI', name: 'Finland' }],
			compute_minutes_served: 0,
			compute_minutes_remaining: hours * 60,
			container_config: structuredClone(order.container_config),
			registry_config: { image_url: (order.registry_config as IDataObject).image_url },
		};
	}
}

function replicasOf({ container_config: config }: IDataObject): number {
	return Number((config as IDataObject).replica_count);
}

const OF_REGISTRY = ['image_url', 'registry_username', 'registry_secret'];

function apply(order: IDataObject, changes: IDataObject): void {
	for (const [key, value] of Object.entries(changes)) {
		const part = OF_REGISTRY.includes(key) ? 'registry_config' : 'container_config';
		(order[part] as IDataObject)[key] = value;
	}
}

export interface CaasFixture {
	readonly service: CaasService;
	readonly engine: Engine;
	/** What was logged during this test. */
	readonly log: Engine['log'];
}

const SERVICE_KEY = 'key-of-the-caas-service-tests';

/** n8n's engine with a credential for a {@link CaasService} of each test's own, and the package on its clock. */
export function useCaasService(): CaasFixture {
	let service = new CaasService();
	let engine: Engine | undefined;
	let logged = 0;
	let restore: (() => void) | undefined;
	const server = createServer((request, response) => void serve(service, request, response));
	beforeAll(async () => {
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		engine = await startEngine({
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: { baseUrl, service: 'svc', apiKey: SERVICE_KEY },
				account: () => generation,
			},
		});
		const time = packageTime();
		const real = { ...time };
		restore = () => Object.assign(time, real);
		time.now = () => service.clock;
		time.elapsed = () => service.clock;
		time.delay = async (ms, signal) => {
			if (ms > 0 && !signal?.aborted) service.clock += ms;
			await setImmediate();
		};
	});
	let generation = 0;
	beforeEach(() => {
		service = new CaasService();
		generation++;
		logged = up(engine).log.length;
	});
	afterEach(() => server.closeAllConnections());
	afterAll(() => {
		restore?.();
		server.close();
	});
	return {
		get service() {
			return service;
		},
		get engine() {
			return up(engine);
		},
		get log() {
			return up(engine).log.slice(logged);
		},
	};
}

function up(engine: Engine | undefined): Engine {
	if (!engine) throw new Error('The engine is not up yet');
	return engine;
}

const PREFIX = '/enterprise/v1/svc-cloud/caas';

async function serve(
	service: CaasService,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
	const body = ['POST', 'PATCH'].includes(String(request.method))
		? ((await json(request)) as IDataObject)
		: {};
	const {
		status,
		body: data,
		text,
		type,
		isLost,
	} = service.answer({
		method: String(request.method),
		path: pathname.replace(PREFIX, ''),
		query: searchParams,
		body,
	});
	if (isLost) return void request.socket.destroy();
	response.writeHead(status ?? 200, { 'content-type': type ?? 'application/json' });
	response.end(text ?? (data === undefined ? '' : JSON.stringify(data)));
}
