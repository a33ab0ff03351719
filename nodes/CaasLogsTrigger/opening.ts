import type { LogName, LogOffset } from '../marketplace/log/request';
import type { RequestContext } from '../shared/http/request';
import type { StreamEvent } from '../shared/stream/event';
import { Framing } from '../shared/stream/framing';
import { HEAD_DEADLINE_MS } from '../shared/stream/stream';
import { elapsed } from '../shared/time';
import type { Beginning } from './beginning';
import { Connection, type Refusal } from './connection';
import type { ReaderHost } from './logReader';

/** So late only a service answers that does it when a line is written. */
const LATE_HEAD_MS = 5_000;
/** For a service whose silence has no limit. */
const DAY_MS = 86_400_000;

/** Opens the connections of one log, and learns how its service answers. */
export class Opening {
	/** Whether it answers only when a line is written: then no answer is the silence of the log. */
	answersLate = false;
	private readonly framing = new Framing();

	constructor(
		private readonly log: LogName,
		private readonly host: ReaderHost,
		private readonly beginning: Beginning,
	) {}

	/**
	 * Opens a connection. A service that counts from one may refuse the offset 0: its beginning is requested without an offset then.
	 * @param from offset of the first entry that is wanted
	 * @returns the refusal where there is none; undefined where the signal aborted
	 */
	async open(
		context: RequestContext,
		from: LogOffset,
		signal: AbortSignal,
		take: (event: Readonly<StreamEvent>, receivedAt: number) => void,
	): Promise<Connection | Refusal | undefined> {
		const { beginning, host } = this;
		const opened = await this.request(context, from, signal, take);
		if (!opened || opened instanceof Connection || !opened.isOffsetValue) return opened;
		if (!beginning.omitOffset(from)) return opened;
		await host.requestSlot(signal);
		const without = await this.request(context, from, signal, take);
		if (without instanceof Connection) return without;
		// It was not about the offset
		beginning.useOffset();
		return without && opened;
	}

	private async request(
		context: RequestContext,
		from: LogOffset,
		signal: AbortSignal,
		take: (event: Readonly<StreamEvent>, receivedAt: number) => void,
	): Promise<Connection | Refusal | undefined> {
		const { idleTimeoutMs } = this.host.settings;
		const silenceMs = Math.max(idleTimeoutMs || DAY_MS, HEAD_DEADLINE_MS);
		const headMs = this.answersLate ? silenceMs : HEAD_DEADLINE_MS;
		const settings = this.beginning.settingsFor(from);
		const requestedAt = elapsed();
		const opened = await Connection.open(
			context,
			this.log,
			settings,
			this.framing,
			from,
			headMs,
			signal,
			take,
		);
		const tookMs = elapsed() - requestedAt;
		if (opened && !(opened instanceof Connection))
			return {
				...opened,
				isLate: tookMs >= headMs,
				isSilence: this.answersLate && tookMs >= headMs,
			};
		if (opened) this.answersLate = tookMs > LATE_HEAD_MS;
		return opened;
	}
}
