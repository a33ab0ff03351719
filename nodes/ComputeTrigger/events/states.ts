import type { IDataObject } from 'n8n-workflow';
import {
	described,
	findDeployment,
	hasPrefix,
	idOf,
	listDeployments,
	listNamed,
	listPrefixed,
} from '../../marketplace/deployments';
import type { Product } from '../../marketplace/product';
import { isFinal, stateOf, wordOf, type State } from '../../marketplace/state';
import { YOUNG_MS } from '../../marketplace/turns';
import { operationError } from '../../shared/http/errors';
import { numberOf } from '../../shared/numbers';
import { now } from '../../shared/time';
import { digest, type TriggerEvent, type Watch } from '../watch';

/** What was seen of the deployments of a product. */
export interface SeenStates {
	/** Since when they are watched, in milliseconds since 1970. */
	since: number;
	/** By ID, the status of those that have not ended. */
	live: Record<string, string>;
	/** Digests of the IDs of those that have ended, one after the other. */
	ended: string;
	/** By ID, the status before a word that is not known, and that word once a later status than the former has followed it. */
	left: Record<string, string>;
	/** Those that show an earlier state than before, and since when. */
	back: Record<string, [status: string, since: number]>;
	/** Those that the list does not show: since when, and how often their details were asked for. */
	missing: Record<string, [since: number, looks: number]>;
}

/** What was seen of a deployment before: the word of the service, and its state. */
interface Former {
	status: string;
	state: State;
}

const DIGEST_LENGTH = 8;
/** How many are remembered. Beyond it, what has ended before it was seen is not told, and what has long been missing is forgotten. */
const MAX_LIVE = 10_000;
const MAX_ENDED = 20_000;
/** Details that one poll asks for, of those that the list does not show, and how long and how often each of them is asked for at least. */
const LOOKS_A_POLL = 5;
const LOOK_FOR_MS = 24 * 3_600_000;
const LEAST_LOOKS = 100;
/** A status goes this way only. */
const ORDER: State[] = ['starting', 'running', 'ending', 'ended'];
/** Clocks and minutes served are rounded. */
const OLDER_MINUTES = 5;

/** The deployments of a product whose status changes. */
export function watchStates(product: Product, namePrefix?: string): Watch<SeenStates> {
	return {
		async look(requests, before) {
			const context = { ...requests, product };
			const entries = await (namePrefix ? listNamed : listDeployments)(context);
			const memory = new Memory(product, before);
			for (const entry of entries) if (hasPrefix(entry, namePrefix)) memory.note(entry);
			// One with another name now is listed too. Details show no name: what is asked for was watched
			const shown = entries.filter(({ status }) => wordOf(status) !== '');
			for (const id of memory.missing(new Set(shown.map((entry) => idOf(entry)!)))) {
				const details = await findDeployment(context, id, 'never').catch(() => undefined);
				if (details) memory.note(details, id);
			}
			memory.forget();
			if (memory.live.size > MAX_LIVE)
				throw operationError(
					context.functions.getNode(),
					`More than ${MAX_LIVE} deployments have not ended`,
					{ description: 'Set Name Prefix to watch fewer of them.' },
				);
			return { events: memory.events, seen: memory.seen() };
		},
		async sample(requests) {
			const entries = await listPrefixed({ ...requests, product }, namePrefix);
			const entry = entries.find(({ status }) => !isFinal(status)) ?? entries[0];
			return entry && itemOf(product, entry, undefined);
		},
	};
}

/** What was seen, while a poll compares. Absence says nothing: only a status that was seen changes it. */
class Memory {
	readonly events: TriggerEvent[] = [];
	readonly live: Map<string, string>;
	private readonly ended: Set<string>;
	private readonly left: Map<string, string>;
	private readonly back: Map<string, [string, number]>;
	private readonly absent: Map<string, [number, number]>;
	private readonly since: number;

	constructor(
		private readonly product: Product,
		private readonly before?: SeenStates,
	) {
		this.since = sinceOf(before?.since);
		this.live = new Map(Object.entries(before?.live ?? {}));
		this.ended = new Set(before?.ended.match(/.{8}/gs) ?? []);
		this.left = new Map(Object.entries(before?.left ?? {}));
		this.back = new Map(Object.entries(before?.back ?? {}));
		this.absent = new Map(Object.entries(before?.missing ?? {}));
	}

	/**
	 * Notes the status of a deployment, and an event where it has changed.
	 * @param entry of the list, or details
	 */
	note(entry: IDataObject, id = idOf(entry)!): void {
		const word = wordOf(entry.status);
		if (word === '') return;
		this.absent.delete(id);
		const key = digest(id, DIGEST_LENGTH);
		const former = this.formerOf(id, key);
		const hasEnded = isFinal(entry.status);
		if (former === undefined) {
			if (hasEnded && this.ended.size >= MAX_ENDED) return;
			if (this.before && !this.isOlder(entry)) this.tell(entry, id, undefined);
		} else if (hasEnded ? former.state === 'ended' : former.status === word) {
			this.back.delete(id);
			return;
		} else {
			const isLeft = stateOf(word) === 'unknown' && this.left.get(id) === word;
			const isBack = isLeft || isBackward(former, word);
			if (isBack && !this.lasts(id, word)) return;
			this.tell(entry, id, former);
		}
		this.back.delete(id);
		if (hasEnded) {
			this.live.delete(id);
			this.left.delete(id);
			this.ended.add(key);
			// The oldest: with so many, it is not told again where it has ended
			const [oldest] = this.ended;
			if (this.ended.size > MAX_ENDED && oldest !== undefined) this.ended.delete(oldest);
		} else {
			if (former) this.leave(id, former, word);
			this.live.set(id, word);
			this.ended.delete(key);
		}
	}

	/** The deployments to ask for whose status the list does not tell, those first that were asked for least. */
	missing(listed: Set<string>): string[] {
		const candidates = [...this.live.keys()].filter((id) => !listed.has(id));
		for (const id of candidates) {
			const [since, looks] = this.absent.get(id) ?? [undefined, 0];
			this.absent.set(id, [sinceOf(since), looks]);
		}
		for (const id of this.absent.keys())
			if (listed.has(id) || !this.live.has(id)) this.absent.delete(id);
		const asked = [...this.absent]
			.filter(([, [since, looks]]) => now() - since < LOOK_FOR_MS || looks < LEAST_LOOKS)
			.sort(([, [, looks]], [, [, others]]) => looks - others)
			.slice(0, LOOKS_A_POLL);
		for (const [id, [since, looks]] of asked) this.absent.set(id, [since, looks + 1]);
		return asked.map(([id]) => id);
	}

	/** Forgets those that are missing for longest, where there are too many: a service may never show an end. */
	forget(): void {
		const gone = [...this.absent]
			.filter(([, [since]]) => now() - since >= LOOK_FOR_MS)
			.sort(([, [since]], [, [other]]) => since - other);
		for (const [id] of gone.slice(0, Math.max(this.live.size - MAX_LIVE, 0))) {
			this.live.delete(id);
			this.left.delete(id);
			this.absent.delete(id);
		}
	}

	seen(): SeenStates {
		return {
			since: this.since,
			live: Object.fromEntries(this.live),
			ended: [...this.ended].join(''),
			left: Object.fromEntries(this.left),
			back: Object.fromEntries(this.back),
			missing: Object.fromEntries(this.absent),
		};
	}

	/** What has come between a status and a later one is earlier than that, whatever it means. */
	private leave(id: string, { status, state }: Former, word: string): void {
		const next = stateOf(word);
		const past = this.left.get(id);
		if (next === 'unknown' ? state !== 'unknown' : state === 'unknown' && isPast(past, next))
			this.left.set(id, status);
		else if (next !== 'unknown') this.left.delete(id);
	}

	/** Whether an earlier state has been shown for so long that no copy of the service is so far behind. */
	private lasts(id: string, word: string): boolean {
		const [status, at] = this.back.get(id) ?? [word, undefined];
		const since = sinceOf(status === word ? at : undefined);
		if (now() - since >= YOUNG_MS) return true;
		this.back.set(id, [word, since]);
		return false;
	}

	/** Whether what is seen for the first time was there at the base line: a list may have left it out then. */
	private isOlder(entry: IDataObject): boolean {
		const served = numberOf(entry.compute_minutes_served);
		// Some services add the minutes up over the GPUs
		const gpus = Math.max(numberOf(entry.hardware_quantity) ?? 1, 1);
		const watched = (now() - this.since) / 60_000;
		return served !== undefined && served / gpus > watched + OLDER_MINUTES;
	}

	/** As it was seen last; undefined where it was not. Of those that have ended, the words are not kept. */
	private formerOf(id: string, key: string): Former | undefined {
		const status = this.live.get(id);
		if (status !== undefined) return { status, state: stateOf(status) };
		return this.ended.has(key) ? { status: 'ended', state: 'ended' } : undefined;
	}

	private tell(entry: IDataObject, id: string, former: Former | undefined): void {
		this.events.push({
			identity: [this.product.key, id, wordOf(entry.status)],
			json: itemOf(this.product, entry, former, id),
		});
	}
}

/** Since when something is so: what was noted before the clock was set back is so from now on. */
function sinceOf(noted = now()): number {
	return Math.min(noted, now());
}

/** Whether a status is before another one that was seen, as in the answer of a copy that is behind. */
function isBackward({ state }: Former, word: string): boolean {
	return state === 'ended' || isPast(word, state);
}

function isPast(word: string | undefined, state: State): boolean {
	const place = ORDER.indexOf(stateOf(word));
	return place >= 0 && place < ORDER.indexOf(state);
}

function itemOf(
	product: Product,
	entry: IDataObject,
	former: Former | undefined,
	id = idOf(entry),
): IDataObject {
	return {
		...described(entry),
		product: product.key,
		deployment_id: id ?? null,
		status: entry.status ?? null,
		state: stateOf(entry.status),
		former_status: former?.status ?? null,
		former_state: former?.state ?? null,
	};
}
