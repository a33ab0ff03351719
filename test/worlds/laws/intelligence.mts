import { isDeepStrictEqual } from 'node:util';
import { secretIn } from '../../engine/secrets.mts';
import { vectorOf } from '../../sandbox/intelligence/words.mts';
import { DIMENSIONS, type IntelligenceRecord } from '../intelligenceRecord.mts';
import type { Law } from '../stage.mts';

type IntelligenceLaw = Law<IntelligenceRecord>;

const succeeds: IntelligenceLaw = {
	name: 'what must succeed, succeeds',
	broken: ({ world, refusals }) =>
		refusals
			.filter(({ operation }) => world.mustSucceed.includes(operation))
			.map(({ operation, reason }) => `${operation}: ${reason.slice(0, 300)}`),
};

const kept: IntelligenceLaw = {
	name: 'what was billed is in an output or an error',
	broken({ billed, said, problems, runs }) {
		const shown = JSON.stringify([said.map(({ json }) => json), problems, runs]);
		return billed.flatMap(({ response }) => {
			const tokens = new Set(JSON.stringify(response).match(/A\d+\.\d+/g) ?? []);
			return [...tokens]
				.filter((token) => !shown.includes(token))
				.map((token) => `${token} was billed and is nowhere`);
		});
	},
};

const whole: IntelligenceLaw = {
	name: 'a success has all of the text, or tool calls',
	broken: ({ said }) =>
		said.flatMap(({ operation, json, wanted, text }) => {
			const calls = json.tool_calls;
			if (wanted === undefined || (Array.isArray(calls) && calls.length > 0)) return [];
			const isHalf = json.finish_reason === 'length' && text && wanted.startsWith(text);
			return text === wanted || isHalf
				? []
				: [`${operation}: "${String(text)}" is not "${wanted}"`];
		}),
};

const once: IntelligenceLaw = {
	name: 'nothing is paid twice under Retry On Fail',
	broken({ world, billed }) {
		if (world.isFaulty) return [];
		const asked = billed.flatMap(({ body }) =>
			body.messages === undefined
				? [body.input].flat().map((text) => `vector of ${String(text)}`)
				: [JSON.stringify(body.messages)],
		);
		const twice = asked.filter((one, index) => asked.indexOf(one) !== index);
		return [...new Set(twice)].map((one) => `paid again: ${one.slice(0, 200)}`);
	},
};

const meant: IntelligenceLaw = {
	name: 'no tool runs with arguments that the model did not send',
	broken: ({ wanted, runs }) =>
		runs
			.filter((run) => !wanted.some((call) => isDeepStrictEqual(call, run)))
			.map((run) => `${JSON.stringify(run)} was never asked for`),
};

const runsOnce: IntelligenceLaw = {
	name: 'no tool call runs twice',
	broken: ({ runs }) =>
		runs
			.filter((run, index) => runs.findIndex((one) => isDeepStrictEqual(one, run)) !== index)
			.map((run) => `${JSON.stringify(run)} ran again`),
};

const shown: IntelligenceLaw = {
	name: 'a picture arrives as it is, or is refused in words',
	broken: ({ lost }) => lost,
};

/** Numbers of single precision, as some services send them. */
const PRECISION = 1e-6;

const isVectorOf = (vector: unknown, text: string): boolean => {
	const wanted = vectorOf(text, DIMENSIONS);
	return (
		Array.isArray(vector) &&
		vector.length === DIMENSIONS &&
		vector.every((one, index) => Math.abs(Number(one) - (wanted[index] ?? NaN)) < PRECISION)
	);
};

const vectored: IntelligenceLaw = {
	name: 'a vector store gets a vector for each text, that of the text, in their order',
	broken: ({ vectors: stored }) =>
		stored.flatMap(({ texts, vectors }) => [
			...(vectors.length === texts.length ? [] : [`${vectors.length} vectors of ${texts.length}`]),
			...texts
				.filter((text, index) => !isVectorOf(vectors[index], text))
				.map((text) => `not the vector of "${text}"`),
		]),
};

const counted: IntelligenceLaw = {
	name: 'tokens are counted',
	broken: ({ said }) =>
		said.filter(({ isUncounted }) => isUncounted).map(({ operation }) => `${operation}: no usage`),
};

const explained: IntelligenceLaw = {
	name: 'an error says what happened',
	broken: ({ world, problems }) =>
		problems
			.filter(({ text }) => world.says && !world.says.test(text))
			.map(({ operation, text }) => `${operation}: ${text.slice(0, 300)}`),
};

const secret: IntelligenceLaw = {
	name: 'no secret is told',
	broken: ({ said, problems }) => {
		const found = secretIn(JSON.stringify([said, problems]));
		return found === undefined ? [] : [found];
	},
};

export const intelligenceLaws: readonly IntelligenceLaw[] = [
	succeeds,
	kept,
	whole,
	once,
	meant,
	runsOnce,
	shown,
	vectored,
	counted,
	explained,
	secret,
];
