import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { jsonBody } from '../core/http.mts';
import type { Service } from '../core/service.mts';
import { integer, oneOf, parse } from '../core/validation.mts';
import { embeddingModels, noSuchModel } from './models.mts';
import { tokensOf, vectorOf } from './words.mts';

/** Body of beyond-the-spec.md section 5, "Embeddings". */
const embeddingBody = z.object({
	model: z.string().min(1),
	input: oneOf(
		'must be a string or a list of strings',
		z.string().min(1),
		z.array(z.string().min(1)).min(1),
	),
	encoding_format: z.enum(['float', 'base64']).optional(),
	dimensions: integer().min(1).optional(),
	user: z.string().optional(),
});

/** `POST /embeddings`: a text always has the same vector, and texts that share words have similar ones. */
export function embeddingRoutes(app: FastifyInstance, service: Service): void {
	app.post('/embeddings', (request) => {
		const body = parse(embeddingBody, jsonBody(request), 'body');
		const size = Object.entries(embeddingModels).find(([id]) => id === body.model)?.[1];
		if (size === undefined) throw noSuchModel(body.model);
		const inputs = typeof body.input === 'string' ? [body.input] : body.input;
		const tokens = inputs.reduce((sum, input) => sum + tokensOf(input).length, 0);
		const response = {
			object: 'list',
			data: inputs.map((input, index) => {
				const vector = vectorOf(input, body.dimensions ?? size);
				return {
					object: 'embedding',
					index,
					embedding: body.encoding_format === 'base64' ? packed(vector) : vector,
				};
			}),
			model: body.model,
			usage: { prompt_tokens: tokens, total_tokens: tokens },
		};
		service.settings.habits.vectors?.(response);
		service.answers.push({ body, response });
		return response;
	});
}

/** Little-endian 32-bit floats in base64, as in OpenAI's API. */
function packed(vector: readonly number[]): string {
	const bytes = Buffer.alloc(vector.length * 4);
	vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
	return bytes.toString('base64');
}
