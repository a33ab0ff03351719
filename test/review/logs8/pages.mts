import type { ActiveTrigger } from '../../engine/trigger.mts';
import { openWorld, type LogCall, type Unit, type World } from '../logs2/service.mts';

export const ENDS = [
	'empty',
	'204',
	'404',
	'416',
	'422',
	'lastLine',
	'wholeLog',
	'firstPage',
	'poll5',
	'poll30',
	'poll90',
	'held5',
	'held30',
	'held90',
] as const;
export type End = (typeof ENDS)[number];

/** What a container writes when it begins. */
export const BANNER = ['Starting', '', 'Loading the model', '', 'Ready'];

/** How a service that ends each answer behaves. */
export interface Habit {
	unit: Unit;
	/** Most lines of an answer. */
	lines?: number;
	/** Most bytes of an answer; a longer line has an answer of its own. */
	bytes?: number;
	/** What it answers at the end of the log. */
	end: End;
	/** What it makes of the offset; by default it honours it. */
	starts?: (offset: number, length: number) => number;
}

/** A log of a container, which may be replaced by a new one. */
export class PagedLog {
	lines: string[] = [];
	/** Lines of earlier logs that the service has sent, and could so be delivered. */
	private past: string[] = [];
	private sent = 0;
	/** Called before a request is answered; answers it itself where it returns true. */
	before?: (call: LogCall) => boolean | Promise<boolean>;
	/** Called after a request is answered. */
	after?: (call: LogCall) => void;

	constructor(readonly habit: Habit) {}

	write(...lines: string[]): void {
		this.lines.push(...lines);
	}

	restart(...lines: string[]): void {
		this.past.push(...this.lines.slice(0, this.sent));
		this.lines = lines;
		this.sent = 0;
	}

	/** What must be delivered. */
	get due(): string[] {
		return [...this.past, ...this.lines];
	}

	private startOf(call: LogCall): number {
		const { unit, starts } = this.habit;
		if (unit === 'entries') {
			const offset = call.offset ?? 0;
			return starts ? starts(offset, this.lines.length) : offset;
		}
		if (unit === 'eventId') {
			const id = call.query.get('offset');
			return id === null || id === '' ? 0 : Number(id);
		}
		let bytes = call.offset ?? 0;
		let at = 0;
		for (; at < this.lines.length && bytes > 0; at++)
			bytes -= Buffer.byteLength(`${this.lines[at] ?? ''}\n`);
		return bytes > 0 ? Infinity : at;
	}

	private page(at: number): number {
		const { lines = Infinity, bytes = Infinity } = this.habit;
		let end = at;
		for (let size = 0; end < this.lines.length && end - at < lines; end++) {
			size += Buffer.byteLength(this.lines[end] ?? '') + 1;
			if (size > bytes && end > at) break;
		}
		return end;
	}

	private send({ response }: LogCall, from: number, to: number): void {
		if (to > from) this.sent = Math.max(this.sent, to);
		const { unit } = this.habit;
		const isBare = unit === 'bytes';
		if (!response.headersSent) this.head(response);
		const texts = this.lines.slice(from, to).map((line, index) => {
			if (isBare) return `${line}\n`;
			return `${unit === 'eventId' ? `id: ${from + index + 1}\n` : ''}data: ${line}\n\n`;
		});
		response.end(texts.join(''));
	}

	private head(response: LogCall['response']): void {
		const isBare = this.habit.unit === 'bytes';
		response.writeHead(200, { 'content-type': isBare ? 'text/plain' : 'text/event-stream' });
		response.flushHeaders();
	}

	async answer(call: LogCall): Promise<void> {
		if ((await this.before?.(call)) !== true) await this.serve(call);
		this.after?.(call);
	}

	private async serve(call: LogCall): Promise<void> {
		const at = this.startOf(call);
		if (at < this.lines.length) return this.send(call, at, this.page(at));
		const { length } = this.lines;
		const { end } = this.habit;
		if (end === 'lastLine') return this.send(call, Math.max(0, length - 1), length);
		if (end === 'wholeLog') return this.send(call, 0, length);
		if (end === 'firstPage') return this.send(call, 0, this.page(0));
		if (/^poll|^held/.test(end)) {
			// A long poll: with its head at once, or with the first line only
			if (end.startsWith('poll')) this.head(call.response);
			const mine = this.lines;
			for (let left = Number(end.slice(4)) * 1_000; left > 0; left -= 500) {
				await call.wait(500);
				if (call.response.destroyed) return;
				if (mine !== this.lines) return void call.response.destroy();
				if (at < this.lines.length) return this.send(call, at, this.page(at));
			}
		}
		if (end === 'empty' || /^poll|^held/.test(end)) return this.send(call, length, length);
		const isEmpty = end === '204';
		call.response.writeHead(Number(end), { 'content-type': 'application/json' });
		call.response.end(isEmpty ? undefined : JSON.stringify({ detail: 'offset' }));
	}
}

export async function openPages(habit: Habit): Promise<{ world: World; log: PagedLog }> {
	const log = new PagedLog(habit);
	const world = await openWorld((call) => log.answer(call));
	return { world, log };
}

/** Follows a log that is there as far as so many lines, and then written in two parts, three and seven lines. */
export async function followInParts(
	habit: Habit,
	lines: string[],
	length: number,
	startFrom: string,
): Promise<{ log: PagedLog; trigger: ActiveTrigger }> {
	const { world, log } = await openPages(habit);
	log.write(...lines.slice(0, length));
	const trigger = world.trigger({ startFrom, offset: '25' });
	await world.activate(trigger);
	await world.time.pass(200_000);
	log.write(...lines.slice(length, length + 3));
	await world.time.pass(200_000);
	log.write(...lines.slice(length + 3, length + 10));
	await world.time.pass(300_000);
	return { log, trigger };
}

/** Lines of different sizes, each one of its kind. */
export function sized(count: number, from = 0): string[] {
	return Array.from(
		{ length: count },
		(_, index) => `entry ${from + index} ${'x'.repeat(((from + index) * 37) % 90)}`,
	);
}
