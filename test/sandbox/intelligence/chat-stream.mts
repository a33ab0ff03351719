import { setImmediate } from 'node:timers/promises';
import { stableNumber } from '../core/ids.mts';
import { logprobOf, piecesOf, type Choice } from './chat-answer.mts';

/** How a stream is encoded: plainly, or with keep-alives and mixed line ends. The seed decides where it is split into chunks. */
export interface StreamEncoding {
	seed: string;
	isNoisy: boolean;
}

/** The streamed form (beyond-the-spec.md section 5): one delta per token, the choices interleaved, then the usage, then `[DONE]`. */
export function* chunks(
	head: object,
	choices: readonly Choice[],
	{ usage, logprobs }: { usage?: object; logprobs: boolean },
): Generator<object> {
	const chunk = (content: object) => ({ ...head, object: 'chat.completion.chunk', ...content });
	const open = choices.map((choice, index) => deltas(choice, index, logprobs));
	while (open.length > 0) {
		for (const one of [...open]) {
			const { value, done } = one.next();
			if (done) open.splice(open.indexOf(one), 1);
			else yield chunk({ choices: [value] });
		}
	}
	if (usage) yield chunk({ choices: [], usage });
}

function* deltas(
	{ content, reasoning, calls, finish }: Choice,
	index: number,
	logprobs: boolean,
): Generator<object> {
	const delta = (change: object, reason: string | null = null, token?: string) => ({
		index,
		delta: change,
		logprobs: token === undefined ? null : { content: [logprobOf(token)] },
		finish_reason: reason,
		...(reason !== null && { stop_reason: null }),
	});
	yield delta({ role: 'assistant', content: content === null ? null : '' });
	for (const piece of piecesOf(reasoning ?? '')) yield delta({ reasoning_content: piece });
	for (const piece of piecesOf(content ?? ''))
		yield delta({ content: piece }, null, logprobs ? piece : undefined);
	for (const [callIndex, call] of (calls ?? []).entries()) {
		yield delta({
			tool_calls: [
				{ index: callIndex, ...call, function: { name: call.function.name, arguments: '' } },
			],
		});
		for (const piece of call.function.arguments.match(/.{1,5}/gs) ?? [])
			yield delta({ tool_calls: [{ index: callIndex, function: { arguments: piece } }] });
	}
	yield delta({}, finish);
}

/** The chunks as bytes, each written in its own turn of the event loop, so that the network does not join them. */
export async function* encoded(
	content: Iterable<object>,
	{ seed, isNoisy }: StreamEncoding,
): AsyncGenerator<Buffer> {
	let count = 0;
	const random = (below: number) => stableNumber(`${seed} ${count++}`, below);
	let rest = Buffer.alloc(0);
	for (const text of events(content, isNoisy ? random : undefined)) {
		rest = Buffer.concat([rest, Buffer.from(text)]);
		const sent = random(rest.length + 1);
		if (sent > 0) yield rest.subarray(0, sent);
		rest = rest.subarray(sent);
		await setImmediate();
	}
	if (rest.length > 0) yield rest;
}

function* events(
	content: Iterable<object>,
	random: ((below: number) => number) | undefined,
): Generator<string> {
	const lineEnd = () => (random ? (['\n', '\r\n', '\r'][random(3)] ?? '\n') : '\n');
	for (const chunk of content) {
		if (random && random(5) === 0)
			yield `: keep-alive${lineEnd()}${random(2) === 0 ? lineEnd() : ''}`;
		const end = lineEnd();
		yield `data:${random && random(2) === 0 ? '' : ' '}${JSON.stringify(chunk)}${end}${end}`;
	}
	if (!random || random(4) > 0) yield 'data: [DONE]\n\n';
}
