import type { LogName } from '../marketplace/log/request';
import type { RequestContext } from '../shared/http/request';
import type { Parcel } from './ledger';
import type { Settings } from './settings';
import type { Source } from './source';

/** What a source needs of the follower that it belongs to. */
export interface Host {
	settings: Settings;
	signal: AbortSignal;
	/** Opens the credentials anew: they may have been mended since. */
	context(): Promise<RequestContext>;
	/** Whether the service honours the offset, once it is known; the same for all logs. */
	isOffsetHonoured?: boolean;
	deliver(parcel: Parcel): Promise<boolean>;
	/** Whether the container will not write any more. */
	hasEnded(log: LogName): Promise<boolean>;
	/** Tells of the lines that can never be delivered, if there are any. */
	reportLost(source: Source): void;
}
