import { HOUR, toMillionth } from './money.mts';
import type { Region } from './regions.mts';

/** beyond-the-spec.md section 1, "Deployment statuses". */
export const deploymentStates = [
	'deployment requested',
	'running',
	'completed',
	'failed',
	'termination requested',
	'destroyed',
] as const;
export type DeploymentState = (typeof deploymentStates)[number];

export type Product = 'vmaas' | 'caas';

/** What a deploy asks for and what it costs. */
export interface Order {
	kind: Product;
	name: string;
	hardwareId: number | string;
	hardwareName: string;
	/** The offer whose capacity is taken; absent for a private node pool. */
	offerId?: string;
	region?: Region;
	gpusPerWorker: number;
	/** VMs or containers. */
	workers: number;
	hours: number;
	/** What an hour of the whole deployment costs, fees included. */
	hourlyPrice: number;
	isExternal: boolean;
	/** It may end while somebody reads the list. */
	mayLeave?: boolean;
	/** The body of the deploy, as sent. */
	request: Record<string, unknown>;
}

export interface Charge {
	at: number;
	reason: 'deploy' | 'extend';
	hours: number;
	amount: number;
}

export interface Refund {
	at: number;
	hours: number;
	amount: number;
}

export interface Transition {
	at: number;
	state: DeploymentState;
}

/** A change of what the containers of a deployment are started with; later ones replace earlier ones key by key. */
export interface Update {
	at: number;
	changes: Record<string, unknown>;
}

const FINAL: readonly DeploymentState[] = ['completed', 'failed', 'destroyed'];

/**
 * One deployment and its bill. Its states change with the clock, so every read begins with `settle(now)`; no timer runs.
 * Hours are hired and billed from the moment the deployment runs.
 */
export class Deployment {
	readonly transitions: Transition[] = [];
	readonly charges: Charge[] = [];
	readonly refunds: Refund[] = [];
	/** Hours added, in order. */
	readonly extensions: number[] = [];
	readonly updates: Update[] = [];
	/** Called after each transition. */
	onTransition?: (state: DeploymentState) => void;
	startedAt?: number;
	finishedAt?: number;
	/** When billing stopped: at the request to terminate, at the end, at a failure. */
	private stoppedAt?: number;

	constructor(
		readonly id: string,
		readonly order: Order,
		readonly createdAt: number,
		private readonly startupMs: number,
		private readonly terminationMs: number,
	) {
		this.charge(createdAt, 'deploy', order.hours);
		this.enter('deployment requested', createdAt);
	}

	get resource_private_name(): string {
		return this.order.name;
	}

	get state(): DeploymentState {
		return this.transitions.at(-1)?.state ?? 'deployment requested';
	}

	/** In a final state: it holds no capacity any more. */
	get isGone(): boolean {
		return FINAL.includes(this.state);
	}

	/** Hours paid for, extensions included. */
	get hiredHours(): number {
		return this.charges.reduce((sum, { hours }) => sum + hours, 0);
	}

	/** What was charged, refunds not taken off. */
	get charged(): number {
		return toMillionth(this.charges.reduce((sum, { amount }) => sum + amount, 0));
	}

	get refunded(): number {
		return toMillionth(this.refunds.reduce((sum, { amount }) => sum + amount, 0));
	}

	/** When its state changes next by itself; Infinity where it has ended. */
	get nextChange(): number {
		switch (this.state) {
			case 'deployment requested':
				return this.createdAt + this.startupMs;
			case 'running':
				return Number(this.startedAt) + this.hiredHours * HOUR;
			case 'termination requested':
				return Number(this.stoppedAt) + this.terminationMs;
			default:
				return Infinity;
		}
	}

	/** Makes the transitions that are due. */
	settle(now: number): void {
		for (let at = this.nextChange; now >= at; at = this.nextChange) {
			if (this.state === 'deployment requested') {
				this.startedAt = at;
				this.enter('running', at);
			} else if (this.state === 'running') this.finish('completed', at, at);
			else this.finish('destroyed', at, this.stoppedAt ?? at);
		}
	}

	/** As it was at an earlier time; undefined where there was none. */
	asOf(at: number): Deployment | undefined {
		if (at < this.createdAt) return undefined;
		const past = new Deployment(
			this.id,
			this.order,
			this.createdAt,
			this.startupMs,
			this.terminationMs,
		);
		const until = <T extends { at: number }>(entries: T[]) => entries.filter((one) => one.at <= at);
		past.transitions.splice(0, Infinity, ...until(this.transitions));
		past.charges.splice(0, Infinity, ...until(this.charges));
		past.refunds.splice(0, Infinity, ...until(this.refunds));
		past.updates.push(...until(this.updates));
		const known = (time: number | undefined) => (Number(time) <= at ? time : undefined);
		past.startedAt = known(this.startedAt);
		past.finishedAt = known(this.finishedAt);
		past.stoppedAt = known(this.stoppedAt);
		return past;
	}

	/** Hours of use up to `now`. */
	servedHours(now: number): number {
		if (this.startedAt === undefined) return 0;
		return Math.max(0, Math.min(this.stoppedAt ?? now, now) - this.startedAt) / HOUR;
	}

	/** Adds hours and charges them. The caller has checked that it is not being terminated. */
	extend(hours: number, now: number): void {
		this.extensions.push(hours);
		this.charge(now, 'extend', hours);
	}

	/** Starts the containers again with other settings. */
	update(changes: Record<string, unknown>, now: number): void {
		this.updates.push({ at: now, changes });
	}

	/**
	 * Asks for termination: stops the bill and refunds what is left of the paid time, but never the first hour
	 * (compute-api.md, "Limits"; beyond-the-spec.md section 1, "Destroy"). A second request changes nothing.
	 */
	destroy(now: number): void {
		if (this.state === 'termination requested') return;
		this.stoppedAt = now;
		this.refund(now, this.hiredHours - Math.max(1, this.servedHours(now)));
		this.enter('termination requested', now);
		this.settle(now);
	}

	/** Fails. What was not served is refunded, the first hour too, since the service is at fault (inferred). */
	fail(now: number): void {
		this.refund(now, this.hiredHours - this.servedHours(now));
		this.finish('failed', now, now);
	}

	private charge(at: number, reason: Charge['reason'], hours: number): void {
		this.charges.push({ at, reason, hours, amount: toMillionth(hours * this.order.hourlyPrice) });
	}

	private refund(at: number, hours: number): void {
		if (hours > 0)
			this.refunds.push({
				at,
				hours: toMillionth(hours),
				amount: toMillionth(hours * this.order.hourlyPrice),
			});
	}

	private finish(state: DeploymentState, at: number, stoppedAt: number): void {
		this.stoppedAt = stoppedAt;
		this.finishedAt = at;
		this.enter(state, at);
	}

	private enter(state: DeploymentState, at: number): void {
		this.transitions.push({ at, state });
		this.onTransition?.(state);
	}
}
