import { delay, elapsed } from '../shared/time';
import type { Batcher } from './batcher';
import type { Batch } from './delivery';

/** A longer wait uses several timers: one that is no longer needed cannot be cancelled and must not live long. */
const LONGEST_TIMER_MS = 30_000;

/**
 * Hands over the batches of one log, one after the other. While a connection is read, its reader asks for that. Between connections, an
 * entry that the next one may continue waits, and what has waited long enough is handed over all the same.
 */
export class Outbox {
	private gap?: { controller: AbortController; over: Promise<void> };

	/** @param deliver hands over one batch; false if the trigger was closed first */
	constructor(
		private readonly batcher: Batcher,
		private readonly deliver: (batch: Batch) => Promise<boolean>,
	) {}

	/** Hands over the batches that are complete; false if the trigger was closed. */
	async deliverReady(isLast = false): Promise<boolean> {
		const { ready } = this.batcher;
		for (let batch = ready[0]; batch; batch = ready[0]) {
			if (!(await this.deliver({ ...batch, isLast }))) return false;
			ready.shift();
		}
		return true;
	}

	/** From now on no connection is read. */
	async beginGap(): Promise<void> {
		await this.endGap();
		const controller = new AbortController();
		this.gap = { controller, over: this.deliverDue(controller.signal) };
	}

	/** From now on a connection is read, or none any more: what is due waits for {@link deliverReady}. */
	async endGap(): Promise<void> {
		this.gap?.controller.abort();
		await this.gap?.over;
		this.gap = undefined;
	}

	private async deliverDue(signal: AbortSignal): Promise<void> {
		const { batcher } = this;
		while (batcher.deadline < Infinity) {
			await delay(Math.min(batcher.deadline - elapsed(), LONGEST_TIMER_MS), signal);
			if (signal.aborted) return;
			batcher.flushDue();
			if (!(await this.deliverReady())) return;
		}
	}
}
