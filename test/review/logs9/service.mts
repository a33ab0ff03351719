import type { ActiveTrigger } from '../../engine/trigger.mts';
import { difference, openWorld, type LogCall, type Unit, type World } from '../logs2/service.mts';

/** What is done with an offset: from there on; the whole log; its last lines; the first line has number 1; the line after it. */
export type Start = 'exact' | 'whole' | 'one' | 'after' | { tail: number };
/** What comes for an offset behind the end: a status, lines, or a wait of so many seconds for new ones. */
export type Behind = 200 | 204 | 404 | 416 | 'lastLine' | 'all' | { poll: number };

export interface Ways {
	unit?: Unit;
	start?: Start;
	behind?: Behind;
	/** Most lines of an answer, by the number of the request. */
	page?: (index: number) => number;
	/** Most bytes of an answer. */
	bytes?: number;
}

/** The log of a container, behind a service that ends each answer. */
export class Log {
	lines: string[] = [];
	/** What earlier containers wrote, as far as it was sent. */
	private readonly past: string[] = [];
	/** Places that some answer had. */
	private readonly shown = new Set<number>();
	/** Called before and after each answer. */
	before?: (call: LogCall) => void;
	after?: (call: LogCall) => void;
	/** What was requested, and what came. */
	readonly story: string[] = [];

	constructor(readonly ways: Ways) {}

	write(...lines: string[]): void {
		for (const line of lines) this.lines.push(line);
	}

	/** Another container begins, with these lines. */
	restart(...lines: string[]): void {
		this.past.push(...this.lines.filter((_, place) => this.shown.has(place)));
		this.shown.clear();
		this.lines = lines;
	}

	/** What must be delivered: of a service that sends its last lines alone, what it has ever sent. */
	get due(): string[] {
		const { lines, past, shown, ways } = this;
		const isTail = typeof ways.start === 'object';
		return [...past, ...(isTail ? lines.filter((_, place) => shown.has(place)) : lines)];
	}

	async answer(call: LogCall): Promise<void> {
		this.before?.(call);
		const from = this.from(call);
		const { behind = 200 } = this.ways;
		if (from < this.lines.length || typeof behind === 'string') this.answerAt(call, from);
		else if (typeof behind === 'object') await this.poll(call, from, behind.poll);
		else if (behind === 200) this.send(call, 0, 0);
		else {
			call.response.writeHead(behind, { 'content-type': 'application/json' });
			call.response.end(behind === 204 ? undefined : '{"detail":"offset"}');
			this.story.push(`${call.at} ${call.offset} -> ${behind}`);
		}
		this.after?.(call);
	}

	private answerAt(call: LogCall, from: number): void {
		const { length } = this.lines;
		if (from < length) return this.send(call, from, this.pageEnd(from, call.index));
		this.send(call, this.ways.behind === 'all' ? 0 : Math.max(0, length - 1), length);
	}

	private async poll(call: LogCall, from: number, seconds: number): Promise<void> {
		const { lines } = this;
		call.head(this.ways.unit === 'bytes' ? 'text/plain' : undefined);
		for (let left = seconds * 4; left > 0 && from >= this.lines.length; left--) {
			await call.wait(250);
			if (call.response.destroyed || lines !== this.lines) return void call.response.destroy();
		}
		this.send(call, from, this.pageEnd(from, call.index));
	}

	/** The place of the first line that is sent. */
	private from({ offset, query }: LogCall): number {
		const { unit = 'entries', start = 'exact' } = this.ways;
		const { length } = this.lines;
		if (start === 'whole') return 0;
		if (typeof start === 'object') return Math.max(0, length - start.tail);
		if (unit === 'eventId') return Number(query.get('offset') ?? 0);
		let left = offset ?? 0;
		if (unit === 'entries' && start === 'one') return Math.max(0, left - 1);
		if (unit === 'entries') return start === 'after' && offset !== undefined ? left + 1 : left;
		let at = 0;
		while (left > 0 && at < length) left -= sizeOf(this.lines[at++]);
		return left > 0 ? Infinity : at;
	}

	private pageEnd(from: number, index: number): number {
		const { bytes = Infinity, page = () => Infinity } = this.ways;
		const most = Math.min(this.lines.length, from + page(index));
		let end = from;
		for (let size = 0; end < most; end++) {
			size += sizeOf(this.lines[end]);
			if (size > bytes && end > from) break;
		}
		return end;
	}

	private send(call: LogCall, from: number, to: number): void {
		this.story.push(
			`${call.at} ${call.query.get('offset')} -> ${Math.min(from, to)}..${to} of ${this.lines.length}`,
		);
		for (let place = from; place < to; place++) this.shown.add(place);
		const { unit } = this.ways;
		const { response } = call;
		if (!response.headersSent) call.head(unit === 'bytes' ? 'text/plain' : undefined);
		const texts = this.lines.slice(from, to).map((line, index) => {
			if (unit === 'bytes') return `${line}\n`;
			return `${unit === 'eventId' ? `id: ${from + index + 1}\n` : ''}data: ${line}\n\n`;
		});
		response.end(texts.join(''));
	}
}

function sizeOf(line = ''): number {
	return Buffer.byteLength(line) + 1;
}

export async function open(ways: Ways): Promise<{ world: World; log: Log }> {
	const log = new Log(ways);
	const world = await openWorld((call) => log.answer(call));
	return { world, log };
}

/** What was lost, what came again, how often a line came before one that was written earlier, and how many are still to come. */
export function fate(due: string[], { lines }: ActiveTrigger) {
	const counts = new Map<string, number>();
	for (const line of due) counts.set(line, (counts.get(line) ?? 0) + 1);
	const places = new Map(due.map((line, index) => [line, index]));
	let last = -1;
	let backward = 0;
	for (const line of lines) {
		if (counts.get(line) !== 1) continue;
		const place = places.get(line) ?? -1;
		if (place < last) backward++;
		last = Math.max(last, place);
	}
	const whole = difference(due, lines);
	// Equal lines behind the last line of its kind may have come
	const behind = Math.min(whole.lost, due.length - 1 - last);
	return { lost: whole.lost - behind, repeated: whole.repeated, backward, behind };
}

export const WELL = { lost: 0, repeated: 0, backward: 0, behind: 0 };
