import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { jsonBody, param } from '../core/http.mts';
import { stableUuid } from '../core/ids.mts';
import type { Service } from '../core/service.mts';
import { parse } from '../core/validation.mts';
import type { Prompt } from './library.mts';
import { existing, iso, listed, message, ragRefusal, success } from './rag-http.mts';

const createBody = z.object({
	name: z.string().min(1),
	template: z.string().min(1),
	input_types: z.record(z.string()),
});
const updateBody = createBody.omit({ name: true }).partial();

const shown = ({ createdAt, ...prompt }: Prompt) => ({
	...prompt,
	created_at: iso(createdAt),
	updated_at: iso(createdAt),
});

/** Prompt templates; one is read by POST (beyond-the-spec.md section 6, "Prompts"). */
export function promptRoutes(app: FastifyInstance, { clock, library }: Service): void {
	const promptOf = (request: FastifyRequest) =>
		existing(library.prompts, param(request, 'name'), 'Prompt');

	app.get('/prompts', (request) => listed(request, [...library.prompts.values()].map(shown)));

	app.post('/prompts', (request) => {
		const { name, template, input_types } = parse(createBody, jsonBody(request), 'body');
		if (library.prompts.has(name)) throw ragRefusal(409, `Prompt ${name} already exists`);
		library.prompts.set(name, {
			id: stableUuid(`prompt ${name}`),
			name,
			template,
			input_types,
			createdAt: clock.now(),
		});
		return message(`Prompt '${name}' added successfully.`);
	});

	app.post('/prompts/:name', (request) => ({ results: shown(promptOf(request)) }));

	app.put('/prompts/:name', (request) => {
		const { template, input_types } = parse(updateBody, jsonBody(request), 'body');
		const prompt = promptOf(request);
		if (template !== undefined) prompt.template = template;
		if (input_types !== undefined) prompt.input_types = input_types;
		return message(`Prompt '${prompt.name}' updated successfully.`);
	});

	app.delete('/prompts/:name', (request) => {
		library.prompts.delete(promptOf(request).name);
		return success;
	});
}
