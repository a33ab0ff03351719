import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import { startEngine, type Engine } from '../../engine/engine.mts';
import { OWN_KEY, sshCredential } from '../../engine/sshKey.mts';
import { packageTime } from '../../engine/time.mts';
import { jsonOf } from './json.mts';
import type { Answer, Call, Json, Rented } from './types.mts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const API_KEY = 'sk-review-5f1e9a77c0d3';

/** A compute service of the contract alone, with books of what runs and what was charged. */
export class Market {
	now = Date.UTC(2026, 9, 25, 0, 30);
	readonly rented: Rented[] = [];
	readonly calls: string[] = [];
	/** USD an hour of one GPU. */
	pricePerGpu = 1;
	/** In place of what the contract shows; undefined goes on as documented. */
	odd: (call: Call) => Answer | undefined | Promise<Answer | undefined> = () => undefined;
	/** The answer as it is written. */
	written: (text: string, call: Call) => string = (text) => text;
	/** The ID of the next deployment. */
	nextId: (count: number) => Rented['id'] = (count) => `d-${count}`;
	nameFor: (name: string) => unknown = (name) => name;
	/** Milliseconds after which the list shows a change, and the details. */
	listBehindMs = 0;
	detailsBehindMs = 0;
	/** How far the clock of the service is ahead. */
	clockAheadMs = 0;
	/** How far the clock of n8n is ahead. */
	nodeAheadMs = 0;
	/** Milliseconds until a deployment runs. */
	startMs = 0;
	/** Whether minutes are those of all GPUs together. */
	sumsMinutes = false;
	/** Of a deployment: changes to what list and details show of it. */
	look: (shown: Json, one: Rented) => Json = (shown) => shown;
	onWait: () => void = () => undefined;
	url = '';
	engine!: Engine;
	private readonly deadlines: Array<[at: number, end: AbortController]> = [];

	advance(ms: number): void {
		this.now += ms;
		for (const [at, end] of this.deadlines) if (this.now >= at) end.abort();
		this.onWait();
	}

	/** The deployment that was bought as the first, second and so on. */
	nth(index: number): Rented {
		const one = this.rented[index];
		if (!one) throw new Error(`The books have no deployment ${index}`);
		return one;
	}

	running(product = 'vmaas'): Rented[] {
		return this.rented.filter((one) => one.product === product && one.endedAt === undefined);
	}

	sent(method: string, path: RegExp): string[] {
		return this.calls.filter((call) => call.startsWith(`${method} `) && path.test(call));
	}

	/** A deployment that somebody has bought, without a request. */
	add(changes: Partial<Rented> = {}): Rented {
		const one: Rented = {
			product: 'vmaas',
			id: this.nextId(this.rented.length + 1),
			name: 'somebody',
			status: 'running',
			boughtAt: this.now,
			startedAt: this.now,
			hours: 3,
			workers: 1,
			gpus: 1,
			hardwareId: 12,
			locations: ['US'],
			paid: 3,
			body: {},
			...changes,
		};
		this.rented.push(one);
		return one;
	}

	buy(product: string, body: Json): Rented {
		const config = (body.container_config ?? {}) as Json;
		const workers = Number(body.vms_qty ?? config.replica_count ?? 1);
		const gpus = Number(body.gpus_per_vm ?? body.gpus_per_container);
		const hours = Number(body.duration_hours);
		return this.add({
			product,
			name: this.nameFor(String(body.resource_private_name)),
			status: this.startMs > 0 ? 'deployment requested' : 'running',
			startedAt: this.startMs > 0 ? undefined : this.now,
			hours,
			workers,
			gpus,
			hardwareId: body.hardware_id,
			locations: body.location_ids as unknown[],
			paid: hours * gpus * workers * this.pricePerGpu,
			body,
		});
	}

	/** When the paid time is over, by the books. */
	endsAt(one: Rented): number {
		return (one.startedAt ?? this.now) + one.hours * HOUR;
	}

	/** What the service shows of a deployment. */
	shown(one: Rented): Json {
		if (one.startedAt === undefined && this.now >= one.boughtAt + this.startMs)
			Object.assign(one, { startedAt: one.boughtAt + this.startMs, status: 'running' });
		const times = this.sumsMinutes ? one.gpus * one.workers : 1;
		const passed =
			one.startedAt === undefined
				? 0
				: Math.floor(((one.endedAt ?? this.now) - one.startedAt) / MINUTE);
		const stamp = (ms?: number) =>
			ms === undefined ? null : new Date(ms + this.clockAheadMs).toISOString();
		const isVm = one.product === 'vmaas';
		return this.look(
			{
				id: one.id,
				name: one.name,
				status: one.status,
				created_at: stamp(one.boughtAt),
				started_at: stamp(one.startedAt),
				finished_at: stamp(one.endedAt),
				amount_paid: one.paid,
				total_gpus: one.gpus * one.workers,
				[isVm ? 'gpus_per_vm' : 'gpus_per_container']: one.gpus,
				[isVm ? 'total_vms' : 'total_containers']: one.workers,
				hardware_id: one.hardwareId,
				hardware_name: 'RTX A6000',
				locations: one.locations.map((id) => ({ id, iso2: 'US', name: 'United States' })),
				compute_minutes_served: passed * times,
				compute_minutes_remaining: one.endedAt ? 0 : (one.hours * 60 - passed) * times,
			},
			one,
		);
	}

	/** What the contract shows. */
	documented({ method, product, path, query, body }: Call): Answer {
		if (path === '/hardware')
			return {
				status: 200,
				json: {
					data: {
						hardware: [
							{
								id: '12__1',
								deploy_id: 12,
								name: 'RTX A6000',
								num_cards: 1,
								supplier: 'internal',
								price: 1,
								vram_per_card: 48,
								location: 'US',
							},
						],
					},
				},
			};
		if (path === '/price') {
			const gpus = Number(query.get('gpus_per_vm') ?? query.get('gpus_per_container'));
			const replica_count = Number(query.get('replica_count'));
			const total = gpus * replica_count * Number(query.get('duration_hours')) * this.pricePerGpu;
			return {
				status: 200,
				json: {
					data: { replica_count, available_replica_count: [1, 2, 3, 4], total_cost_usdc: total },
				},
			};
		}
		if (path === '/deployments') {
			const all = this.rented
				.filter((one) => one.product === product)
				.filter((one) => one.boughtAt + this.listBehindMs <= this.now)
				.filter(({ status }) => (query.get('status') ?? status) === status);
			const size = Number(query.get('page_size') ?? 10);
			const first = Number(query.get('page') ?? 0) * size;
			const deployments = all.slice(first, first + size).map((one) => {
				const { id, name, status, compute_minutes_served, compute_minutes_remaining } =
					this.shown(one);
				return {
					id,
					name,
					status,
					hardware_quantity: one.gpus * one.workers,
					compute_minutes_served,
					compute_minutes_remaining,
				};
			});
			return { status: 200, json: { data: { deployments, total: all.length, statuses: [] } } };
		}
		if (method === 'POST' && path === '/deploy') {
			const { id } = this.buy(product, body);
			return { status: 200, json: { status: 'success', deployment_id: id } };
		}
		const [, id = '', rest] = /^\/deployment\/([^/]+)(\/.*)?$/.exec(path) ?? [];
		const one = this.rented.find(
			(other) => other.product === product && String(other.id) === decodeURIComponent(id),
		);
		if (!one || (method === 'GET' && one.boughtAt + this.detailsBehindMs > this.now))
			return { status: 404, json: { detail: 'Not found' } };
		if (method === 'DELETE') {
			if (!one.endedAt) Object.assign(one, { status: 'destroyed', endedAt: this.now });
			return { status: 200, json: { status: 'success', deployment_id: one.id } };
		}
		if (method === 'POST' && rest === '/extend') {
			one.hours += Number(body.duration_hours);
			one.paid += Number(body.duration_hours) * one.gpus * one.workers * this.pricePerGpu;
		}
		if (rest === '/vms') return { status: 200, json: { data: { total: 0, workers: [] } } };
		return { status: 200, json: { data: this.shown(one) } };
	}

	async open(): Promise<void> {
		const server = createServer((request, response) => void this.serve(request, response));
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const time = packageTime();
		const real = { ...time };
		time.now = () => this.now + this.nodeAheadMs;
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
				data: { baseUrl: this.url, service: 'svc', apiKey: API_KEY },
				account: freshAccount(),
			},
			'compute-ssh': sshCredential(OWN_KEY.privateKey),
		});
	}

	private async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of message) chunks.push(chunk as Buffer);
		const text = Buffer.concat(chunks).toString();
		const { pathname, searchParams: query } = new URL(message.url ?? '', this.url);
		const [, product = '', path = pathname] =
			/^\/enterprise\/v1\/svc-cloud\/(vmaas|caas)(\/.*)$/.exec(pathname) ?? [];
		const body = (text === '' ? {} : JSON.parse(text)) as Json;
		const method = message.method ?? '';
		const call: Call = { method, product, path, query, body, text, response };
		this.calls.push(`${method} ${path}`);
		const answer = (await this.odd(call)) ?? this.documented(call);
		if (answer === 'handled') return;
		if (answer === 'cut') return void response.socket?.destroy();
		const { status, json, headers } = answer;
		response.setHeader('date', new Date(this.now + this.clockAheadMs).toUTCString());
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(answer.text ?? (json === undefined ? '' : this.written(jsonOf(json), call)));
	}
}

/** A service that is open for the test that runs. */
export async function openMarket(changes: Partial<Market> = {}): Promise<Market> {
	const market = Object.assign(new Market(), changes);
	await market.open();
	return market;
}
