import { areFirst, firstEntries, hasEntriesBefore, laterId } from '../marketplace/log/firstEntries';
import {
	BEGINNING,
	beyond,
	type LogName,
	type LogOffset,
	type OffsetSettings,
} from '../marketplace/log/request';
import type { LogDecoderOptions } from '../shared/stream/logDecoder';
import type { RequestContext } from '../shared/http/request';
import type { StreamEvent } from '../shared/stream/event';
import { digestOf, type Cursor, type Position } from './cursor';
import { Newest } from './newest';
import type { Settings } from './settings';

/**
 * How a log is requested from its beginning: with the offset 0, or without one where a service leaves out an entry at that
 * ({@link laterId}) or refuses it, since it counts from one.
 */
export class Beginning {
	private isChecked = false;
	private omitsOffset = false;
	/** ID of the entry that came first from the offset 0, while it is not known whether others are before it. */
	private firstId?: number;

	constructor(
		private readonly log: LogName,
		private readonly settings: Settings,
	) {}

	/** How the service is asked for an offset. */
	settingsFor({ entries }: LogOffset): Settings {
		const { settings } = this;
		return this.omitsOffset && entries === 0 ? { ...settings, offsetUnit: 'none' } : settings;
	}

	/** Returns whether the request had the offset 0: from now on it has none. */
	omitOffset({ entries }: LogOffset): boolean {
		const hadOffset = entries === 0 && !this.omitsOffset && this.settings.offsetUnit !== 'none';
		this.omitsOffset ||= hadOffset;
		return hadOffset;
	}

	useOffset(): void {
		this.omitsOffset = false;
	}

	/** Whether entries may be missing before the one that came first. */
	get isInDoubt(): boolean {
		return this.firstId !== undefined;
	}

	/**
	 * Looks at an entry of a connection.
	 * @param from the offset that was requested
	 * @returns whether it must wait for {@link check}
	 */
	look(event: Readonly<StreamEvent>, from: LogOffset): boolean {
		const isZero = this.settings.offsetUnit === 'entries' && from.entries === 0;
		if (this.isChecked || !isZero || !event.hasOwnId) return this.isInDoubt;
		this.isChecked = true;
		this.firstId = laterId(event);
		return this.isInDoubt;
	}

	/** Ends the doubt: requests the log without an offset. Returns whether that brings more. */
	async check(context: RequestContext): Promise<boolean> {
		const { firstId = 0, log, settings, options } = this;
		this.omitsOffset = await hasEntriesBefore(firstId, context, log, settings, options);
		this.firstId = undefined;
		return this.omitsOffset;
	}

	/**
	 * Reads the first entries of the log, by which {@link StartOffset} recognizes that the service ignores an offset. None where others
	 * show that it does not: the next one, where a log that repeats itself begins otherwise, and one far beyond the end, where a service
	 * that has dropped the entries at the offset has none.
	 * @param slot waits until a further request may be sent
	 */
	async first(
		context: RequestContext,
		from: LogOffset,
		slot: () => Promise<void>,
	): Promise<StreamEvent[]> {
		const { log, options } = this;
		const settings = this.settingsFor(BEGINNING);
		const first = await firstEntries(context, log, settings, options);
		if (!areFirst(first, first)) return first;
		const isSameAt = async (offset: number) => {
			await slot();
			const others = await firstEntries(context, log, this.settings, options, undefined, offset);
			return areFirst(others, first);
		};
		const isHonoured = (await isSameAt(from.entries + 1)) === false;
		return isHonoured || !(await isSameAt(beyond(from).entries)) ? [] : first;
	}

	private get options(): LogDecoderOptions {
		const { format, largestLine: largestEntry } = this.settings;
		return { format, largestEntry };
	}
}

/** What is left out at the beginning of a connection, where no entry is known to recognize the place by. */
export interface LeftOut {
	/** Takes the next entry. Returns the entries that are wanted, once nothing more is left out. */
	take(event: StreamEvent): StreamEvent[] | undefined;
}

/**
 * Leaves out so many entries. The last of them are what the place is recognized by.
 * @param start offset of the first one
 */
export function leaveOut(entries: number, cursor: Cursor, start = BEGINNING): LeftOut {
	const leftOut = new Newest(0, start);
	let left = entries;
	return {
		take(event) {
			leftOut.take(event);
			return --left > 0 ? undefined : leftOut.finish(cursor);
		},
	};
}

/**
 * The start of reading at an offset of which nothing shows yet that the service honours it. One that ignores it sends the whole log,
 * which is recognized by its beginning: then lines are left out by their number.
 */
export class StartOffset implements LeftOut {
	private readonly beginning: string[];
	private readonly held: StreamEvent[] = [];
	private counted?: LeftOut;

	/** @param first the first entries of the log; none if they are unknown */
	constructor(
		private readonly cursor: Cursor,
		private readonly unit: OffsetSettings['offsetUnit'],
		first: StreamEvent[],
	) {
		this.beginning = first.map((event) => digestOf(event, unit));
	}

	/** Whether the first entries of the log are to be read before. */
	static isNeeded({ known, from }: Position, unit: OffsetSettings['offsetUnit']): boolean {
		return unit === 'entries' && known.length === 0 && from.entries > 0;
	}

	take(event: StreamEvent): StreamEvent[] | undefined {
		if (this.counted) return this.counted.take(event);
		const { beginning, cursor, held } = this;
		held.push({ ...event });
		const isBeginning = digestOf(event, this.unit) === beginning[held.length - 1];
		// Equal lines show nothing: in doubt too many are delivered
		if (!isBeginning || new Set(beginning).size < 2) return held;
		if (held.length < beginning.length) return undefined;
		const { entries } = cursor;
		const counted = leaveOut(entries, cursor);
		held.slice(0, entries).forEach((one) => counted.take(one));
		if (held.length >= entries) return held.slice(entries);
		this.counted = counted;
		return undefined;
	}
}
