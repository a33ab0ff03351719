import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { RequestContext } from '../shared/http/request';

/** Something that has happened. */
export interface TriggerEvent {
	/**
	 * What tells it from every other event of its kind. Where the service shows nothing that does, `poll` adds which poll with
	 * events it is.
	 */
	identity: string[];
	/** Whether the identity is enough: it will never be that of another event. */
	isUnique?: boolean;
	json: IDataObject;
}

/** What one poll has seen. */
export interface Look<Seen> {
	events: TriggerEvent[];
	/** What the next poll compares with. */
	seen: Seen;
	/** Why a part of it could not be read; what was seen of that before has stayed. */
	failure?: unknown;
}

/** How one kind of event is found. */
export interface Watch<Seen> {
	/**
	 * Reads the service, and compares it with what was seen before.
	 * @param seen undefined for what is seen for the first time, which becomes the base line
	 * @throws where the service cannot be read: nothing was seen then
	 */
	look(context: RequestContext, seen: Seen | undefined): Promise<Look<Seen>>;
	/** What an event could look like now, for a test run; undefined where there is nothing. */
	sample(context: RequestContext): Promise<IDataObject | undefined>;
}

/** A short name for something, in text that fits a URL: 6 bits a character. */
export function digest(parts: unknown, length: number): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, length);
}
