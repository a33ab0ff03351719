import type { Clock } from '../core/clock.mts';
import { stableUuid } from '../core/ids.mts';
import type { HardwareOffer } from './catalogue.mts';
import { Deployment } from './deployment.mts';
import type { DeploymentState, Order, Product } from './deployment.mts';
import { storedName, type ComputeHabits } from './habits.mts';
import { toMillionth } from './money.mts';

/** What the service has sold, for assertions; every read is up to date with the clock. */
export interface PurchaseRecords {
	/** Everything bought since the start or the last reset, VMaaS and CaaS, in order. */
	readonly deployments: readonly Deployment[];
	/** Deployments from before the start: the account is not new. */
	readonly seeded: readonly Deployment[];
	/** @param kind default: any */
	find(id: string, kind?: Product): Deployment | undefined;
	byName(name: string): Deployment[];
	/** Sums over everything bought. */
	totals(): { charged: number; refunded: number };
}

export interface Terms extends Pick<
	ComputeHabits,
	'lowersNames' | 'longestName' | 'idsPerProduct'
> {
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

	/** @param onTransition called after each transition but the first */
	constructor(
		private readonly clock: Clock,
		private readonly terms: Terms,
		private readonly onTransition: (deployment: Deployment, state: DeploymentState) => void,
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
	ofKind(kind: Product): Deployment[] {
		const isOfKind = ({ order }: Deployment) => order.kind === kind;
		return [...this.seeded.filter(isOfKind), ...this.deployments.filter(isOfKind)].reverse();
	}

	find(id: string, kind?: Product): Deployment | undefined {
		const hasId = (deployment: Deployment) =>
			deployment.id === id && (kind === undefined || deployment.order.kind === kind);
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
		const id = this.nextId('deployment', this.bought, order.kind);
		return this.record(this.bought, id, order, this.clock.now(), this.terms.startupMs);
	}

	/**
	 * Records a deployment from before the start.
	 * @param id default: a new one
	 */
	seed(
		order: Order,
		createdAt: number,
		id = this.nextId('seeded', this.before, order.kind),
	): Deployment {
		return this.record(this.before, id, order, createdAt, 0);
	}

	/**
	 * VMs or containers of an offer that are still free.
	 * @param gpus cards of each; default: all of the configuration
	 */
	free(offer: HardwareOffer, gpus = Math.max(offer.num_cards, 1)): number {
		if (offer.sold_out === true) return 0;
		const cards = [...this.deployments, ...this.seeded]
			.filter(({ isGone, order }) => !isGone && order.offerId === offer.id)
			.reduce(
				(left, { order }) => left - order.workers * order.gpusPerWorker,
				offer.capacity * Math.max(offer.num_cards, 1),
			);
		return Math.max(0, Math.floor(cards / gpus));
	}

	clear(): void {
		this.bought = [];
		this.before = [];
		this.clears++;
		this.shownAt = undefined;
	}

	/** The same in each process that buys the same after as many clears. */
	private nextId(word: string, all: readonly Deployment[], kind: Product): string {
		const { idsPerProduct } = this.terms;
		const counted = all.filter(({ order }) => !idsPerProduct || order.kind === kind);
		const name = `${word} ${counted.length + 1}`;
		return stableUuid(this.clears === 0 ? name : `${name} after ${this.clears} clears`);
	}

	private record(
		all: Deployment[],
		id: string,
		order: Order,
		createdAt: number,
		startupMs: number,
	): Deployment {
		const name = storedName(this.terms, order.name);
		const { terminationMs } = this.terms;
		const deployment = new Deployment(id, { ...order, name }, createdAt, startupMs, terminationMs);
		deployment.onTransition = (state) => this.onTransition(deployment, state);
		all.push(deployment);
		this.settledAt = undefined;
		return deployment;
	}

	private settle(): void {
		const now = this.clock.now();
		if (now === this.settledAt) return;
		this.settledAt = now;
		for (const deployment of [...this.before, ...this.bought]) deployment.settle(now);
	}
}
