import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isRecord } from '../core/guards.mts';
import { jsonBody, refusal } from '../core/http.mts';
import { stableNumber, stableUuid } from '../core/ids.mts';
import type { Service } from '../core/service.mts';
import { parse } from '../core/validation.mts';

/** The agents known (beyond-the-spec.md section 5). */
const agents: Record<string, { name: string; description: string }> = {
	reasoning_agent: { name: 'Reasoning Agent', description: 'Solves a problem step by step' },
	summary_agent: { name: 'Summary Agent', description: 'Makes a long text short' },
	sentiment_analysis_agent: {
		name: 'Sentiment Analysis Agent',
		description: 'Tells the mood of a text',
	},
	extractor: {
		name: 'Named Entity Recognizer',
		description: 'Finds the entities of a text and their categories',
	},
	translation_agent: { name: 'Translation Agent', description: 'Translates a text' },
	classification_agent: {
		name: 'Classification Agent',
		description: 'Sorts a text into one of several classes',
	},
	moderation_agent: { name: 'Moderation Agent', description: 'Finds what should not be published' },
	custom_agent: { name: 'Custom Agent', description: 'Does what it is told' },
};

const argumentTypes = [
	'solve_with_reasoning',
	'summarize_text',
	'sentiment',
	'extract_categorized_entities',
	'translate_text',
	'classify',
	'moderation',
	'custom',
] as const;

const runBody = z
	.object({
		agent_names: z.array(z.string().min(1)).min(1),
		objective: z.string().min(1).optional(),
		text: z.string().min(1).optional(),
		persona: z.unknown(),
		args: z
			.object({ type: z.enum(argumentTypes) })
			.passthrough()
			.optional(),
	})
	.passthrough();

/** `GET /agents` (intelligence-api.md, "List agents") and `POST /workflows/run`, whose result shape is not documented. */
export function agentRoutes(app: FastifyInstance, _service: Service): void {
	app.get('/agents', () => ({
		agents: Object.fromEntries(
			Object.entries(agents).map(([key, agent]) => [
				key,
				{ ...agent, persona: null, metadata: { image_url: null, tags: ['text'] } },
			]),
		),
	}));

	app.post('/workflows/run', (request) => {
		const body = parse(runBody, jsonBody(request), 'body', (value) =>
			isRecord(value) && value.objective === undefined && value.text === undefined
				? [{ loc: ['body', 'objective'], msg: 'Field required', type: 'missing' }]
				: [],
		);
		const unknown = body.agent_names.find((name) => !Object.hasOwn(agents, name));
		if (unknown !== undefined) throw refusal(404, `Agent ${unknown} not found`);
		const objective = body.objective ?? body.text ?? '';
		const type = body.args?.type ?? 'custom';
		return { task: stableUuid(JSON.stringify(body)), result: resultOf(type, objective) };
	});
}

function resultOf(type: (typeof argumentTypes)[number], objective: string): unknown {
	const number = stableNumber(`${type} ${objective}`, 100);
	switch (type) {
		case 'sentiment':
			return { sentiment: number / 100 };
		case 'moderation':
			return { flagged: number > 90, score: number / 100 };
		case 'extract_categorized_entities':
			return { entities: objective.match(/\b\p{Lu}\p{L}+/gu) ?? [] };
		default:
			return `${type}: ${objective}`;
	}
}
