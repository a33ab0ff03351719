import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { manualClock, waitOn } from '../../sandbox/core/clock.mts';

export const HOUR = 3_600_000;
export const MINUTE = 60_000;

/** What the service has really done: its bills are made of this. */
export interface Machine {
	id: string;
	key: string;
	product: string;
	name: string;
	hardware: string | number;
	gpus: number;
	workers: number;
	hours: number;
	paid: number;
	boughtAt: number;
	startedAt: number;
	status: string;
	endedAt?: number;
}

export interface Call {
	method: string;
	product: string;
	/** Behind the product. */
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
	headers?: Record<string, string>;
	/** So much later, on the clock of the service. */
	afterMs?: number;
	/** These bytes in place of an answer of HTTP, and then the end of the connection. */
	raw?: string | Buffer;
	/** The connection is reset after them, or at once. */
	reset?: boolean;
}

type Row = Record<string, unknown>;

/** A service of the contract, on loopback, with a clock that a test moves. The hooks make the worlds. */
export class Service {
	readonly clock = manualClock('2026-03-01T08:00:00.000Z');
	readonly machines: Machine[] = [];
	readonly calls: Call[] = [];
	/** Requests that are held until the clock moves. */
	held = 0;
	url = '';
	pricePerHour = 1;
	offers: Row[] = [
		{ id: '7__us', deploy_id: 7, name: 'GPU A', num_cards: 1, price: 1, location: 'us' },
	];
	/** How far the clock of the service is ahead. */
	skewMs = 0;
	/** In place of the service, which then does nothing. */
	instead: (call: Call) => Said | undefined = () => undefined;
	/** The answer to what was done. */
	answered: (call: Call, said: Said) => Said = (_, said) => said;
	/** An entry of the list; undefined where it does not show. */
	listed: (machine: Machine, entry: Row) => Row | undefined = (_, entry) => entry;
	/** Details; undefined where they do not show. */
	detailed: (machine: Machine, details: Row) => Row | undefined = (_, details) => details;
	/** What a page of the list is. */
	paged: (entries: Row[], call: Call) => Row = (entries, { query }) => {
		const [page, size] = [Number(query.get('page') ?? 0), Number(query.get('page_size') ?? 10)];
		return { deployments: entries.slice(page * size, (page + 1) * size), total: entries.length };
	};
	/** What a machine is called, and with which ID. */
	named = (name: string) => name;
	idOf = (count: number) => `dep-${count}`;
	/** The answer to a deploy. */
	deployed: (machine: Machine) => unknown = ({ id }) => ({
		status: 'deployment requested',
		deployment_id: id,
	});
	vms: (machine: Machine) => Row[] = () => [];
	/** How long a machine takes to start and to end. */
	startMs = 30_000;
	endMs = 8_000;
	private readonly server = createServer((request, response) => void this.serve(request, response));

	async open(): Promise<this> {
		await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
		this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
		return this;
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}

	get bills(): Machine[] {
		return this.machines.filter((one) => this.statusOf(one) !== 'destroyed');
	}

	sent(method: string, path = /./): Call[] {
		return this.calls.filter((call) => call.method === method && path.test(call.path));
	}

	/** The machine that was made as the first, second … one. */
	made(count: number): Machine {
		const machine = this.machines.at(count - 1);
		if (!machine) throw new Error(`There is no machine ${count}`);
		return machine;
	}

	add(changes: Partial<Machine> = {}): Machine {
		const at = this.clock.now() - HOUR;
		const machine: Machine = {
			id: this.idOf(this.machines.length + 1),
			key: 'key-of-account-1',
			product: 'vmaas',
			name: 'job',
			hardware: 7,
			gpus: 1,
			workers: 1,
			hours: 5,
			paid: 5 * this.pricePerHour,
			boughtAt: at,
			startedAt: at,
			status: '',
			...changes,
		};
		this.machines.push(machine);
		return machine;
	}

	statusOf({ status, boughtAt, startedAt, endedAt }: Machine): string {
		const now = this.clock.now();
		if (status !== '') return status;
		if (endedAt !== undefined)
			return now >= endedAt + this.endMs ? 'destroyed' : 'termination requested';
		return now >= Math.max(startedAt, boughtAt) ? 'running' : 'deployment requested';
	}

	/** As its list and its details show it. */
	detailsOf(machine: Machine): Row {
		const { id, gpus, workers, hours, paid, startedAt, boughtAt, hardware } = machine;
		const now = this.clock.now();
		const served = Math.max(0, Math.floor(((machine.endedAt ?? now) - startedAt) / MINUTE));
		const iso = (ms: number) => new Date(ms + this.skewMs).toISOString();
		return {
			id,
			status: this.statusOf(machine),
			created_at: iso(boughtAt),
			started_at: now >= startedAt ? iso(startedAt) : null,
			finished_at: machine.endedAt === undefined ? null : iso(machine.endedAt),
			amount_paid: paid,
			total_gpus: gpus * workers,
			[machine.product === 'vmaas' ? 'gpus_per_vm' : 'gpus_per_container']: gpus,
			[machine.product === 'vmaas' ? 'total_vms' : 'total_containers']: workers,
			hardware_id: hardware,
			locations: [{ id: 1, iso2: 'us', name: 'us' }],
			compute_minutes_served: served,
			compute_minutes_remaining: hours * 60 - served,
		};
	}

	entryOf(machine: Machine): Row {
		const details = this.detailsOf(machine);
		return {
			id: machine.id,
			status: details.status,
			name: machine.name,
			completed_percent: 0,
			hardware_quantity: machine.gpus * machine.workers,
			compute_minutes_served: details.compute_minutes_served,
			compute_minutes_remaining: details.compute_minutes_remaining,
		};
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const { pathname, searchParams: query } = new URL(request.url ?? '', this.url);
		const [, product = '', path = ''] =
			/^\/enterprise\/v1\/svc-cloud\/(vmaas|caas)(\/.*)$/.exec(pathname) ?? [];
		const text = Buffer.concat(chunks).toString();
		const body = (text === '' ? {} : JSON.parse(text)) as Row;
		const { method = '', headers } = request;
		const key = String(headers['x-api-key']);
		const call: Call = { method, product, path, query, key, body, at: this.clock.now() };
		this.calls.push(call);
		const said = this.instead(call) ?? this.answered(call, this.answer(call));
		if (said.afterMs !== undefined) {
			this.held++;
			await waitOn(this.clock, said.afterMs, new AbortController().signal);
			this.held--;
		}
		const socket: Socket = request.socket;
		if (said.raw !== undefined) socket.write(said.raw);
		if (said.reset === true) {
			// What was written must leave first
			if (said.raw === undefined) return void socket.resetAndDestroy();
			return void setTimeout(() => socket.resetAndDestroy(), 3);
		}
		if (said.raw !== undefined) return void socket.end();
		response.sendDate = false;
		response.writeHead(said.status ?? 200, {
			date: new Date(this.clock.now() + this.skewMs).toUTCString(),
			'content-type': said.text === undefined ? 'application/json' : 'text/plain',
			...said.headers,
		});
		response.end(said.text ?? (said.json === undefined ? '' : JSON.stringify(said.json)));
	}

	private answer(call: Call): Said {
		const { method, path, product, key, body } = call;
		const mine = this.machines.filter((one) => one.product === product && one.key === key);
		if (path === '/hardware') return { json: { data: { hardware: this.offers } } };
		if (path === '/price') return this.price(call);
		if (path === '/deployments') {
			const entries = mine
				.map((machine) => this.listed(machine, this.entryOf(machine)))
				.filter((entry) => entry !== undefined);
			return { json: { data: this.paged(entries, call) } };
		}
		if (path === '/deploy') return this.deploy(call);
		const [, id, what = ''] = /^\/deployment\/([^/]+)(\/.*)?$/.exec(path) ?? [];
		const machine = mine.find((one) => one.id === id);
		if (!machine) return { status: 404, json: { detail: 'deployment not found' } };
		const details = this.detailed(machine, this.detailsOf(machine));
		if (what === '/extend') {
			machine.hours += Number(body.duration_hours);
			machine.paid += Number(body.duration_hours) * this.pricePerHour;
			return { json: { data: this.detailsOf(machine) } };
		}
		if (method === 'DELETE') {
			machine.endedAt ??= this.clock.now();
			return { json: { status: 'ok', deployment_id: id } };
		}
		if (!details) return { status: 404, json: { detail: 'deployment not found' } };
		if (what === '/vms') return { json: { data: { total: 1, workers: this.vms(machine) } } };
		return { json: { data: details } };
	}

	private price({ query }: Call): Said {
		const [hours, replicas, gpus] = ['duration_hours', 'replica_count', 'gpus_per_vm'].map((name) =>
			Number(query.get(name) ?? 1),
		);
		const total_cost_usdc = Number(hours) * Number(replicas) * this.pricePerHour;
		return { json: { data: { replica_count: replicas, gpus_per_vm: gpus, total_cost_usdc } } };
	}

	private deploy({ body, key, product }: Call): Said {
		const now = this.clock.now();
		const container = (body.container_config ?? {}) as Row;
		const machine = this.add({
			key,
			product,
			name: this.named(String(body.resource_private_name)),
			hardware: body.hardware_id as string | number,
			gpus: Number(body.gpus_per_vm ?? body.gpus_per_container ?? 1),
			workers: Number(body.vms_qty ?? container.replica_count ?? 1),
			hours: Number(body.duration_hours),
			paid: Number(body.duration_hours) * this.pricePerHour,
			boughtAt: now,
			startedAt: now + this.startMs,
		});
		return { json: this.deployed(machine) };
	}
}
