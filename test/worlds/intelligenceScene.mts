import { setImmediate } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import type { NodeUnderTest } from '../engine/engine.mts';
import { chat, locator, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import type { ChatHabits } from '../sandbox/index.mts';
import type {
	IntelligenceOperation,
	IntelligenceWorld,
} from '../sandbox/worlds/intelligenceWorld.mts';
import type { IntelligenceRecord, ToolRun } from './intelligenceRecord.mts';
import type { Stage } from './stage.mts';

export const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';

const LONGEST_EXECUTION_MS = 3_600_000;
const LONGEST_LOADING_MS = 60_000;

type Model = NonNullable<ChatHabits['model']>;

/** The models of a world, and what somebody asks them. */
export class IntelligenceScene {
	readonly record: IntelligenceRecord;
	private questions = 0;

	constructor(
		readonly stage: Stage,
		world: IntelligenceWorld,
	) {
		const { sandbox } = stage;
		sandbox.reset();
		this.record = {
			world,
			said: [],
			problems: [],
			refusals: [],
			vectors: [],
			wanted: [],
			runs: [],
			lost: [],
			billed: sandbox.answers,
		};
		sandbox.adopt({
			habits: { ...world.habits, model: (body, index) => this.answer(body, index) },
		});
		for (const fault of world.faults ?? []) sandbox.faults.add(fault);
	}

	/** A question that nobody has asked. */
	question(words = 'What is it?'): string {
		return `Q${++this.questions} ${words}`;
	}

	/** The text that the model answers a question with. */
	textFor(question: string, index = 0): string {
		return `${tokenOf(question)}.${index} is the answer to this question, and it has some more words.`;
	}

	/**
	 * Runs a node and judges its items.
	 * @param judge what is missing in an item, or in all of them where it is called without one
	 */
	async run(
		operation: IntelligenceOperation,
		node: NodeUnderTest,
		items: IDataObject[],
		judge: (json: IDataObject, index: number) => { wanted?: string; text?: string } | string,
	): Promise<void> {
		const run = await this.during(this.stage.engine.run({ ...node, ...RETRY }, items));
		if (run.data.resultData.error) return this.fail(operation, errorOf(run));
		const found = jsonOf(run);
		if (found.length === 0) this.record.refusals.push({ operation, reason: 'no item' });
		for (const [index, json] of found.entries()) {
			const judged = judge(json, index);
			const texts = typeof judged === 'string' ? {} : judged;
			if (typeof judged === 'string') this.record.refusals.push({ operation, reason: judged });
			this.record.said.push({ operation, json, ...texts });
		}
	}

	/** A chat of one question for each item; `{{ $json.q }}` is the question. */
	chat(options: IDataObject): NodeUnderTest {
		return chat('chat', 'complete', {
			model: locator(MODEL),
			input: 'prompt',
			prompt: '={{ $json.q }}',
			options,
		});
	}

	fail(operation: IntelligenceOperation, error: Error): void {
		const { message, description, context } = error as Error & {
			description?: string;
			context?: unknown;
		};
		const text = [message, description, JSON.stringify(context)].filter(Boolean).join('\n');
		this.record.problems.push({ operation, text });
		this.record.refusals.push({ operation, reason: text });
	}

	/** Lets time pass until a piece of work is done. What n8n loads when it is first needed takes real time meanwhile. */
	async during<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = () => {
			isDone = true;
		};
		work.then(done, done);
		for (const end = Date.now() + LONGEST_LOADING_MS; ; await setImmediate()) {
			try {
				return await this.stage.time.during(work, LONGEST_EXECUTION_MS);
			} catch (error) {
				if (isDone || Date.now() > end) throw error;
			}
		}
	}

	/** The model: a price, then a deployment, then a text; two deployments at once where it is asked for them. */
	private answer(body: Parameters<Model>[0], index: number): ReturnType<Model> {
		const asked = body.messages.findLast(({ role }) => role === 'user')?.content;
		const question = typeof asked === 'string' ? asked : JSON.stringify(asked);
		const token = `${tokenOf(question)}.${index}`;
		const turn = body.messages.filter(({ role }) => role === 'tool').length;
		const calls = body.tools?.length ? callsOf(question, token, turn) : [];
		if (calls.length > 0) {
			this.record.wanted.push(...calls);
			return {
				content: null,
				calls: calls.map(({ name, args }, at) => ({
					id: `call_${token.replace('.', '')}${turn}${at}`,
					type: 'function',
					function: { name, arguments: JSON.stringify(args) },
				})),
				finish: 'tool_calls',
			};
		}
		const text = this.textFor(question, index);
		const isJson = body.response_format?.type === 'json_schema';
		return { content: isJson ? JSON.stringify({ answer: text }) : text, finish: 'stop' };
	}
}

function tokenOf(question: string): string {
	return `A${/Q(\d+)/.exec(question)?.[1] ?? '?'}`;
}

function callsOf(question: string, token: string, turn: number): ToolRun[] {
	const deploy = (suffix: string) => ({ name: 'deploy', args: { name: `${token}-${suffix}` } });
	if (question.includes('both')) return turn === 0 ? [deploy('first'), deploy('second')] : [];
	return [[{ name: 'price', args: { name: `${token}-price` } }], [deploy('only')]][turn] ?? [];
}
