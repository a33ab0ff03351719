import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { removeColours } from '../marketplace/log/colours';
import { itemOf } from '../marketplace/log/entry';
import { EntryJoiner } from '../marketplace/log/multiLine';
import type { LogName } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { elapsed } from '../shared/time';
import type { Cursor, Position } from './cursor';
import type { Batch } from './delivery';
import { LineFilter } from './filter';
import type { Progress } from './progress';
import type { Settings } from './settings';

/** Bytes in UTF-8 of one character of a string. */
const MAX_BYTES_OF_CHARACTER = 3;

/** A line of the output; it has a start where it may be the first one of a batch. */
interface Line {
	json: IDataObject;
	start?: Position;
}

/** Filters the entries of one log, adds context lines, and makes batches of them. */
export class Batcher {
	/** When the current chunk was received; ISO 8601. */
	receivedAt = '';
	/** Whether the line to stop on has come: what follows is ignored. */
	hasStopLine = false;
	private readonly filter: LineFilter;
	/** Items of the current batch, their size (bytes of those that are counted), and the position before the first of them. */
	private items: INodeExecutionData[] = [];
	private characters = 0;
	private bytes = 0;
	private counted = 0;
	private start?: Position;
	/** When it must be delivered although it is not full, by `elapsed`. */
	private batchDeadline = Infinity;
	/** Lines that may still be needed as context of a match after them. */
	private recent: Line[] = [];
	private readonly joiner?: EntryJoiner;
	private pending?: PendingEntry;
	private contextLinesLeft: number;
	/** Complete batches that are not delivered yet; at most those of one chunk. */
	readonly ready: Batch[] = [];

	constructor(
		private readonly log: LogName,
		private readonly progress: Progress,
		private readonly cursor: Cursor,
		private readonly settings: Settings,
		contextLinesLeft = 0,
	) {
		this.filter = new LineFilter(settings);
		if (settings.joinLines) this.joiner = new EntryJoiner(settings.firstLine);
		this.contextLinesLeft = Math.min(contextLinesLeft, settings.contextLines);
		progress.follow(() => this.position);
	}

	/** The position up to which entries need not be read again once all batches are delivered. */
	private get position(): Position {
		return this.start ?? this.recent[0]?.start ?? this.pending?.start ?? this.place();
	}

	/** Adds an entry that is new. */
	add(event: Readonly<StreamEvent>): void {
		if (this.hasStopLine) return;
		const { joiner, cursor, settings } = this;
		const offset = cursor.outputOffset(event);
		if (!joiner) this.process(event, offset);
		else if (!(joiner.isContinuation(removeColours(event.data)) && this.pending?.append(event))) {
			this.flushPending();
			if (this.hasStopLine) return;
			const deadline = elapsed() + settings.maxWaitMs;
			this.pending = new PendingEntry(event, offset, this.place(), deadline, settings.largestLine);
		}
		cursor.advance(event);
	}

	/** The entry that more lines could have continued is complete. */
	private flushPending(): void {
		const { pending } = this;
		this.pending = undefined;
		if (pending) this.process(pending.event, pending.offset, pending);
	}

	/** Filters an entry. It is called before the cursor counts an entry that is not pending. */
	private process(
		event: Readonly<StreamEvent>,
		offset: string | number | null,
		pending?: PendingEntry,
	): void {
		const { settings, filter, contextLinesLeft } = this;
		const { contextLines, maxEntries } = settings;
		const text = filter.textOf(event.data);
		this.hasStopLine = settings.stopOn?.test(text) ?? false;
		const isMatch = this.hasStopLine || !filter.isFiltering || filter.matches(text);
		const isContext = !isMatch && contextLinesLeft > 0;
		if (!isMatch && !isContext && contextLines === 0) return;
		if (this.items.length > 0 && this.wouldExceed(event.data)) this.completeBatch();
		const needsStart = this.items.length === 0 || contextLines > 0;
		const start = pending?.start ?? (needsStart ? this.place() : undefined);
		const json = filter.jsonOf(this.log, offset, event, this.receivedAt);
		if (contextLines > 0) json.matched = isMatch;
		if (isMatch) {
			for (const before of this.recent.splice(0)) this.push(before.json, before.start);
			this.contextLinesLeft = contextLines;
		} else if (isContext) this.contextLinesLeft--;
		else {
			this.recent.push({ json, start });
			if (this.recent.length > contextLines) this.recent.shift();
			return;
		}
		this.push(json, start, pending?.deadline);
		if (this.hasStopLine || this.items.length >= maxEntries) this.completeBatch();
	}

	/** Another log begins: no line before it is context of one in it. */
	restart(): void {
		this.flush();
		this.recent = [];
		this.contextLinesLeft = 0;
	}

	/** When something must be delivered although it is not full, by `elapsed`. */
	get deadline(): number {
		return Math.min(this.batchDeadline, this.pending?.deadline ?? Infinity);
	}

	/** Completes what has waited long enough: an entry that began later may still continue. */
	flushDue(): void {
		if (this.pending && elapsed() >= this.pending.deadline) this.flushPending();
		if (elapsed() >= this.batchDeadline) this.completeBatch();
	}

	/** Completes the current batch, although it is not full, with the entry that more lines could have continued. */
	flush(): void {
		this.flushPending();
		this.completeBatch();
	}

	/** Completes the current batch without that entry, which the next connection may continue. */
	completeBatch(): void {
		const { log, progress, items, start } = this;
		this.batchDeadline = Infinity;
		if (!start) return;
		this.items = [];
		this.characters = this.bytes = this.counted = 0;
		this.start = undefined;
		const unfinished = progress.begin(start);
		this.ready.push({
			log,
			progress,
			unfinished,
			items: this.filter.outputOf(log, items),
			lines: items.length,
		});
	}

	private place(): Position {
		return { ...this.cursor.position(), contextLinesLeft: this.contextLinesLeft };
	}

	private push(json: IDataObject, start?: Position, deadline?: number): void {
		if (this.items.length === 0) {
			this.start = start;
			this.batchDeadline = deadline ?? elapsed() + this.settings.maxWaitMs;
		}
		this.items.push(itemOf(json));
		this.characters += (json.line as string).length;
	}

	/** Whether the batch would be too large with this line. Bytes are counted only once the characters could be too many. */
	private wouldExceed(line: string): boolean {
		const { maxBytes } = this.settings;
		if ((this.characters + line.length) * MAX_BYTES_OF_CHARACTER <= maxBytes) return false;
		for (; this.counted < this.items.length; this.counted++)
			this.bytes += Buffer.byteLength(String(this.items[this.counted]?.json.line));
		return this.bytes + Buffer.byteLength(line) > maxBytes;
	}
}

/** Lines of one entry; a longer one is most likely none. */
const MAX_LINES = 500;

/** An entry of several lines that the next line may continue. */
export class PendingEntry {
	private readonly first: StreamEvent;
	private text: string;
	private lines = 1;

	/**
	 * @param deadline when it is complete at the latest, by `elapsed`
	 * @param maxLength characters of the whole entry
	 */
	constructor(
		first: Readonly<StreamEvent>,
		readonly offset: string | number | null,
		readonly start: Position,
		readonly deadline: number,
		private readonly maxLength: number,
	) {
		this.first = { ...first };
		this.text = first.data;
	}

	/** The whole entry; blank lines at its end belong to none. */
	get event(): StreamEvent {
		return { ...this.first, data: this.lines > 1 ? this.text.trimEnd() : this.text };
	}

	/** Adds a line; false, without having done so, where the entry would become too long. */
	append({ data, truncated }: Readonly<StreamEvent>): boolean {
		if (this.lines >= MAX_LINES || this.text.length + data.length >= this.maxLength) return false;
		this.lines++;
		this.text += `\n${data}`;
		this.first.truncated ||= truncated;
		return true;
	}
}
