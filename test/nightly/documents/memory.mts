/** The most memory that is in use in this process: each sample collects garbage first, so that nothing else is counted. */
export class Peak {
	private readonly start: number;
	private highest: number;
	samples = 0;
	private readonly timer: NodeJS.Timeout;

	constructor(everyMs: number) {
		this.start = alive();
		this.highest = this.start;
		this.timer = setInterval(() => this.sample(), everyMs);
	}

	private sample(): void {
		this.samples++;
		this.highest = Math.max(this.highest, alive());
	}

	/** The most that was alive beyond the start, in bytes. */
	end(): number {
		clearInterval(this.timer);
		this.sample();
		return this.highest - this.start;
	}
}

function alive(): number {
	if (!globalThis.gc) throw new Error('Run with NODE_OPTIONS=--expose-gc');
	// The memory of buffers that the first collection has found is given back, and counted so, in the second
	globalThis.gc();
	globalThis.gc();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}
