import { logRequest, type LogName } from '../marketplace/log/request';
import { ByteReader } from '../shared/stream/byteReader';
import type { Decoder, DecoderOptions } from '../shared/stream/decoder';
import type { StreamEvent } from '../shared/stream/event';
import { replyError, type RequestContext } from '../shared/http/request';
import { decoderFor, openStream, type OpenStream } from '../shared/stream/stream';
import { now } from '../shared/time';
import type { Checkpoint } from './checkpoint';
import { Cursor } from './cursor';
import { firstOf, honoursOffset, isAtHead } from './offsets';
import { endingOf, type Ending } from './ending';
import { Farewell } from './farewell';
import type { Host } from './host';
import type { Parcel } from './ledger';
import { Picker } from './filter';

/** A log is silent so long once everything that was there has been sent. */
const CAUGHT_UP_MS = 500;
const LONGEST_CATCH_UP_MS = 10_000;

/** The first bytes may take longer. */
const FIRST_BYTES_MS = 2_000;
/** When so long no blank line has come after the first data of a stream, none ends its events. */
const BLANK_LINE_MS = 2_000;

/** Follows one stream of one container over one connection after another; {@link Follower} decides what comes between them. */
export class Source {
	readonly cursor: Cursor;
	/** Whether the service has ever opened this log for us. */
	isKnown: boolean;
	/** Nothing but ranges whose runs were broken off is to be read: the log was over before. */
	readonly wasOver: boolean;
	/** The reconnection time that the stream asked for. */
	retryMs?: number;
	/** Resolves when nothing old is left to be skipped. */
	readonly caughtUp: Promise<void>;
	private tellCaughtUp: () => void = () => undefined;
	private readonly picker: Picker;
	private readonly halter = new AbortController();
	private batchUntil = Infinity;
	private readonly farewell = new Farewell();
	/** The service has ended the stream, or n8n was away: the log may be another one the next time. */
	private wasEnded = true;
	/** Asked without an ID the service has shown the beginning of the log, and not what came just then. */
	private showsBeginning = false;
	/** The connection was opened when the deployment was known to have ended. */
	private isLast = false;
	private receivedAt = '';
	/** All that is wanted has come: what stands after it in the same chunk is left out. */
	private isStopped = false;
	private hasStopLine = false;
	private isOnlyFlights: boolean;
	/** Cut, but not handed over yet; at most the batches of one chunk. */
	private readonly ready: Parcel[] = [];

	constructor(
		readonly log: LogName,
		readonly checkpoint: Checkpoint,
		private readonly host: Host,
	) {
		this.cursor = new Cursor(checkpoint, host.settings.offsetUnit);
		this.picker = new Picker(log, host.settings);
		this.picker.begin(this.cursor.goesOnAt);
		this.isKnown = checkpoint.hasMoved;
		this.wasOver = this.isOnlyFlights = checkpoint.isOver;
		this.caughtUp = checkpoint.skipsOld
			? new Promise((resolve) => (this.tellCaughtUp = resolve))
			: Promise.resolve();
	}

	/** Stops reading; what was read already is still handed over, unless the host is closed. */
	halt(): void {
		this.halter.abort();
	}

	/** As {@link halt}, once the ranges whose runs were broken off have come again. */
	haltAfterFlights(): void {
		if (this.cursor.hasFlights) this.isOnlyFlights = true;
		else this.halt();
	}

	get halted(): AbortSignal {
		return this.halter.signal;
	}

	/** How the log is to be read. */
	private get decoding(): DecoderOptions {
		const { format, largestLine, offsetUnit } = this.host.settings;
		return {
			format: format === 'auto' ? this.checkpoint.format : format,
			keepsBareLines: true,
			largestEntry: largestLine,
			countsBytes: offsetUnit === 'bytes',
		};
	}

	/** One connection from its first byte to its end. */
	async connect(onOpen: () => void): Promise<Ending> {
		const { host, log, cursor } = this;
		if (this.hasNoFlightsLeft) return { kind: 'finished' };
		this.farewell.begin();
		const context = await host.context();
		const isHonoured = cursor.isAtBeginning || (await this.isOffsetHonoured(context));
		if (typeof isHonoured !== 'boolean') return await this.refused(isHonoured);
		const opened = await openStream(
			context,
			logRequest(log, host.settings, cursor.requestFrom(isHonoured)),
		);
		if (opened.kind !== 'open')
			return await this.refused(endingOf(opened, () => replyError(context, opened)));
		this.isKnown = true;
		this.wasEnded = false;
		onOpen();
		cursor.connected(isHonoured);
		const ending = await this.read(opened);
		// In the middle of a batch that is cut again exactly as it was, the rest of it is waited for
		if (!host.signal.aborted && !cursor.isCuttingAgain) await this.cut();
		const isProgress = this.farewell.received > 0 && !(this.isLast && this.farewell.isLikely);
		return host.signal.aborted
			? { kind: 'closed' }
			: { ...ending, ...(isProgress && { isProgress }) };
	}

	private async isOffsetHonoured(context: RequestContext): Promise<boolean | Ending> {
		const { host, log } = this;
		const { isOffsetHonoured: isKnown, settings } = host;
		const isId = settings.offsetUnit === 'eventId';
		// Without an ID there is nothing to be honoured
		if (isId && this.cursor.place.lastEventId === '') return false;
		// A log that was not ended is the same one still; where it is skipped by count its beginning is seen anyway
		if (isKnown === false || (isKnown && !(this.wasEnded && (!isId || this.showsBeginning))))
			return isKnown;
		const look = isKnown ? firstOf : honoursOffset;
		const answer = await look(context, log, settings, this.decoding);
		if ('kind' in answer) return endingOf(answer, () => replyError(context, answer));
		const { first, isHonoured, isSure } = answer;
		this.showsBeginning ||= first !== undefined && isAtHead(first, this.checkpoint.head);
		if (first && (!isId || this.showsBeginning)) this.cursor.meet(first);
		if (isSure) host.isOffsetHonoured = isHonoured;
		return isHonoured;
	}

	private async read(opened: OpenStream): Promise<Ending> {
		const { host, checkpoint, cursor } = this;
		const decoder = decoderFor(
			opened,
			{ ...this.decoding, takeTexts: (texts) => this.takeTexts(texts) },
			(event) => this.take(event),
		);
		const reader = new ByteReader(opened.body, this.halted);
		const idleMs = host.settings.idleTimeoutMs || Infinity;
		let heardAt = now();
		let hasHeard = false;
		let waitingUntil = Infinity;
		const catchUpUntil = heardAt + LONGEST_CATCH_UP_MS;
		try {
			for (;;) {
				const quietMs = decoder.hasPendingLines
					? BLANK_LINE_MS
					: hasHeard
						? CAUGHT_UP_MS
						: FIRST_BYTES_MS;
				const quietUntil = checkpoint.skipsOld
					? Math.min(catchUpUntil, heardAt + quietMs)
					: Infinity;
				const blankLineUntil = decoder.hasPendingLines ? waitingUntil : Infinity;
				const got = await reader.next(
					Math.min(this.batchUntil, heardAt + idleMs, quietUntil, blankLineUntil),
				);
				if (got.kind === 'chunk') {
					this.receivedAt = new Date(now()).toISOString();
					decoder.push(got.bytes);
					this.retryMs = decoder.retryMs ?? this.retryMs;
					if (decoder.hasPendingLines) waitingUntil = Math.min(waitingUntil, now() + BLANK_LINE_MS);
					// Where the content type tells the form, it may tell another one the next time
					if (opened.format === 'auto') checkpoint.format = decoder.format;
				}
				const isSilent = got.kind === 'late' && now() >= heardAt + idleMs;
				const isCaughtUp =
					checkpoint.skipsOld &&
					(isSilent || now() >= (got.kind === 'late' ? quietUntil : catchUpUntil));
				// Once nothing is old any more, what waits for a blank line must not be taken for new
				if (isCaughtUp || isSilent || got.kind === 'end' || now() >= blankLineUntil)
					decoder.assumeLineFraming();
				await this.handOver();
				host.reportLost(this);
				if (cursor.mustReadAgain)
					return { kind: 'again', reason: 'The log has begun anew', isProgress: true };
				if (this.isStopped && !this.hasStopLine) return { kind: 'finished' };
				if (this.isStopped || got.kind === 'closed') return { kind: 'stopped' };
				if (got.kind === 'broken') return { kind: 'again', reason: 'The connection broke' };
				if (got.kind === 'end') return await this.ended(decoder);
				if (isCaughtUp) this.endCatchUp();
				if (now() >= this.batchUntil) await this.cut();
				// Not from when the bytes came: while runs were waited for, nothing was read
				if (got.kind === 'chunk') {
					heardAt = now();
					hasHeard = true;
				}
				if (isSilent)
					return {
						kind: 'again',
						reason: `Nothing came for ${idleMs / 1000} seconds`,
						isIdle: true,
					};
			}
		} finally {
			reader.destroy();
		}
	}

	/**
	 * After a clean end. Of a container that goes on the last line may be cut, and it comes whole with the next connection. Of one
	 * that has ended something may have come between this end and that one: it is over when a connection brings nothing new.
	 */
	private async ended(decoder: Decoder): Promise<Ending> {
		this.endCatchUp();
		this.wasEnded = true;
		if (this.isLast && this.isTheEnd()) {
			decoder.end();
			return { kind: 'finished' };
		}
		const wasLast = this.isLast;
		this.isLast = await this.host.hasEnded(this.log);
		return {
			kind: 'again',
			reason: 'The service ended the stream',
			...(this.isLast && !wasLast && { isProgress: true }),
		};
	}

	/** Nothing new came, or what begins as it did the last times: a farewell on each connection. */
	private isTheEnd(): boolean {
		const { cursor, farewell } = this;
		if (farewell.received === 0) {
			// Less than was delivered is not that log any more
			if (!cursor.isShort || !this.checkpoint.hasMoved) return true;
			cursor.beginAnew();
		}
		return farewell.endConnection();
	}

	private get hasNoFlightsLeft(): boolean {
		return this.isOnlyFlights && !this.cursor.hasFlights;
	}

	/** A log that was there before is asked for again while its deployment runs: it may be missing for a moment only. */
	private async refused(ending: Ending): Promise<Ending> {
		if (
			ending.kind !== 'unknown' ||
			ending.isForGood ||
			!this.isKnown ||
			(await this.host.hasEnded(this.log))
		)
			return ending;
		return { kind: 'again', reason: ending.error.message, isRefusal: true };
	}

	/** From here on nothing is old. */
	private endCatchUp(): void {
		this.checkpoint.skipsOld = false;
		this.tellCaughtUp();
	}

	/** The next entries, of a log that only goes on: what {@link take} would do with each of them. Returns whether it is such a log. */
	private takeTexts(texts: string[]): boolean {
		const { cursor, picker, checkpoint, farewell } = this;
		if (
			this.isStopped ||
			checkpoint.skipsOld ||
			this.host.settings.stopOn ||
			!picker.takesAll ||
			!cursor.isSteady
		)
			return false;
		const { maxEntries } = this.host.settings;
		farewell.note(texts);
		for (let from = 0; from < texts.length;) {
			const some = texts.slice(from, from + Math.max(1, maxEntries - picker.size));
			picker.addAll(some, cursor.advanceBy(some), this.receivedAt);
			from += some.length;
			this.afterEntry();
		}
		return true;
	}

	/** The next entry. */
	private take(event: Readonly<StreamEvent>): void {
		const { cursor, picker, checkpoint } = this;
		if (this.isStopped || cursor.mustReadAgain) return;
		const step = cursor.next(event);
		if (step === 'known') return;
		this.farewell.note([event.data]);
		if (this.hasNoFlightsLeft) {
			this.isStopped = true;
			return;
		}
		if (cursor.isNewLog) {
			picker.begin(cursor.place);
			cursor.isNewLog = false;
		}
		if (step === 'done') picker.begin(cursor.goesOnAt);
		if (step === 'done' || checkpoint.skipsOld) return this.passed();
		if (this.host.settings.stopOn?.test(event.data)) this.isStopped = this.hasStopLine = true;
		picker.add(event, cursor, this.receivedAt, this.isStopped);
		if (cursor.isCuttingAgain) {
			if (cursor.isAtCut || this.hasStopLine) this.makeReady();
			this.isStopped ||= this.hasNoFlightsLeft;
		} else this.afterEntry();
	}

	/** After an entry: makes a full batch ready, or sets the time of one that has begun. */
	private afterEntry(): void {
		const { picker } = this;
		const { maxEntries, maxWaitMs } = this.host.settings;
		if (this.isStopped || picker.size >= maxEntries) this.makeReady();
		else if (picker.size === 0) this.passed();
		else if (this.batchUntil === Infinity) this.batchUntil = now() + maxWaitMs;
	}

	/** Entries that need no run, up to here; behind a batch that waits to be handed over they go with the next one. */
	private passed(): void {
		const { cursor, checkpoint, picker } = this;
		if (!cursor.isReplaying && this.ready.length === 0)
			checkpoint.pass(picker.neededFrom(cursor.place));
	}

	/** Starts a run with what was chosen so far; waits until it may be started. */
	private async cut(): Promise<void> {
		this.makeReady();
		await this.handOver();
	}

	private makeReady(): void {
		const { cursor, checkpoint, picker } = this;
		this.batchUntil = Infinity;
		const again = cursor.takeFlight(this.hasStopLine);
		if (picker.size > 0) {
			this.ready.push({
				checkpoint,
				to: picker.neededFrom(cursor.place),
				flight: again,
				isLast: this.hasStopLine,
				items: picker.take(),
			});
		} else if (again) checkpoint.done(again);
	}

	/** What is not handed over because the follower was closed is not in the book, and is read again. */
	private async handOver(): Promise<void> {
		for (let parcel = this.ready.shift(); parcel; parcel = this.ready.shift()) {
			if (!(await this.host.deliver(parcel))) return;
		}
	}
}
