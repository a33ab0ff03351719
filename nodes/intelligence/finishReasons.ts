import type { IDataObject } from 'n8n-workflow';

/** Finish reasons of services that send one with each chunk: the choice goes on. */
const GOES_ON = /^(?:null|none|nil|undefined|unfinished|continue|in_progress|generating)?$/i;

/** What the finish reasons in a stream say. Some services send one with each chunk, which the choice goes on after. */
export class FinishReasons {
	/** Finish reasons after which a choice went on: these are none, and others of the service may be none. */
	readonly notEnds = new Set<unknown>();
	/** Choices of which more came after their finish_reason, and no other reason since. */
	readonly goingOn = new Set<IDataObject>();

	/** More of a choice has come. */
	goOn(choice: IDataObject): void {
		if (!isEnd(choice.finish_reason)) return;
		this.notEnds.add(choice.finish_reason);
		this.goingOn.add(choice);
	}

	/** The last reason counts. Some services send an empty one after it, or one that says that the choice goes on. */
	add(choice: IDataObject, reason: unknown): void {
		const { finish_reason: before } = choice;
		if (isEnd(before) ? !isEnd(reason) : isNothing(reason) && before !== undefined) return;
		// `stop` with nothing new does not say that what was cut off is complete
		if (reason === 'stop' && isEnd(before) && !this.notEnds.has(before)) return;
		choice.finish_reason = reason as IDataObject['x'];
		this.goingOn.delete(choice);
	}
}

/** Whether a finish_reason says that its choice has ended. */
export function isEnd(reason: unknown): boolean {
	return Boolean(reason) && !GOES_ON.test(String(reason));
}

/** Whether a value says nothing: such a one takes nothing back. */
export function isNothing(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return (value ?? '') === '';
	return Object.values(value).every(isNothing);
}
