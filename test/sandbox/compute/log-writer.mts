import type { Service } from '../core/service.mts';

const TICK_MS = 100;

/** A line as web services, training jobs and JSON loggers write it. */
export function logLine(index: number, at: number): string {
	const time = new Date(at).toISOString();
	const worker = index % 4;
	switch (index % 10) {
		case 3:
			return JSON.stringify({
				level: 'info',
				time,
				msg: 'step done',
				step: index,
				loss: Number((4 / (1 + index / 50)).toFixed(4)),
			});
		case 7:
			return `${time} WARN worker ${worker} queue is long, ${index % 37} requests wait`;
		case 9:
			return JSON.stringify({
				level: index % 100 === 99 ? 'error' : 'debug',
				time,
				msg: index % 100 === 99 ? 'CUDA out of memory, batch is split' : 'cache hit',
				worker,
			});
		default:
			return `${time} INFO worker ${worker} POST /v1/predict 200 ${20 + (index % 97)} ms`;
	}
}

/**
 * Makes the containers of all deployments that run write logs.
 * @param perSecond lines a second of each container
 * @returns stops the writing
 */
export function writeLogs({ clock, purchases, logs }: Service, perSecond: number): () => void {
	let due = 0;
	let written = 0;
	const timer = setInterval(() => {
		due += (perSecond * TICK_MS) / 1_000;
		const lines: string[] = [];
		while (written + 1 <= due) lines.push(logLine(written++, clock.now()));
		for (const { id, state } of purchases.ofKind('caas')) {
			if (state === 'running' && lines.length > 0)
				logs.of(id).forEach((log) => log.append('stdout', ...lines));
		}
	}, TICK_MS);
	return () => clearInterval(timer);
}
