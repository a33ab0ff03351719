import {
	BEGINNING,
	logRequest,
	type LogName,
	type LogOffset,
	type OffsetSettings,
} from '../marketplace/log/request';
import type { RequestContext } from '../shared/http/request';
import type { StreamEvent } from '../shared/stream/event';
import { readStream } from '../shared/stream/stream';
import type { Settings } from './settings';

/** Longest time for the first entries of a log. */
const FIRST_ENTRIES_MS = 3_000;
/** Entries that tell one beginning of a log from another place in it. */
const BEGINNING_ENTRIES = 4;

/**
 * How a log is requested from its beginning. A service may take the offset for the ID of the last event that the client has: then
 * the offset 0 leaves out the event with the ID 0, and only a request without an offset brings it.
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

	/** Whether entries may be missing before the one that came first. */
	get isInDoubt(): boolean {
		return this.firstId !== undefined;
	}

	/**
	 * Looks at an entry of a connection.
	 * @param from the offset that was requested
	 * @returns whether it must wait for {@link check}
	 */
	look({ hasOwnId, lastEventId }: Readonly<StreamEvent>, from: LogOffset): boolean {
		const isZero = this.settings.offsetUnit === 'entries' && from.entries === 0;
		if (this.isChecked || !isZero || !hasOwnId) return this.isInDoubt;
		this.isChecked = true;
		if (/^[1-9]\d*$/.test(lastEventId)) this.firstId = Number(lastEventId);
		return this.isInDoubt;
	}

	/** Ends the doubt: requests the log without an offset. Returns whether that brings more. */
	async check(context: RequestContext): Promise<boolean> {
		const first = await this.read(context, { ...this.settings, offsetUnit: 'none' });
		const { firstId = 0 } = this;
		this.omitsOffset = first.some(
			({ hasOwnId, lastEventId }) =>
				hasOwnId && /^\d+$/.test(lastEventId) && Number(lastEventId) < firstId,
		);
		this.firstId = undefined;
		return this.omitsOffset;
	}

	/** Reads the first entries of the log. */
	async first(context: RequestContext): Promise<StreamEvent[]> {
		return await this.read(context, this.settingsFor(BEGINNING));
	}

	private async read(context: RequestContext, settings: OffsetSettings): Promise<StreamEvent[]> {
		const { format, largestLine } = this.settings;
		const first: StreamEvent[] = [];
		await readStream(
			context,
			logRequest(this.log, settings, BEGINNING),
			{ longestMs: FIRST_ENTRIES_MS, quietMs: FIRST_ENTRIES_MS },
			(event) => first.push(event) < BEGINNING_ENTRIES,
			{ format, largestEntry: largestLine },
		);
		return first;
	}
}
