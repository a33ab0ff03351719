import { ownWords } from '../http/errors';
import { parseJson } from '../json';
import type { StreamEvent } from './event';
import { WEB_PAGE_REASON } from './webPage';

const JSON_TYPE = /^\s*application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i;
/** With these a page begins; a log may have other tags in it. */
const PAGE = /^\s*<(?:!doctype\s+html|html)\b/i;
/** So JSON in several lines begins, and hardly a line such as `[INFO] …`. */
const JSON_START = /^\s*[[{]\s*(?:["[{]|$)/;
/** Characters of the longest document. */
const LONGEST = 65_536;
/** Of the service's words, where it has not said which they are. */
const LONGEST_WORDS = 1_000;

/**
 * Tells from a log what a service or a gateway sends in its place with a status of success: an error in JSON, or a page. By contract a log
 * is never a single JSON document (compute-api.md "Container log stream"), but it may consist of JSON lines. So the first entries are held
 * while all of them may be one document, which only the end of the answer shows.
 */
export class DocumentDetector {
	/** Why the answer is no log. */
	refusal?: string;
	/** In words, what the answer ends with where that is no entry. */
	rest = '';
	private readonly isJson: boolean;
	/** The first entries; undefined once they are those of a log. */
	private held?: StreamEvent[] = [];
	private length = 0;
	private isEnding = false;

	constructor(
		contentType: string,
		private readonly sink: (event: StreamEvent) => void,
	) {
		this.isJson = JSON_TYPE.test(contentType);
	}

	/** Whether entries are held. */
	get isOpen(): boolean {
		return this.held !== undefined && this.held.length > 0;
	}

	take(event: StreamEvent): void {
		const { held } = this;
		if (!held) return this.sink(event);
		held.push(event);
		this.length += event.data.length + 1;
		if (!this.isEnding && !this.mayBeDocument(held)) this.release();
	}

	/** It is a log. */
	release(): void {
		const held = this.held ?? [];
		this.held = undefined;
		for (const event of held) this.sink(event);
	}

	/**
	 * The answer is over.
	 * @param emitLast emits what has no end of its own
	 * @param isKnown whether an entry was in the log before, so that this is the log
	 * @param isEntry whether what has no end is an entry: a gateway may have ended within a line
	 */
	end(
		emitLast: () => void,
		isKnown: (event: StreamEvent) => boolean,
		isEntry: (event: StreamEvent) => boolean,
	): void {
		const { held } = this;
		const last: StreamEvent[] = [];
		this.held = last;
		this.isEnding = true;
		emitLast();
		const all = [...(held ?? []), ...last];
		if (held && !all.some(isKnown)) this.refusal = this.refusalIn(all);
		this.held = undefined;
		if (this.refusal) return;
		const rest = last.filter((event) => !isEntry(event));
		const text = rest.map(({ data }) => data).join('\n');
		// Half a line is nobody's words
		if (parseJson(text) !== undefined) this.rest = ownWords('', text);
		for (const event of [...(held ?? []), ...last.filter(isEntry)]) this.sink(event);
	}

	private mayBeDocument([first, ...others]: StreamEvent[]): boolean {
		if (!first || this.length > LONGEST) return false;
		if (isPage(first)) return true;
		if (!this.mayBeError(first)) return false;
		// Of JSON lines, the first one is whole and others follow
		if (parseJson(first.data) !== undefined) return others.every(({ data }) => data.trim() === '');
		return JSON_START.test(first.data);
	}

	private mayBeError({ type }: StreamEvent): boolean {
		return this.isJson || type === 'error';
	}

	private refusalIn([first, ...others]: StreamEvent[]): string | undefined {
		if (!first) return undefined;
		if (isPage(first)) return WEB_PAGE_REASON;
		const text = [first, ...others].map(({ data }) => data).join('\n');
		if (!this.mayBeError(first) || parseJson(text) === undefined) return undefined;
		const words = ownWords('', text) || text.trim().slice(0, LONGEST_WORDS);
		return `The service returned an error instead of a log: ${words}`;
	}
}

/** Whether a page begins so. A gateway does not put its page into events: there it is what a container has printed. */
function isPage({ data, type }: StreamEvent): boolean {
	return (type === '' || type === 'error') && PAGE.test(data);
}
