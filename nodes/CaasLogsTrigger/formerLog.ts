import type { Answer, KnownEntries, Place } from './answer';
import { WINDOW, type Position } from './cursor';

/** The log before the present one: what took its place may have been the page of a proxy, and then it comes back. */
export class FormerLog {
	/** Where this connection has brought the entries before the place that was read last. */
	place?: Place;
	private log?: { position: Position; known: KnownEntries };

	/** Entries of it that were read. */
	get entries(): number {
		return this.log?.position.offset.entries ?? 0;
	}

	/** Another connection begins. */
	onConnection(): void {
		this.place = undefined;
	}

	/** Looks for the place in what a connection has brought. */
	look(answer: Answer): void {
		if (this.log && answer.endsWith(this.log.known)) this.place ??= answer.end;
	}

	/** Another log takes the place of this one. A page that changes with each request is none: the longest one counts. */
	remember(position: Position, known: KnownEntries): void {
		if (position.offset.entries > Math.max(WINDOW, this.entries)) this.log = { position, known };
	}

	/** It is the present log again. Returns where it was read last. */
	comeBack(): Position | undefined {
		const position = this.log?.position;
		this.log = undefined;
		return position;
	}
}
