import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Clock } from '../money/clock.mts';

export const HOUR = 3_600_000;

/** A deployment in the books. */
export interface Machine {
	id: string;
	account: string;
	product: string;
	name: string;
	hardware: number | string;
	hours: number;
	gpus: number;
	workers: number;
	boughtAt: number;
	startedAt: number;
	status: string;
	endedAt?: number;
	/** From when on, and until when, neither list nor details show it. */
	hiddenFrom?: number;
	hiddenUntil?: number;
	paid: number;
}

export interface Call {
	method: string;
	product: string;
	/** Behind the product: `/deployment/d-1`. */
	path: string;
	query: URLSearchParams;
	key: string;
	body: Record<string, unknown>;
	at: number;
}

export interface Said {
	status?: number;
	json?: unknown;
	text?: string;
	type?: string;
	headers?: Record<string, string>;
	/** Milliseconds until the answer. */
	after?: number;
	/** Whether the connection is cut in place of the answer. */
	cut?: boolean;
}

const json = (value: unknown, status = 200): Said => ({ status, json: value });

/** A service as the contract has it; `before` and `change` make the worlds. */
export class Service {
	readonly clock = new Clock(6);
	readonly machines: Machine[] = [];
	readonly calls: Call[] = [];
	/** Answers in place of the service, which then does nothing. */
	before?: (call: Call) => Said | undefined;
	/** Changes an answer of what was done. */
	change?: (call: Call, said: Said) => Said;
	/** How long lists and details are behind a purchase, in milliseconds. */
	behindMs = 0;
	/** Whether ended ones are listed and have details. */
	showsEnded = true;
	pricePerHour = 1;
	private ids = 0;
	/** A prefix for IDs of its own. */
	idOf = (count: number) => `d-${count}`;
	private server = createServer((request, response) => void this.serve(request, response));
	url = '';

	async open(): Promise<this> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
		return this;
	}

	close(): void {
		this.clock.restore();
		this.server.closeAllConnections();
		this.server.close();
	}

	add(changes: Partial<Machine> = {}): Machine {
		const now = this.clock.now();
		const machine: Machine = {
			id: this.idOf(++this.ids),
			account: 'key-one-a1',
			product: 'vmaas',
			name: 'job',
			hardware: 7,
			hours: 5,
			gpus: 1,
			workers: 1,
			boughtAt: now - HOUR,
			startedAt: now - HOUR,
			status: 'running',
			paid: 5,
			...changes,
		};
		this.machines.push(machine);
		return machine;
	}

	/** Those that bill. */
	get running(): Machine[] {
		return this.machines.filter(({ endedAt }) => endedAt === undefined);
	}

	requests(method: string, path: RegExp): Call[] {
		return this.calls.filter((call) => call.method === method && path.test(call.path));
	}

	end(machine: Machine): void {
		machine.status = 'destroyed';
		machine.endedAt = this.clock.now();
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const url = new URL(request.url ?? '', this.url);
		const [, product = '', path = ''] =
			/^\/enterprise\/v1\/svc-cloud\/(vmaas|caas)(\/.*)$/.exec(url.pathname) ?? [];
		const text = Buffer.concat(chunks).toString();
		const call: Call = {
			method: request.method ?? '',
			product,
			path,
			query: url.searchParams,
			key: String(request.headers['x-api-key']),
			body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
			at: this.clock.now(),
		};
		this.calls.push(call);
		let said = this.before?.(call);
		if (!said) {
			said = this.answer(call);
			said = this.change?.(call, said) ?? said;
		}
		if (said.after !== undefined) {
			this.clock.held++;
			await this.clock.wait(said.after);
			this.clock.held--;
		}
		if (said.cut) return void request.socket.destroy();
		response.writeHead(said.status ?? 200, {
			'content-type': said.type ?? (said.text === undefined ? 'application/json' : 'text/plain'),
			...said.headers,
		});
		response.end(said.text ?? (said.json === undefined ? '' : JSON.stringify(said.json)));
	}

	private answer(call: Call): Said {
		const { method, path, product, key } = call;
		const of = this.machines.filter((one) => one.account === key && one.product === product);
		const visible = of.filter((one) => this.shows(one));
		if (path === '/hardware')
			return json({
				data: {
					hardware: [
						{
							id: '7__us',
							deploy_id: 7,
							name: 'A100',
							num_cards: 1,
							supplier: 'internal',
							price: this.pricePerHour,
							vram_per_card: 80,
							location: 'us',
						},
					],
				},
			});
		if (path === '/price') {
			const hours = Number(call.query.get('duration_hours'));
			const count = Number(call.query.get('replica_count') ?? 1);
			return json({
				data: {
					replica_count: count,
					gpus_per_vm: Number(call.query.get('gpus_per_vm') ?? 1),
					available_replica_count: [9],
					total_cost_usdc: this.pricePerHour * hours * count,
				},
			});
		}
		if (path === '/deployments') {
			const size = Number(call.query.get('page_size') ?? 10);
			const page = Number(call.query.get('page') ?? 0);
			const rows = visible.slice(page * size, page * size + size);
			return json({
				data: { deployments: rows.map((one) => this.entry(one)), total: visible.length },
			});
		}
		if (method === 'POST' && path === '/deploy') {
			const now = this.clock.now();
			const { body } = call;
			const machine = this.add({
				account: key,
				product,
				name: String(body.resource_private_name),
				hours: Number(body.duration_hours),
				boughtAt: now,
				startedAt: now,
				paid: Number(body.duration_hours) * this.pricePerHour,
			});
			return json({ status: 'deployment requested', deployment_id: machine.id });
		}
		const [, id = '', action] = /^\/deployment\/([^/]+)(\/extend)?$/.exec(path) ?? [];
		const machine = of.find((one) => one.id === decodeURIComponent(id));
		if (!machine || (method === 'GET' && !this.shows(machine)))
			return { status: 404, text: 'Not found' };
		if (method === 'DELETE') {
			if (machine.endedAt !== undefined) return { status: 404, text: 'Not found' };
			this.end(machine);
			return json({ status: 'destroyed', deployment_id: machine.id });
		}
		if (action !== undefined) {
			machine.hours += Number(call.body.duration_hours);
			machine.paid += Number(call.body.duration_hours) * this.pricePerHour;
		}
		return json({ data: this.details(machine) });
	}

	shows({ boughtAt, endedAt, hiddenFrom = Infinity, hiddenUntil = Infinity }: Machine): boolean {
		const now = this.clock.now();
		if (now >= hiddenFrom && now < hiddenUntil) return false;
		if (endedAt !== undefined && !this.showsEnded) return false;
		return now >= boughtAt + this.behindMs;
	}

	private minutes({ startedAt, hours, endedAt }: Machine) {
		const served = Math.floor(((endedAt ?? this.clock.now()) - startedAt) / 60_000);
		return {
			compute_minutes_served: served,
			compute_minutes_remaining: Math.max(0, hours * 60 - served),
		};
	}

	entry(one: Machine): Record<string, unknown> {
		return {
			id: one.id,
			status: one.status,
			name: one.name,
			completed_percent: 10,
			hardware_quantity: one.gpus * one.workers,
			brand_name: 'x',
			hardware_name: 'A100',
			...this.minutes(one),
		};
	}

	details(one: Machine): Record<string, unknown> {
		const isVm = one.product === 'vmaas';
		return {
			id: one.id,
			status: one.status,
			created_at: new Date(one.boughtAt).toISOString(),
			started_at: new Date(one.startedAt).toISOString(),
			finished_at: one.endedAt === undefined ? null : new Date(one.endedAt).toISOString(),
			amount_paid: one.paid,
			completed_percent: 10,
			total_gpus: one.gpus * one.workers,
			[isVm ? 'gpus_per_vm' : 'gpus_per_container']: one.gpus,
			[isVm ? 'total_vms' : 'total_containers']: one.workers,
			hardware_name: 'A100',
			hardware_id: one.hardware,
			locations: [{ id: 'us', iso2: 'US', name: 'US' }],
			brand_name: 'x',
			...this.minutes(one),
			ssh_keys: {},
			github_ids: [],
		};
	}
}
