import type { INodeExecutionData } from 'n8n-workflow';
import { elapsed } from '../shared/time';

const MINUTE_MS = 60_000;

/** Lines for one execution. */
interface Batch {
	items: INodeExecutionData[];
	lines: number;
}

/**
 * How many executions may start in a minute. The lines of further ones are dropped, and counted until the execution that tells how many
 * they were is committed: one that a stop interrupts has told nobody.
 */
export class ExecutionLimit {
	private starts: number[] = [];
	/** What the batches in flight tell. */
	private readonly telling = new Map<Batch, number>();

	/** @param untold lines that were dropped, of which no committed batch has told */
	constructor(public untold = 0) {}

	/** Whether a batch may start, which tells then in its first item how many lines were dropped; otherwise its lines are dropped. */
	allows(batch: Batch, maxPerMinute: number): boolean {
		if (maxPerMinute === Infinity) return true;
		this.starts = this.starts.filter((at) => at > elapsed() - MINUTE_MS);
		if (this.starts.length >= maxPerMinute) {
			this.untold += batch.lines;
			return false;
		}
		this.starts.push(elapsed());
		const told = [...this.telling.values()].reduce((sum, lines) => sum + lines, 0);
		const lines = this.untold - told;
		if (lines === 0 || !batch.items[0]) return true;
		batch.items[0].json.held_back = lines;
		this.telling.set(batch, lines);
		return true;
	}

	/** The batch is committed: what it tells is told. */
	committed(batch: Batch): void {
		this.untold -= this.telling.get(batch) ?? 0;
		this.telling.delete(batch);
	}

	/** The batch is over: if it was not committed, the next one tells. */
	over(batch: Batch): void {
		this.telling.delete(batch);
	}
}
