import { manualClock } from '../../sandbox/core/clock.mts';
import { ClockedService, type Json, type Request, type Said } from '../clockedService.mts';

export type { Json, Said };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export type ProductKey = 'caas' | 'vmaas';

/** A deployment as it really is: as long as it has not ended, it bills. */
export interface Deployment {
	id: string;
	product: ProductKey;
	name: string;
	/** Whether a deploy of the test has made it; others are of other people. */
	isOwn: boolean;
	hours: number;
	replicas: number;
	settings: Json;
	madeAt: number;
	/** When it was told to end. */
	endsAt?: number;
	/** In place of the one that follows from the times. */
	status?: string;
	/** How many updates were made. */
	updates: number;
}

export interface Call extends Request {
	product: ProductKey;
}

/** Both products of the contract. A test changes what is left open in it. */
export class Service extends ClockedService<Call> {
	readonly clock = manualClock('2026-08-03T10:00:00.000Z');
	readonly all: Deployment[] = [];
	/** How many deployments one deploy makes: a proxy sends it again. */
	copies = 1;
	/** Which of them the answer names. */
	named: 'first' | 'last' = 'last';
	/** So many milliseconds after it was made, neither list nor details show a deployment. */
	lagMs = 0;
	/** The list as it is shown, of the entries as they are. */
	list: (entries: Json[], call: Call) => unknown = (entries, call) => paged(entries, call, true);
	/** Details as they are shown. */
	details: (one: Deployment, shown: Json) => Json | undefined = (_, shown) => shown;
	/** What the service does with an update. */
	update = (one: Deployment, body: Json): void => {
		one.updates++;
		Object.assign(one.settings, body);
	};
	workers: (one: Deployment) => Json[] = () => [];
	get own(): Deployment[] {
		return this.all.filter(({ isOwn }) => isOwn);
	}

	/** Those that have not ended. */
	get billing(): Deployment[] {
		return this.all.filter((one) => this.statusOf(one) !== 'destroyed');
	}

	sent(method: string, path = /./): Call[] {
		return this.calls.filter((call) => call.method === method && path.test(call.path));
	}

	add(name: string, more: Partial<Deployment> = {}): Deployment {
		const one: Deployment = {
			id: `d${100 + this.all.length * 7}x`,
			product: 'caas',
			name,
			isOwn: false,
			hours: 4,
			replicas: 1,
			settings: { image_url: 'registry.example/web:1', traffic_port: 8080 },
			madeAt: this.clock.now() - HOUR,
			updates: 0,
			...more,
		};
		this.all.push(one);
		return one;
	}

	statusOf({ status, madeAt, endsAt }: Deployment): string {
		if (status !== undefined) return status;
		const now = this.clock.now();
		if (endsAt !== undefined)
			return now < endsAt + 10 * SECOND ? 'termination requested' : 'destroyed';
		return now < madeAt + 20 * SECOND ? 'deployment requested' : 'running';
	}

	protected callOf(
		pathname: string,
		request: Pick<Call, 'method' | 'query' | 'body'>,
	): Omit<Call, 'nth'> {
		const [, product = '', path = ''] = /-cloud\/(caas|vmaas)(\/.*)$/.exec(pathname) ?? [];
		return { ...request, product: product as ProductKey, path };
	}

	protected answer(call: Call): Said {
		const { method, product, path, body, query } = call;
		if (path === '/hardware') {
			const offer = { deploy_id: 7, name: 'GPU', num_cards: 1, price: 2, location: 'us' };
			return { body: { data: { hardware: [{ id: '7__us', ...offer }] } } };
		}
		if (path === '/price') {
			const count = Number(query.get('replica_count'));
			const total_cost_usdc = 2 * count * Number(query.get('duration_hours'));
			const size = { gpus_per_vm: 1, gpus_per_container: 1 };
			return { body: { data: { replica_count: count, ...size, total_cost_usdc } } };
		}
		if (path === '/deployments') {
			const shown = this.all.filter((one) => one.product === product && this.isShown(one));
			return {
				body: this.list(
					shown.map((one) => this.entryOf(one)),
					call,
				),
			};
		}
		if (path === '/deploy') {
			const made = Array.from({ length: this.copies }, () => this.made(call));
			const deployment_id = made.at(this.named === 'first' ? 0 : -1)?.id;
			return { body: { status: 'deployment requested', deployment_id } };
		}
		const [, id, what = ''] = /^\/deployment\/([^/]+)(.*)$/.exec(path) ?? [];
		const one = this.all.find((other) => other.id === id && other.product === product);
		const shown = one && this.isShown(one) ? this.details(one, this.detailsOf(one)) : undefined;
		if (!one || (!shown && method === 'GET'))
			return { status: 404, body: { detail: 'no such deployment' } };
		if (what === '/vms' || what === '/containers')
			return { body: { data: { total: this.workers(one).length, workers: this.workers(one) } } };
		if (what === '/extend') {
			one.hours += Number(body.duration_hours);
			return { body: { data: this.detailsOf(one) } };
		}
		if (method === 'DELETE') one.endsAt ??= this.clock.now();
		if (method === 'PATCH') this.update(one, body);
		if (method !== 'GET') return { body: { status: 'ok', deployment_id: id } };
		return { body: { data: shown } };
	}

	private made({ product, body }: Call): Deployment {
		const { container_config: program = {}, registry_config: registry = {} } = body;
		return this.add(String(body.resource_private_name), {
			product,
			isOwn: true,
			hours: Number(body.duration_hours),
			replicas: Number((program as Json).replica_count ?? 1),
			settings: { ...(program as Json), ...(registry as Json) },
			madeAt: this.clock.now(),
		});
	}

	private isShown({ madeAt }: Deployment): boolean {
		return this.clock.now() >= madeAt + this.lagMs;
	}

	private shown(one: Deployment): Json {
		const served = Math.floor((this.clock.now() - one.madeAt) / MINUTE);
		return {
			id: one.id,
			status: this.statusOf(one),
			compute_minutes_served: served,
			compute_minutes_remaining: one.hours * 60 - served,
		};
	}

	private entryOf(one: Deployment): Json {
		return { ...this.shown(one), name: one.name, hardware_quantity: one.replicas };
	}

	private detailsOf(one: Deployment): Json {
		const [each, total] =
			one.product === 'caas'
				? ['gpus_per_container', 'total_containers']
				: ['gpus_per_vm', 'total_vms'];
		return {
			...this.shown(one),
			created_at: new Date(one.madeAt).toISOString(),
			amount_paid: 2 * one.hours * one.replicas,
			total_gpus: one.replicas,
			[each]: 1,
			[total]: one.replicas,
			hardware_id: 7,
			locations: [{ id: 3, iso2: 'US', name: 'US' }],
			...(one.product === 'caas' && { container_config: { ...one.settings } }),
		};
	}
}

/** A page of a list, with or without its total. */
export function paged(entries: Json[], { query }: Call, hasTotal: boolean): Json {
	const size = Number(query.get('page_size') ?? 10);
	const from = Number(query.get('page') ?? 0) * size;
	const deployments = entries.slice(from, from + size);
	return { data: { deployments, ...(hasTotal && { total: entries.length }) } };
}
