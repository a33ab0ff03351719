import { manualClock } from '../../sandbox/core/clock.mts';
import { ClockedService, type Json, type Request, type Said } from '../clockedService.mts';

export type { Json, Said };

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** A deployment as it really is: as long as it is not over, it bills. */
export interface Vm {
	id: string;
	name: string;
	/** Whether a deploy of the test has made it; others are of other people. */
	isOwn: boolean;
	hours: number;
	madeAt: number;
	/** When it was told to end. */
	endsAt?: number;
	status?: string;
}

export type Call = Request;

/** The VMaaS part of the contract. A test changes what is left open in it. */
export class Service extends ClockedService<Call> {
	readonly clock = manualClock('2026-05-04T10:00:00.000Z');
	readonly all: Vm[] = [];
	/** How many deployments one deploy makes: a proxy sends it again. */
	copies = 1;
	/** The list as it is shown, of the entries as they are. */
	list: (entries: Json[], call: Call) => unknown = (deployments, { query }) => {
		const size = Number(query.get('page_size') ?? 10);
		const from = Number(query.get('page') ?? 0) * size;
		return {
			data: { deployments: deployments.slice(from, from + size), total: deployments.length },
		};
	};
	/** Details as they are shown. */
	details: (vm: Vm, shown: Json) => Json | undefined = (_, shown) => shown;
	/** What the service makes of a name. */
	named = (name: string) => name;
	workers: (vm: Vm) => Json[] = () => [];
	get own(): Vm[] {
		return this.all.filter(({ isOwn }) => isOwn);
	}

	/** Those of the test that have not ended. */
	get billing(): Vm[] {
		return this.own.filter((vm) => this.statusOf(vm) !== 'destroyed');
	}

	count(method: string, path = /./): number {
		return this.calls.filter((call) => call.method === method && path.test(call.path)).length;
	}

	add(name: string, more: Partial<Vm> = {}): Vm {
		const id = `vm${100 + this.all.length * 7}x`;
		const madeAt = this.clock.now() - HOUR;
		const vm = { id, name, isOwn: false, hours: 4, madeAt, ...more };
		this.all.push(vm);
		return vm;
	}

	statusOf({ status, madeAt, endsAt }: Vm): string {
		if (status !== undefined) return status;
		const now = this.clock.now();
		if (endsAt !== undefined) return now < endsAt + 10_000 ? 'termination requested' : 'destroyed';
		return now < madeAt + 20_000 ? 'deployment requested' : 'running';
	}

	private shown(vm: Vm): Json {
		const served = Math.floor((this.clock.now() - vm.madeAt) / MINUTE);
		return {
			id: vm.id,
			status: this.statusOf(vm),
			compute_minutes_served: served,
			compute_minutes_remaining: vm.hours * 60 - served,
		};
	}

	protected callOf(
		pathname: string,
		request: Pick<Call, 'method' | 'query' | 'body'>,
	): Omit<Call, 'nth'> {
		return { ...request, path: pathname.replace('/enterprise/v1/svc-cloud/vmaas', '') };
	}

	protected answer(call: Call): Said {
		const { method, path, query, body } = call;
		if (path === '/hardware') {
			const offer = { deploy_id: 7, name: 'GPU', num_cards: 1, price: 2, location: 'us' };
			return { body: { data: { hardware: [{ id: '7__us', ...offer }] } } };
		}
		if (path === '/price') {
			const total_cost_usdc = 2 * Number(query.get('duration_hours'));
			return { body: { data: { replica_count: 1, gpus_per_vm: 1, total_cost_usdc } } };
		}
		if (path === '/deployments') {
			const entries = this.all.map((vm) => ({
				...this.shown(vm),
				name: vm.name,
				hardware_quantity: 1,
			}));
			return { body: this.list(entries, call) };
		}
		if (path === '/deploy') {
			const made = Array.from({ length: this.copies }, () =>
				this.add(this.named(String(body.resource_private_name)), {
					isOwn: true,
					hours: Number(body.duration_hours),
					madeAt: this.clock.now(),
				}),
			);
			return { body: { status: 'deployment requested', deployment_id: made.at(-1)?.id } };
		}
		const [, id, what = ''] = /^\/deployment\/([^/]+)(.*)$/.exec(path) ?? [];
		const vm = this.all.find((one) => one.id === id);
		const shown = vm && this.details(vm, this.detailsOf(vm));
		if (!vm || (!shown && method === 'GET')) return { status: 404, body: { detail: 'not found' } };
		if (what === '/vms') return { body: { data: { total: 1, workers: this.workers(vm) } } };
		if (method === 'DELETE') {
			vm.endsAt ??= this.clock.now();
			return { body: { status: 'ok', deployment_id: id } };
		}
		return { body: { data: shown } };
	}

	private detailsOf(vm: Vm): Json {
		return {
			...this.shown(vm),
			created_at: new Date(vm.madeAt).toISOString(),
			amount_paid: 2 * vm.hours,
			total_gpus: 1,
			gpus_per_vm: 1,
			total_vms: 1,
			hardware_id: 7,
		};
	}
}
