import Table from 'cli-table3';
import type { Product } from '../../sandbox/index.mts';
import type { ComputeRecord } from '../../worlds/computeRecord.mts';
import type { FaultName } from './faults.mts';

const OUTCOMES = ['success', 'error', 'unknown'] as const;
type Outcome = (typeof OUTCOMES)[number];

type Row = Record<Outcome | 'broken', number>;

/** Counts what came of schedules, world by world. */
export class Tally {
	private readonly rows = new Map<string, Row>();
	private readonly sequences = new Set<string>();
	private faults = 0;
	private readonly products = new Map<Product, number>();

	/** @param met the faults that its requests met, in order */
	add(record: ComputeRecord, met: readonly FaultName[], isBroken: boolean): void {
		const { name } = record.world;
		const { product } = record.scenario;
		this.products.set(product, (this.products.get(product) ?? 0) + 1);
		const row = this.rows.get(name) ?? { success: 0, error: 0, unknown: 0, broken: 0 };
		this.rows.set(name, row);
		row[outcomeOf(record)]++;
		if (isBroken) row.broken++;
		this.faults += met.filter((one) => one !== 'none').length;
		this.sequences.add(`${name} ${met.join(' ')}`);
	}

	/** Worlds in which an invariant broke. */
	get brokenWorlds(): number {
		return [...this.rows.values()].filter(({ broken }) => broken > 0).length;
	}

	/** A row for each world, and what they amount to. */
	toString(): string {
		const table = new Table({
			head: ['world', 'schedules', ...OUTCOMES, 'broken'],
			colAligns: ['left', ...Array.from({ length: 5 }, () => 'right' as const)],
			style: { head: [], border: [], compact: true },
		});
		const all: Row = { success: 0, error: 0, unknown: 0, broken: 0 };
		for (const [world, row] of this.rows) {
			table.push([world, ...cellsOf(row)]);
			for (const key of [...OUTCOMES, 'broken'] as const) all[key] += row[key];
		}
		table.push([`${this.rows.size} worlds`, ...cellsOf(all)]);
		const products = [...this.products].map(([product, count]) => `${product} ${count}`);
		return `${table.toString()}\n${products.join(', ')}; faults met ${this.faults}; distinct sequences of faults in a world ${this.sequences.size}`;
	}
}

const cellsOf = (row: Row) => [
	OUTCOMES.reduce((sum, outcome) => sum + row[outcome], 0),
	...OUTCOMES.map((outcome) => row[outcome]),
	row.broken,
];

/** `unknown` where a node says so of what it has sent. */
function outcomeOf({ problems }: ComputeRecord): Outcome {
	if (problems.length === 0) return 'success';
	return problems.some(({ text }) => text.includes('outcome unknown')) ? 'unknown' : 'error';
}
