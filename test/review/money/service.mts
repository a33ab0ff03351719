import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Clock } from './clock.mts';

/* A marketplace after compute-api.md and beyond-the-spec.md, with books of its own and a gateway before it. */

export type Json = Record<string, unknown>;

export interface Call {
	method: string;
	path: string;
	query: URLSearchParams;
	body: Json;
	headers: IncomingMessage['headers'];
}

export interface Answer {
	status: number;
	/** An object is sent as JSON, a text as it is. */
	body?: unknown;
	headers?: Record<string, string>;
	/** The connection is closed before or amid the answer. */
	cut?: 'before' | 'amid';
}

/** What stands before the service: it may answer by itself, forward, or forward again. */
export type Gateway = (call: Call, forward: (call: Call) => Answer) => Promise<Answer> | Answer;

/** A deployment in the books. */
export interface Machine {
	id: string;
	product: string;
	name: string;
	hardware: unknown;
	gpus: number;
	count: number;
	hours: number;
	price: number;
	createdAt: number;
	extensions: Array<{ at: number; hours: number; price: number }>;
	endingAt?: number;
	endedAt?: number;
	config?: Json;
}

const HOUR = 3_600_000;

/** In what the service may differ, within the contract. */
export const USUAL = {
	/** How far its clock is ahead of everybody's, in milliseconds. */
	clockAhead: 0,
	/** How far lists and details are behind the books. */
	listBehind: 0,
	detailsBehind: 0,
	startTakes: 0,
	endTakes: 0,
	/** Minutes are added up over all GPUs. */
	sumsMinutes: false,
	nameOf: (name: string): string => name,
	idOf: (number: number): string => `dep-${number}`,
	/** An ID as it stands in JSON. */
	idInJson: (id: string): unknown => id,
	word: (status: string): string => status,
	timeText: (ms: number): string => new Date(ms).toISOString(),
	money: (amount: number): unknown => amount,
	/** The answer to a deploy that was made. */
	deployed: (machine: Machine): unknown => ({ status: 'succeeded', deployment_id: machine.id }),
	hoursAdded: (hours: number): number => hours,
	/** Entries of a page at most; Infinity for all. */
	pageSize: 100,
	heedsPage: true,
	showsTotal: true,
	hidesEnded: false,
	/** USD an hour for each GPU. */
	rate: 1,
};

export class Service {
	readonly machines: Machine[] = [];
	readonly calls: Call[] = [];
	readonly behaviour = { ...USUAL };
	gateway: Gateway = (call, forward) => forward(call);
	private server?: Server;
	private numbers = 0;

	constructor(private readonly clock: Clock) {}

	get url(): string {
		return `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}`;
	}

	async start(): Promise<this> {
		this.server = createServer((request, response) => void this.serve(request, response));
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
		return this;
	}

	close(): void {
		this.server?.closeAllConnections();
		this.server?.close();
	}

	/** What runs and bills now, by the books. */
	alive(name?: string): Machine[] {
		return this.machines.filter(
			(one) =>
				['deployment requested', 'running', 'termination requested'].includes(
					this.statusOf(one, this.clock.now()),
				) &&
				(name === undefined || one.name === name),
		);
	}

	sent(method: string, part: string): Call[] {
		return this.calls.filter((call) => call.method === method && call.path.endsWith(part));
	}

	/** Somebody else buys. */
	buy(body: Json, product = 'vmaas', createdAt = this.clock.now()): Machine {
		const gpus = Number(body.gpus_per_vm ?? body.gpus_per_container ?? 1);
		const config = body.container_config as Json | undefined;
		const count = Number(body.vms_qty ?? config?.replica_count ?? 1);
		const hours = Number(body.duration_hours ?? 2);
		const machine: Machine = {
			id: this.behaviour.idOf(++this.numbers),
			product,
			name: this.behaviour.nameOf(String(body.resource_private_name)),
			hardware: body.hardware_id ?? 7,
			gpus,
			count,
			hours,
			price: hours * gpus * count * this.behaviour.rate,
			createdAt,
			extensions: [],
			...(config && { config }),
		};
		this.machines.push(machine);
		return machine;
	}

	statusOf(machine: Machine, at: number): string {
		const { startTakes } = this.behaviour;
		if (machine.endedAt !== undefined && at >= machine.endedAt) return 'destroyed';
		if (machine.endingAt !== undefined && at >= machine.endingAt) return 'termination requested';
		if (at < machine.createdAt + startTakes) return 'deployment requested';
		const { hours } = this.paidAt(machine, at);
		return at >= machine.createdAt + startTakes + hours * HOUR ? 'completed' : 'running';
	}

	paidAt({ hours, price, extensions }: Machine, at: number): { hours: number; price: number } {
		const made = extensions.filter((one) => one.at <= at);
		return {
			hours: made.reduce((sum, one) => sum + one.hours, hours),
			price: made.reduce((sum, one) => sum + one.price, price),
		};
	}

	private entry(machine: Machine, at: number): Json {
		const { behaviour } = this;
		const paid = this.paidAt(machine, at);
		const sums = behaviour.sumsMinutes ? machine.gpus * machine.count : 1;
		const end = Math.min(at, machine.endedAt ?? Infinity);
		const served = Math.max(0, (end - machine.createdAt - behaviour.startTakes) / 60_000);
		return {
			id: behaviour.idInJson(machine.id),
			status: behaviour.word(this.statusOf(machine, at)),
			name: machine.name,
			hardware_quantity: machine.gpus * machine.count,
			compute_minutes_served: Math.floor(served) * sums,
			compute_minutes_remaining: Math.ceil(Math.max(0, paid.hours * 60 - served)) * sums,
		};
	}

	private details(machine: Machine, at: number): Json {
		const { clockAhead, timeText, money } = this.behaviour;
		const [gpusKey, countKey] =
			machine.product === 'vmaas'
				? ['gpus_per_vm', 'total_vms']
				: ['gpus_per_container', 'total_containers'];
		return {
			...this.entry(machine, at),
			created_at: timeText(machine.createdAt + clockAhead),
			started_at: timeText(machine.createdAt + this.behaviour.startTakes + clockAhead),
			amount_paid: money(this.paidAt(machine, at).price),
			hardware_id: machine.hardware,
			total_gpus: machine.gpus * machine.count,
			[gpusKey]: machine.gpus,
			[countKey]: machine.count,
			locations: [{ id: 3, iso2: 'FI', name: 'Finland' }],
			...(machine.config && { container_config: machine.config }),
		};
	}

	/** The service itself, behind the gateway. */
	readonly answer = (call: Call): Answer => {
		const [, product = '', path = ''] = /-cloud\/(vmaas|caas)(\/.*)$/.exec(call.path) ?? [];
		const own = this.machines.filter((one) => one.product === product);
		const now = this.clock.now();
		const ok = (body: unknown): Answer => ({ status: 200, body });
		if (path === '/hardware') return ok({ data: { hardware: this.hardware } });
		if (path === '/price') return ok({ data: this.price(call.query) });
		if (path === '/deployments') return ok(this.list(own, call.query));
		if (path === '/deploy') return ok(this.behaviour.deployed(this.buy(call.body, product)));
		const [, id, action] = /^\/deployment\/([^/]+)(\/extend)?$/.exec(path) ?? [];
		const seenAt = call.method === 'GET' ? now - this.behaviour.detailsBehind : now;
		const machine = own.find((one) => one.id === decodeURIComponent(id ?? ''));
		if (!machine || machine.createdAt > seenAt)
			return { status: 404, body: { detail: 'Not found' } };
		if (call.method === 'GET') return ok({ data: this.details(machine, seenAt) });
		if (this.statusOf(machine, now) === 'destroyed')
			return { status: 409, body: { detail: 'It has ended' } };
		if (action) {
			const hours = this.behaviour.hoursAdded(Number(call.body.duration_hours));
			const price = hours * machine.gpus * machine.count * this.behaviour.rate;
			machine.extensions.push({ at: now, hours, price });
			return ok({ data: this.details(machine, now) });
		}
		if (call.method === 'PATCH') machine.config = { ...machine.config, ...call.body };
		else {
			machine.endingAt ??= now;
			machine.endedAt ??= now + this.behaviour.endTakes;
		}
		return ok({ status: 'succeeded', deployment_id: machine.id });
	};

	hardware: Json[] = [
		{ id: '7__FI', deploy_id: 7, name: 'A6000', num_cards: 1, price: 1, location: 'FI' },
		{ id: '8__FI', deploy_id: 8, name: 'H100', num_cards: 2, price: 2, location: 'FI' },
	];

	private price(query: URLSearchParams): Json {
		const number = (key: string) => Number(query.get(key) ?? 1);
		const gpus = query.has('gpus_per_vm') ? 'gpus_per_vm' : 'gpus_per_container';
		const total =
			number('replica_count') * number(gpus) * number('duration_hours') * this.behaviour.rate;
		return {
			replica_count: number('replica_count'),
			[gpus]: number(gpus),
			available_replica_count: [100],
			total_cost_usdc: this.behaviour.money(total),
		};
	}

	private list(own: Machine[], query: URLSearchParams): Json {
		const { listBehind, hidesEnded, pageSize, heedsPage, showsTotal } = this.behaviour;
		const at = this.clock.now() - listBehind;
		const entries = own
			.filter((one) => one.createdAt <= at)
			.map((one) => this.entry(one, at))
			.filter(({ status }) => !hidesEnded || !['destroyed', 'completed'].includes(String(status)));
		const size = Math.min(pageSize, Number(query.get('page_size') ?? 10));
		const first = heedsPage ? Number(query.get('page') ?? 0) * size : 0;
		const deployments = entries.slice(first, first + size);
		return { data: { deployments, ...(showsTotal && { total: entries.length }) } };
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const url = new URL(request.url ?? '/', 'http://service');
		const text = Buffer.concat(chunks).toString();
		const call: Call = {
			method: request.method ?? 'GET',
			path: url.pathname,
			query: url.searchParams,
			body: text === '' ? {} : (JSON.parse(text) as Json),
			headers: request.headers,
		};
		this.calls.push(call);
		const { status, body, headers, cut } = await this.gateway(call, this.answer);
		if (cut === 'before') return void request.socket.destroy();
		const content =
			typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
		const date = new Date(this.clock.now() + this.behaviour.clockAhead).toUTCString();
		const length = Buffer.byteLength(content) + (cut === 'amid' ? 100 : 0);
		response.writeHead(status, {
			'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json',
			'Content-Length': String(length),
			Date: date,
			...headers,
		});
		if (cut !== 'amid') return void response.end(content);
		response.write(content, () => request.socket.destroy());
	}

	/** An answer that comes so much later. */
	async later(ms: number, answer: () => Answer): Promise<Answer> {
		this.clock.held++;
		await this.clock.wait(ms);
		this.clock.held--;
		return answer();
	}
}
