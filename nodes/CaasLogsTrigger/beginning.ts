import { areFirst, firstEntries, hasEntriesBefore, laterId } from '../marketplace/log/firstEntries';
import {
	BEGINNING,
	type LogName,
	type LogOffset,
	type OffsetSettings,
} from '../marketplace/log/request';
import type { LogDecoderOptions } from '../shared/stream/logDecoder';
import type { RequestContext } from '../shared/http/request';
import type { StreamEvent } from '../shared/stream/event';
import { digestOf, type Position } from './cursor';
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
	 * Reads the first entries of the log, by which {@link StartOffset} recognizes that the service ignores an offset. None where the next
	 * offset shows that it does not: then a log that begins there as at its beginning repeats itself, as that of a container that was
	 * started again.
	 * @param slot waits until a further request may be sent
	 */
	async first(
		context: RequestContext,
		{ entries }: LogOffset,
		slot: () => Promise<void>,
	): Promise<StreamEvent[]> {
		const { log, options } = this;
		const settings = this.settingsFor(BEGINNING);
		const first = await firstEntries(context, log, settings, options);
		if (!areFirst(first, first)) return first;
		await slot();
		const next = await firstEntries(context, log, this.settings, options, undefined, entries + 1);
		return next.length > 0 && areFirst(next, first) === false ? [] : first;
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

/** Leaves out so many entries. */
export function leaveOut(entries: number): LeftOut {
	let left = entries;
	return { take: () => (--left > 0 ? undefined : []) };
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
		private readonly position: Position,
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
		const { beginning, held, position } = this;
		held.push({ ...event });
		const isBeginning = digestOf(event, this.unit) === beginning[held.length - 1];
		// Equal lines show nothing: in doubt too many are delivered
		if (!isBeginning || new Set(beginning).size < 2) return held;
		if (held.length < beginning.length) return undefined;
		const { entries } = position.offset;
		if (held.length >= entries) return held.slice(entries);
		this.counted = leaveOut(entries - held.length);
		return undefined;
	}
}
