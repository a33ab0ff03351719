import type { LogFormat, ResumeHabits, StreamHabits } from '../compute/logs.mts';
import { errorForms, type ErrorForm } from '../faults.mts';
import type { Relaxation, World } from './world.mts';

/** What interrupts a log, again and again while it is followed. */
export type Interruption =
	/** The connection breaks between two entries. */
	| { kind: 'break' }
	/** It breaks in the middle of an entry. */
	| { kind: 'half' }
	/** The service ends the stream in order, and the container goes on. */
	| { kind: 'end' }
	/** It breaks, and so do the next ones, each after so many bytes. */
	| { kind: 'short'; bytes: readonly number[] }
	/** The connection stays open and brings no further entry. */
	| { kind: 'stall' }
	/** All connections break, and log and deployment address give this answer for some seconds. */
	| { kind: 'outage'; answer: ErrorForm; seconds: number }
	/** The container starts again, with an empty log. */
	| { kind: 'restart' }
	/** Nothing: the service itself ends each stream. */
	| { kind: 'none' };

/** What a person does with the trigger. Each world lists what must succeed in it: there, any refusal fails. */
export type Operation = 'activate' | 'follow' | 'resume' | 'deactivate';

/** In almost every world. */
export const EVERY_OPERATION: readonly Operation[] = ['activate', 'follow', 'resume', 'deactivate'];

/** How a service handles the log of a container where the contract leaves it open (beyond-the-spec.md section 2). */
export interface LogWorld extends World {
	format?: LogFormat;
	contentType?: string;
	resume?: ResumeHabits;
	stream?: StreamHabits;
	/** Options of the trigger that a user of this service sets. */
	options?: Record<string, string | number | boolean>;
	/** One after the other; default: {@link CUTS}. */
	interruptions?: readonly Interruption[];
	/** What all long outages answer; default: 503. */
	outage?: ErrorForm;
	/** The container writes these lines first, each time that it starts. */
	banner?: readonly string[];
	/** What the container writes in place of the line with this number. */
	line?(text: string, number: number): string;
	/** Whether the options let a line pass; default: every line. */
	isWanted?(line: string): boolean;
	/** The part of a line that must arrive; default: all of it. */
	essence?(line: string): string;
	/** Lines that come from the service and not from the container, and may be delivered. */
	greetings?: readonly string[];
	mustSucceed: readonly Operation[];
}

/** Every way to lose a connection. */
export const CUTS: readonly Interruption[] = [{ kind: 'break' }, { kind: 'half' }, { kind: 'end' }];

/** Outages of some seconds: shorter and longer than a first pause. */
export function outages(answer: ErrorForm): Interruption[] {
	return [3, 12, 25].map((seconds) => ({ kind: 'outage', answer, seconds }));
}

export const UNAVAILABLE: ErrorForm = errorForms.html(503, 'Service Unavailable');

/** Equal lines have no identity: after a reconnection it cannot be known how many of them were read before. */
export const EQUAL_LINES_REPEAT: Relaxation = {
	law: 'no line comes twice',
	scenario: 'heartbeat',
	why: 'The service does not say where its answer begins, and equal lines cannot be told apart',
};

/** Where the service counts differently from the documented way, once, as soon as the log has more lines than the window. */
export const EQUAL_LINE_MISSING: Relaxation = {
	law: 'no line is lost',
	scenario: 'heartbeat',
	why: 'Only different lines show that the service begins one entry later; of equal ones, one is left out once',
};
