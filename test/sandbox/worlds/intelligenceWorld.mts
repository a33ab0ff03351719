import type { ChatHabits, Completion } from '../index.mts';
import type { Fault } from '../faults.mts';
import type { World } from './world.mts';

/** What a person wants done. Each world lists what must succeed in it: there, any refusal fails. */
export const EVERY_REQUEST = [
	'answer',
	'answer as a stream',
	'answer in JSON',
	'call tools',
	'several choices',
	'batch',
	'embed',
	'list models',
	'agent',
	'agent with parallel calls',
	'picture',
] as const;
export type IntelligenceOperation = (typeof EVERY_REQUEST)[number];

/** How the models answer where the contract leaves it open (beyond-the-spec.md section 5). */
export interface IntelligenceWorld extends World {
	habits?: ChatHabits;
	/** What goes wrong with requests. */
	faults?: readonly Fault[];
	/** Whether its answers are useless, so that it is right to ask again. */
	isFaulty?: boolean;
	/** What an error of this world says, in its message or description. */
	says?: RegExp;
	mustSucceed: readonly IntelligenceOperation[];
}

/** All but these. */
export function but(...operations: IntelligenceOperation[]): IntelligenceOperation[] {
	return EVERY_REQUEST.filter((operation) => !operations.includes(operation));
}

type Message = Completion['choices'][number]['message'];
interface Call {
	id?: string;
	function: { name: string; arguments: unknown };
}

/** Changes each message. */
export const eachMessage =
	(change: (message: Message, completion: Completion) => void): ChatHabits['reshape'] =>
	(completion) =>
		completion.choices.forEach(({ message }) => change(message, completion));

/** The calls of a message, to be changed. */
export const callsIn = ({ tool_calls: calls = [] }: Message): Call[] => calls as Call[];

/** The deltas of a chunk, as far as it has any, to be changed. */
export const deltasIn = (chunk: Record<string, unknown>): Array<Record<string, unknown>> => {
	const choices = chunk.choices as Array<{ delta?: Record<string, unknown> }>;
	return choices.flatMap(({ delta }) => (delta ? [delta] : []));
};

export const CHAT = { method: 'POST', path: /chat\/completions$/ };
export const EMBEDDINGS = { method: 'POST', path: /embeddings$/ };
