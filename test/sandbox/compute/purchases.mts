import type { Clock } from '../core/clock.mts';
import { stableUuid } from '../core/ids.mts';
import type { HardwareOffer } from './catalogue.mts';
import { Deployment } from './deployment.mts';
import type { Order } from './deployment.mts';
import { toMillionth } from './money.mts';

/** What the service has sold, for assertions; every read is up to date with the clock. */
export interface PurchaseRecords {
	/** Everything bought since the start or the last reset, VMaaS and CaaS, in order. */
	readonly deployments: readonly Deployment[];
	/** Deployments from before the start: the account is not new. */
	readonly seeded: readonly Deployment[];
	find(id: string): Deployment | undefined;
	byName(name: string): Deployment[];
	/** Sums over everything bought. */
	totals(): { charged: number; refunded: number };
}

export interface Timing {
	startupMs: number;
	terminationMs: number;
}

/** The records of all purchases, which the routes write. */
export class Purchases implements PurchaseRecords {
	private bought: Deployment[] = [];
	private before: Deployment[] = [];
	/** When all of them were last settled: until the clock moves, nothing changes by itself. */
	private settledAt?: number;
	/** How often the books were cleared: a process may remember IDs of before, and no deployment has one of them again. */
	private clears = 0;
	/** When details first showed one that runs. */
	shownAt?: number;

	constructor(
		private readonly clock: Clock,
		private readonly timing: Timing,
	) {}

	get deployments(): readonly Deployment[] {
		this.settle();
		return this.bought;
	}

	get seeded(): readonly Deployment[] {
		this.settle();
		return this.before;
	}

	/** Everything of one kind, newest first, as the lists show it. */
	ofKind(kind: Order['kind']): Deployment[] {
		const isOfKind = ({ order }: Deployment) => order.kind === kind;
		return [...this.seeded.filter(isOfKind), ...this.deployments.filter(isOfKind)].reverse();
	}

	find(id: string): Deployment | undefined {
		const hasId = (deployment: Deployment) => deployment.id === id;
		const found = this.bought.find(hasId) ?? this.before.find(hasId);
		found?.settle(this.clock.now());
		return found;
	}

	byName(name: string): Deployment[] {
		return this.deployments.filter((deployment) => deployment.resource_private_name === name);
	}

	totals(): { charged: number; refunded: number } {
		const sum = (amounts: number[]) =>
			toMillionth(amounts.reduce((total, amount) => total + amount, 0));
		return {
			charged: sum(this.bought.map(({ charged }) => charged)),
			refunded: sum(this.deployments.map(({ refunded }) => refunded)),
		};
	}

	/** Records a purchase; from here on it is charged. */
	buy(order: Order): Deployment {
		const { startupMs, terminationMs } = this.timing;
		const deployment = new Deployment(
			this.nextId('deployment', this.bought),
			order,
			this.clock.now(),
			startupMs,
			terminationMs,
		);
		this.bought.push(deployment);
		this.settledAt = undefined;
		return deployment;
	}

	/**
	 * Records a deployment from before the start.
	 * @param id default: a new one
	 */
	seed(order: Order, createdAt: number, id = this.nextId('seeded', this.before)): Deployment {
		const deployment = new Deployment(id, order, createdAt, 0, this.timing.terminationMs);
		this.before.push(deployment);
		this.settledAt = undefined;
		return deployment;
	}

	/** VMs of an offer that are still free. */
	free(offer: HardwareOffer): number {
		if (offer.sold_out === true) return 0;
		const taken = [...this.deployments, ...this.seeded].filter(
			({ isGone, order }) => !isGone && order.offerId === offer.id,
		);
		return Math.max(
			0,
			taken.reduce((left, { order }) => left - order.workers, offer.capacity),
		);
	}

	clear(): void {
		this.bought = [];
		this.before = [];
		this.clears++;
		this.shownAt = undefined;
	}

	/** The same in each process that buys the same after as many clears. */
	private nextId(word: string, { length }: readonly Deployment[]): string {
		const name = `${word} ${length + 1}`;
		return stableUuid(this.clears === 0 ? name : `${name} after ${this.clears} clears`);
	}

	private settle(): void {
		const now = this.clock.now();
		if (now === this.settledAt) return;
		this.settledAt = now;
		for (const deployment of [...this.before, ...this.bought]) deployment.settle(now);
	}
}
