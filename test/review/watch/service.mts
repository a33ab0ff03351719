import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import { startEngine, type Engine } from '../../engine/engine.mts';
import { OWN_KEY, sshCredential } from '../../engine/sshKey.mts';
import { packageTime } from '../../engine/time.mts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** A deployment in the books of the service. */
export interface Deployment {
	id: string;
	name: string;
	status: string;
	/** Milliseconds since 1970. */
	createdAt: number;
	paidHours: number;
	/** Minutes in which its VM was down: paid time passes, nothing is served. */
	downMinutes: number;
	gpus: number;
	endedAt?: number;
	/** Since when it is listed. */
	listedFrom: number;
}

export interface Answer {
	status: number;
	json?: unknown;
	headers?: Record<string, string>;
}

export interface Request {
	method: string;
	/** Below the product, such as `/deployments`, or all of it. */
	path: string;
	product: string;
	query: URLSearchParams;
	body: Record<string, unknown>;
}

/** A service of the contract, with a clock that only waits of the package move. */
export class Service {
	now = Date.UTC(2026, 10, 24, 12);
	readonly deployments = new Map<string, Deployment>();
	readonly requests: string[] = [];
	/** What the service does in place of what the contract shows; undefined goes on as documented. */
	odd: (request: Request) => Answer | undefined = () => undefined;
	/** Called after each wait of the package. */
	onWait: () => void = () => undefined;
	/** Whether the list shows deployments that have ended. */
	listsEnded = true;
	/** Milliseconds after which a new deployment is listed. */
	listBehindMs = 0;
	url = '';
	engine!: Engine;
	private readonly deadlines: Array<[at: number, end: AbortController]> = [];

	advance(ms: number): void {
		this.now += ms;
		for (const [at, end] of this.deadlines) if (this.now >= at) end.abort();
		this.onWait();
	}

	/** A deployment that somebody has bought, without a request. */
	add(id: string, changes: Partial<Deployment> = {}): Deployment {
		const one: Deployment = {
			id,
			name: id,
			status: 'running',
			createdAt: this.now,
			paidHours: 3,
			downMinutes: 0,
			gpus: 1,
			listedFrom: this.now + this.listBehindMs,
			...changes,
		};
		this.deployments.set(id, one);
		return one;
	}

	get(id: string): Deployment {
		const one = this.deployments.get(id);
		if (!one) throw new Error(`The books have no ${id}`);
		return one;
	}

	end(id: string, status = 'destroyed'): void {
		Object.assign(this.get(id), { status, endedAt: this.now });
	}

	minutes({ createdAt, paidHours, downMinutes, endedAt }: Deployment) {
		const passed = Math.floor(((endedAt ?? this.now) - createdAt) / MINUTE);
		return {
			compute_minutes_served: Math.max(passed - downMinutes, 0),
			compute_minutes_remaining: endedAt ? 0 : Math.max(paidHours * 60 - passed, 0),
		};
	}

	/** An entry of the list (beyond-the-spec.md section 1 "Deployments"). */
	entryOf(one: Deployment): Record<string, unknown> {
		const { id, name, status, gpus } = one;
		return { id, status, name, hardware_quantity: gpus, ...this.minutes(one) };
	}

	/** Details (beyond-the-spec.md section 1 "Deployment details"). */
	detailsOf(one: Deployment): Record<string, unknown> {
		const at = (ms?: number) => (ms === undefined ? null : new Date(ms).toISOString());
		return {
			id: one.id,
			status: one.status,
			created_at: at(one.createdAt),
			started_at: at(one.createdAt),
			finished_at: at(one.endedAt),
			amount_paid: one.paidHours * one.gpus,
			total_gpus: one.gpus,
			gpus_per_vm: one.gpus,
			total_vms: 1,
			hardware_id: 12,
			hardware_name: 'RTX A6000',
			locations: [{ id: 'US', iso2: 'US', name: 'United States' }],
			...this.minutes(one),
		};
	}

	/** What the contract shows. */
	documented({ method, path, query, body }: Request): Answer {
		if (path === '/hardware') return { status: 200, json: { data: { hardware: [] } } };
		if (path === '/deployments') {
			const all = [...this.deployments.values()]
				.filter(({ listedFrom }) => listedFrom <= this.now)
				.filter(({ endedAt }) => this.listsEnded || endedAt === undefined)
				.filter(({ status }) => (query.get('status') ?? status) === status);
			const size = Number(query.get('page_size') ?? 10);
			const first = Number(query.get('page') ?? 0) * size;
			const deployments = all.slice(first, first + size).map((one) => this.entryOf(one));
			return { status: 200, json: { data: { deployments, total: all.length, statuses: [] } } };
		}
		if (method === 'POST' && path === '/deploy') {
			const { id } = this.add(`bought-${this.deployments.size}`, {
				name: String(body.resource_private_name),
				paidHours: Number(body.duration_hours),
			});
			return { status: 200, json: { status: 'deployment requested', deployment_id: id } };
		}
		const [, id = '', rest] = /^\/deployment\/([^/]+)(\/.*)?$/.exec(path) ?? [];
		const one = this.deployments.get(decodeURIComponent(id));
		if (!one) return { status: 404, json: { detail: 'Not found' } };
		if (method === 'DELETE') {
			if (!one.endedAt) this.end(one.id);
			return { status: 200, json: { status: 'success', deployment_id: one.id } };
		}
		if (rest === '/extend') one.paidHours += Number(body.duration_hours);
		if (rest === '/vms') return { status: 200, json: { data: { total: 0, workers: [] } } };
		return { status: 200, json: { data: this.detailsOf(one) } };
	}

	async open(): Promise<void> {
		const server = createServer((request, response) => void this.serve(request, response));
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const time = packageTime();
		const real = { ...time };
		time.now = () => this.now;
		time.elapsed = () => this.now;
		time.deadline = (ms) => {
			const end = new AbortController();
			this.deadlines.push([this.now + ms, end]);
			return end.signal;
		};
		time.delay = async (ms, signal) => {
			if (ms > 0 && !signal?.aborted) this.advance(ms);
			await new Promise((turn) => setImmediate(turn));
		};
		onTestFinished(() => {
			Object.assign(time, real);
			server.close();
			server.closeAllConnections();
		});
		this.engine = await startEngine({
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: { baseUrl: this.url, service: 'svc', apiKey: 'key-of-the-watch' },
				account: freshAccount(),
			},
			'compute-token': {
				type: 'computeMarketplaceTokenApi',
				data: { baseUrl: this.url, service: 'svc', accessToken: 'token-of-the-watch' },
			},
			'compute-ssh': sshCredential(OWN_KEY.privateKey),
		});
	}

	private async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of message) chunks.push(chunk as Buffer);
		const text = Buffer.concat(chunks).toString();
		const { pathname, searchParams } = new URL(message.url ?? '', this.url);
		const [, product = '', path = pathname] =
			/^\/enterprise\/v1\/svc-cloud\/(vmaas|caas)(\/.*)$/.exec(pathname) ?? [];
		const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
		const request = { method: message.method ?? '', path, product, query: searchParams, body };
		this.requests.push(`${request.method} ${path}`);
		const { status, json, headers } = this.odd(request) ?? this.documented(request);
		response.sendDate = false;
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(json === undefined ? '' : JSON.stringify(json));
	}
}

/** A service that is open for the test that runs. */
export async function openService(): Promise<Service> {
	const service = new Service();
	await service.open();
	return service;
}
