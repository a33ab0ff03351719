import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestService } from '../../engine/server.mts';
import { manualClock, waitOn } from '../../sandbox/core/clock.mts';

export type Json = Record<string, unknown>;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export interface Call {
	product: 'vmaas' | 'caas';
	method: string;
	/** Below the product. */
	path: string;
	query: URLSearchParams;
	body: Json;
	/** What asked for it: `list`, `details`, `deploy`, `extend`, `destroy`, `price`, `hardware`. */
	what: string;
	/** Of its deployment. */
	id?: string;
}

export interface Answer {
	status?: number;
	/** JSON, or the text or bytes that are sent. */
	body?: unknown;
	headers?: Record<string, string>;
	/** The connection is cut in place of an answer. */
	isCut?: boolean;
	/** Milliseconds until the answer is sent. */
	lateMs?: number;
}

/** What the account has, whatever is shown of it. */
export interface Rental {
	id: string;
	product: Call['product'];
	name: string;
	status?: string;
	beganAt: number;
	hours: number;
	workers: number;
	gpus: number;
	hardwareId: unknown;
	paid: number;
	/** When its destruction was taken. */
	endedAt?: number;
	/** Requests to destroy it. */
	asked: number;
	/** Reads show it from then on. */
	shownAt: number;
	isOrdered: boolean;
}

/** A marketplace as `compute-api.md` and `beyond-the-spec.md` have it; a test changes what they leave open. */
export class Service extends TestService {
	readonly clock = manualClock('2026-10-05T06:00:00.000Z');
	readonly rentals: Rental[] = [];
	readonly calls: Call[] = [];
	/** Requests that wait for the clock. */
	held = 0;
	hourlyPrice = 2;
	offers: Json[] = [
		{ id: '7__NL', deploy_id: 7, name: 'L4', num_cards: 1, price: 2, location: 'NL', vcpu: 8 },
	];
	/** Reads show a deployment so much later. */
	lagMs = 0;
	/** Times go into reads as this writes them. */
	writeTime: (ms: number) => unknown = (ms) => new Date(ms).toISOString();
	nextId = (n: number): string => `c0ffee00-0000-4000-8000-${String(n).padStart(12, '0')}`;
	/** In place of what the service does. */
	instead: (call: Call) => Answer | undefined = () => undefined;
	/** After it has done it. */
	then: (call: Call, answer: Answer) => Answer = (_, answer) => answer;

	get bought(): Rental[] {
		return this.rentals.filter(({ isOrdered }) => isOrdered);
	}

	sent(what: string): Call[] {
		return this.calls.filter((call) => call.what === what);
	}

	add(name: string, more: Partial<Rental> = {}): Rental {
		const now = this.clock.now();
		const rental: Rental = {
			id: this.nextId(this.rentals.length + 1),
			product: 'vmaas',
			name,
			beganAt: now - HOUR,
			hours: 24,
			workers: 1,
			gpus: 1,
			hardwareId: 7,
			paid: 48,
			asked: 0,
			shownAt: now,
			isOrdered: false,
			...more,
		};
		this.rentals.push(rental);
		return rental;
	}

	statusOf({ status, beganAt, hours, endedAt }: Rental): string {
		const now = this.clock.now();
		if (endedAt !== undefined)
			return now < endedAt + 10 * SECOND ? 'termination requested' : 'destroyed';
		if (status !== undefined) return status;
		if (now >= beganAt + hours * HOUR) return 'completed';
		return now < beganAt + 15 * SECOND ? 'deployment requested' : 'running';
	}

	entryOf(rental: Rental): Json {
		const { id, name, gpus, workers } = rental;
		const quantity = { hardware_quantity: gpus * workers, hardware_name: 'L4' };
		return { id, name, status: this.statusOf(rental), ...quantity, ...this.minutesOf(rental) };
	}

	detailsOf(rental: Rental): Json {
		const { id, product, beganAt, workers, gpus, hardwareId, paid } = rental;
		const [gpusKey, workersKey] =
			product === 'vmaas'
				? ['gpus_per_vm', 'total_vms']
				: ['gpus_per_container', 'total_containers'];
		return {
			id,
			status: this.statusOf(rental),
			created_at: this.writeTime(beganAt),
			started_at: this.writeTime(beganAt),
			finished_at: null,
			amount_paid: paid,
			total_gpus: gpus * workers,
			[gpusKey]: gpus,
			[workersKey]: workers,
			hardware_id: hardwareId,
			hardware_name: 'L4',
			locations: [{ id: product === 'vmaas' ? 'NL' : 3, iso2: 'NL', name: 'Netherlands' }],
			...this.minutesOf(rental),
		};
	}

	protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const call = callOf(request, Buffer.concat(chunks).toString());
		this.calls.push(call);
		const answer = this.instead(call) ?? this.then(call, this.answerTo(call));
		if (answer.lateMs !== undefined) {
			this.held++;
			await waitOn(this.clock, answer.lateMs, new AbortController().signal);
			this.held--;
		}
		if (answer.isCut === true) return void request.socket.resetAndDestroy();
		const { status = 200, body = '' } = answer;
		response.sendDate = false;
		const date = new Date(this.clock.now()).toUTCString();
		response.writeHead(status, { date, 'content-type': 'application/json', ...answer.headers });
		response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
	}

	private answerTo(call: Call): Answer {
		if (call.what === 'hardware') return { body: { data: { hardware: this.offers } } };
		if (call.what === 'price') return this.price(call);
		if (call.what === 'list') return this.list(call);
		if (call.what === 'deploy') return this.deploy(call);
		const now = this.clock.now();
		const rental = this.rentals.find(
			({ id, product }) => id === call.id?.toLowerCase() && product === call.product,
		);
		if (!rental) return { status: 404, body: { detail: 'Deployment not found' } };
		if (call.what === 'destroy') {
			rental.asked++;
			if (this.statusOf(rental) !== 'completed') rental.endedAt ??= now;
			return { body: { status: 'success', deployment_id: rental.id } };
		}
		if (call.what === 'extend') {
			const hours = Number(call.body.duration_hours);
			rental.hours += hours;
			rental.paid += hours * this.hourlyPrice * rental.workers * rental.gpus;
			return { body: { data: this.detailsOf(rental) } };
		}
		if (call.what !== 'details' || now < rental.shownAt)
			return { status: 404, body: { detail: 'Deployment not found' } };
		return { body: { data: this.detailsOf(rental) } };
	}

	private price({ query }: Call): Answer {
		const [replicas, gpus, hours] = ['replica_count', 'gpus_per_vm', 'duration_hours'].map((key) =>
			Number(query.get(key) ?? 1),
		) as [number, number, number];
		const total_cost_usdc = replicas * gpus * hours * this.hourlyPrice;
		return { body: { data: { replica_count: replicas, gpus_per_vm: gpus, total_cost_usdc } } };
	}

	private list({ product, query }: Call): Answer {
		const now = this.clock.now();
		const all = this.rentals.filter((one) => one.product === product && now >= one.shownAt);
		const size = Number(query.get('page_size') ?? 10);
		const from = Number(query.get('page') ?? 0) * size;
		const deployments = all.slice(from, from + size).map((one) => this.entryOf(one));
		return { body: { data: { deployments, total: all.length, statuses: [] } } };
	}

	private deploy({ product, body }: Call): Answer {
		const now = this.clock.now();
		const container = (body.container_config ?? {}) as Json;
		const workers = Number(body.vms_qty ?? container.replica_count ?? 1);
		const gpus = Number(body.gpus_per_vm ?? body.gpus_per_container ?? 1);
		const hours = Number(body.duration_hours);
		const paid = workers * gpus * hours * this.hourlyPrice;
		const { id } = this.add(String(body.resource_private_name), {
			...{ product, workers, gpus, hours, paid, hardwareId: body.hardware_id },
			...{ beganAt: now, shownAt: now + this.lagMs, isOrdered: true },
		});
		return { body: { status: 'success', deployment_id: id } };
	}

	private minutesOf({ beganAt, hours, endedAt }: Rental): Json {
		const served = Math.floor(((endedAt ?? this.clock.now()) - beganAt) / MINUTE);
		return { compute_minutes_served: served, compute_minutes_remaining: hours * 60 - served };
	}
}

function callOf(request: IncomingMessage, text: string): Call {
	const method = request.method ?? '';
	const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://service');
	const [, product = '', path = ''] = /-cloud\/(vmaas|caas)(.*)$/.exec(pathname) ?? [];
	const [, id, rest = ''] = /^\/deployment\/([^/]+)(.*)$/.exec(path) ?? [];
	const body = JSON.parse(text || '{}') as Json;
	const named = path === '/deployments' ? 'list' : path.slice(1);
	const ofOne = method === 'DELETE' ? 'destroy' : rest.slice(1) || 'details';
	const what = id === undefined ? named : ofOne;
	return { product: product as Call['product'], method, path, query, body, what, id };
}
