import { manualClock } from '../../sandbox/core/clock.mts';
import { ClockedService, type Json, type Request, type Said } from '../clockedService.mts';

export type { Json, Request, Said };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** A deployment as it is, whatever is shown of it. */
export interface Machine {
	id: string;
	name: string;
	/** Whether a deploy of the test has made it. */
	isOrdered: boolean;
	madeAt: number;
	hours: number;
	/** When it was extended, and by how much. */
	extensions: Array<{ at: number; hours: number }>;
	/** When the service took a request to end it. */
	toldAt?: number;
	/** When each request to end it came, taken or not. */
	askedAt: number[];
	/** In place of the status that follows from the times. */
	status?: string;
	/** What the list shows in place of its name; null shows none. */
	listedAs?: string | null;
	/** So many milliseconds after it was made, the list shows it. */
	listedAfterMs: number;
}

const PRICE = 3;

/** VMs as `compute-api.md` and `beyond-the-spec.md` have them: details show no name. A test changes what they leave open. */
export class Market extends ClockedService<Request> {
	readonly clock = manualClock('2026-09-14T08:00:00.000Z');
	readonly machines: Machine[] = [];
	/** What each deploy makes besides, as where a proxy sends it again. */
	twins: Array<Partial<Machine>> = [];
	bootMs = 20 * SECOND;
	/** So long a deployment takes to end. */
	endMs = 10 * SECOND;
	mostPerPage = 100;
	/** Whether the list shows those that have ended. */
	listsEnded = true;
	/** So much later what list and details show has an extension. */
	extendedAfterMs = 0;
	/** By how much its own clock is behind. */
	behindMs = 0;
	detail: (machine: Machine, shown: Json) => Json | undefined = (_, shown) => shown;
	entry: (machine: Machine, shown: Json) => Json | undefined = (_, shown) => shown;
	/** What a request to end one is answered with; undefined takes it. */
	refuse: (machine: Machine) => Said | undefined = () => undefined;
	/** Where the VM of the first that was ordered answers, and that of all others: the job is on one of them alone. */
	addresses: () => string[] = () => [];
	/** A total for one hour. */
	total: () => unknown = () => PRICE;

	get ordered(): Machine[] {
		return this.machines.filter(({ isOrdered }) => isOrdered);
	}

	/** Those ordered ones that nobody has told to end. */
	get billing(): Machine[] {
		return this.ordered.filter((one) => !hasEnded(this.statusOf(one)) && one.toldAt === undefined);
	}

	add(name: string, more: Partial<Machine> = {}): Machine {
		const machine: Machine = {
			id: `vm-cluster-${this.machines.length + 31}`,
			name,
			isOrdered: false,
			madeAt: this.clock.now() - HOUR,
			hours: 2,
			extensions: [],
			askedAt: [],
			listedAfterMs: 0,
			...more,
		};
		this.machines.push(machine);
		return machine;
	}

	statusOf({ status, madeAt, toldAt, hours }: Machine): string {
		if (status !== undefined) return status;
		const now = this.clock.now();
		if (toldAt !== undefined)
			return now < toldAt + this.endMs ? 'termination requested' : 'destroyed';
		if (now >= madeAt + hours * HOUR) return 'completed';
		return now < madeAt + this.bootMs ? 'deployment requested' : 'running';
	}

	protected callOf(pathname: string, request: Omit<Request, 'path' | 'nth'>): Omit<Request, 'nth'> {
		return { ...request, path: pathname.replace(/^.*-cloud\/vmaas/, '') };
	}

	protected answer(call: Request): Said {
		const said = this.said(call);
		const date = new Date(this.clock.now() - this.behindMs).toUTCString();
		return { ...said, headers: { date, ...said.headers } };
	}

	private said(call: Request): Said {
		const { method, path, body, query } = call;
		if (path === '/hardware') return { body: { data: { hardware: OFFERS } } };
		if (path === '/price') {
			const hours = Number(query.get('duration_hours'));
			const total = this.total();
			const total_cost_usdc =
				typeof total === 'number' ? total * hours : String(Number(total) * hours);
			return { body: { data: { replica_count: 1, gpus_per_vm: 1, total_cost_usdc } } };
		}
		if (path === '/deployments') return this.page(call);
		if (path === '/deploy') {
			const order = {
				isOrdered: true,
				madeAt: this.clock.now(),
				hours: Number(body.duration_hours),
			};
			const name = String(body.resource_private_name);
			const { id } = this.add(name, order);
			for (const twin of this.twins) this.add(name, { ...order, ...twin });
			return { body: { status: 'deployment requested', deployment_id: id } };
		}
		const [, id, what] = /^\/deployment\/([^/]+)(.*)$/.exec(path) ?? [];
		const machine = this.machines.find((one) => one.id === id?.toLowerCase());
		if (!machine) return NOT_FOUND;
		if (method === 'DELETE') return this.end(machine);
		if (what === '/vms') return { body: { data: this.workersOf(machine) } };
		if (what === '/extend') {
			const hours = Number(body.duration_hours);
			machine.hours += hours;
			machine.extensions.push({ at: this.clock.now(), hours });
		}
		const detail = this.detail(machine, this.detailOf(machine));
		return detail ? { body: { data: detail } } : NOT_FOUND;
	}

	private end(machine: Machine): Said {
		machine.askedAt.push(this.clock.now());
		const refusal = this.refuse(machine);
		if (refusal) return refusal;
		machine.toldAt ??= this.clock.now();
		return { body: { status: 'termination requested', deployment_id: machine.id } };
	}

	/** Pages are counted from 0. */
	private page({ query }: Request): Said {
		const size = Number(query.get('page_size') ?? 10);
		if (size > this.mostPerPage)
			return { status: 422, body: { detail: [{ loc: ['query', 'page_size'], msg: 'too large' }] } };
		const all = this.machines.flatMap((one) => {
			const isLate = this.clock.now() < one.madeAt + one.listedAfterMs;
			const isGone = !this.listsEnded && hasEnded(this.statusOf(one));
			return isLate || isGone ? [] : (this.entry(one, this.entryOf(one)) ?? []);
		});
		const from = Number(query.get('page') ?? 0) * size;
		const deployments = all.slice(from, from + size);
		return { body: { data: { deployments, total: all.length } } };
	}

	private workersOf(machine: Machine): Json {
		const isUp = this.statusOf(machine) === 'running';
		const ssh_access = this.addresses()[machine === this.ordered[0] ? 0 : 1];
		const workers = isUp ? [{ vm_id: `${machine.id}-0`, status: 'running', ssh_access }] : [];
		return { total: workers.length, workers };
	}

	/** As they are shown. */
	private hoursOf({ hours, extensions }: Machine): number {
		const isLate = ({ at }: { at: number }) => this.clock.now() < at + this.extendedAfterMs;
		return extensions.filter(isLate).reduce((sum, one) => sum - one.hours, hours);
	}

	private minutesOf(machine: Machine): Json {
		const { madeAt } = machine;
		const hours = this.hoursOf(machine);
		const served = Math.floor((this.clock.now() - madeAt) / MINUTE);
		return { compute_minutes_served: served, compute_minutes_remaining: hours * 60 - served };
	}

	private entryOf(machine: Machine): Json {
		const { id, name, listedAs = name } = machine;
		const status = this.statusOf(machine);
		return { id, name: listedAs, status, hardware_quantity: 1, ...this.minutesOf(machine) };
	}

	private detailOf(machine: Machine): Json {
		const { id, madeAt } = machine;
		return {
			id,
			status: this.statusOf(machine),
			created_at: new Date(madeAt - this.behindMs).toISOString(),
			amount_paid: PRICE * this.hoursOf(machine),
			total_gpus: 1,
			gpus_per_vm: 1,
			total_vms: 1,
			hardware_id: 5,
			locations: [{ id: 1, iso2: 'FI', name: 'Finland' }],
			...this.minutesOf(machine),
		};
	}
}

const OFFERS = [
	{ id: '5__FI', deploy_id: 5, name: 'RTX', num_cards: 1, price: PRICE, location: 'FI' },
];

const NOT_FOUND: Said = { status: 404, body: { detail: 'Deployment not found' } };

function hasEnded(status: string): boolean {
	return ['completed', 'failed', 'destroyed'].includes(status);
}
