import { options } from './options.mts';
import type { Section } from './fact.mts';

const DOCUMENT = 'beyond-the-spec.md';
const section = (heading: string, facts: Record<string, string>): Section => ({
	from: `${DOCUMENT}, ${heading}`,
	facts,
});

/** beyond-the-spec.md: what the product relies on. */
const vmaas: Section[] = [
	section('1 Hardware list', {
		'hardware.filter.several': 'Several regions or models: the key is repeated',
		'hardware.limit': 'No paging and no sort on the server',
		'hardware.price.unit': 'price: USD an hour for the whole configuration',
		'hardware.oddities': 'num_cards 0 with an empty name, price 0, and missing fields come',
	}),
	section('1 Price', {
		'price.replica_count.required':
			'replica_count is required by the schema: always sent, 1 by default',
		'price.200':
			'{ data: { replica_count, gpus_per_vm, available_replica_count, discount, fees, total_cost_usdc } }',
		'price.fee.name': 'The fee fields carry the name of the service',
		'price.hardware_id.gone': 'Hardware that is not on offer has no GPU count to take',
	}),
	section('1 Deploy', {
		'deploy.body.unknown': 'An unknown key is a 422',
		'deploy.body.all': 'Every optional field has its place in the body',
		'deploy.network_services.port': 'port: 1 to 65535',
		'deploy.network_services.protocol': 'protocol: tcp or udp',
		'deploy.network_services.whitelist': 'whitelist: at least one CIDR',
		'deploy.vm_image_type.default': 'general unless it is said',
		'deploy.answer.flat': 'The answer may be { status, deployment_id }',
		'deploy.answer.data': 'or { data: … }',
		'deploy.answer.empty': 'or empty',
		'deploy.once': 'There is no idempotency key: a lost answer is never sent again blindly',
		'deploy.lookup': 'A lost deploy is looked up by its resource_private_name',
	}),
	section('1 Extend', {
		'extend.path': 'POST …/deployment/{deployment_id}/extend with duration_hours alone',
		'extend.duration_hours': 'integer > 0',
		'extend.no-upper-bound': 'The bound of 8760 is that of deploy',
		'extend.404': '404 for a cluster that is not there',
		'extend.422': 'the validation error body',
		'extend.not-idempotent': 'A second one adds again',
	}),
	section('1 Destroy', {
		'destroy.path': 'DELETE …/deployment/{deployment_id} without a body',
		'destroy.output': 'Any JSON is a success',
		'destroy.empty': 'and so is an empty answer',
		'destroy.404': 'Gone already is a 404, and a success',
		'destroy.422': 'the validation error body',
		'destroy.idempotent': 'A second one does nothing more',
		'first_hour.within': 'Half an hour is charged as one hour',
		'first_hour.edge': 'Exactly an hour is charged as it is',
		'first_hour.after': '1.2 of 3 hours: 1.2 are charged and 1.8 refunded',
		'first_hour.end': '2.5 of 3 hours: the rest is refunded',
	}),
	section('1 Deployments', {
		'deployments.path': 'GET …/deployments',
		'deployments.status': 'query status',
		'deployments.page': 'query page, from 0 or from 1: read until a page brings nothing new',
		'deployments.page_size': 'query page_size of at most 100',
		'deployments.name': 'The name is called name or resource_private_name',
		'deployments.older': 'compute_minutes_served tells how old a cluster is',
	}),
	section('1 Deployment details', {
		'deployment.get': 'GET …/deployment/{deployment_id}: { data: details }',
		'deployment.dates': 'Dates are ISO 8601; started_at and finished_at may be null',
	}),
	section('1 VMs of a deployment', {
		'vms.get': 'GET …/deployment/{id}/vms, page from 1, page_size up to 100',
		'vms.fields': 'A machine has its id, hardware, state, events, network services and ssh_access',
		'vms.events.null': 'vm_events may be null',
		'vms.ssh_access': 'ssh_access looks like user@ip',
		'vms.jobs': 'GET …/deployment/{id}/vms-jobs/{vm_id}',
		'vms.limit': 'A limit ends the reading',
	}),
	section('1 Deployment statuses', {
		'deployment.status':
			'deployment requested, running, completed, failed, termination requested, destroyed, with spaces',
		'deployment.status.final': 'completed, failed and destroyed are final, an unknown one is not',
	}),
];

const caas: Section[] = [
	section('2 CaaS', {
		'caas.auth': 'header x-api-key',
		'caas.deployments': 'GET …/caas/deployments, page from 0, page_size up to 100',
		'caas.deployments.status': 'query status',
		'caas.deployment': 'GET …/caas/deployment/{id} with total_containers and container_config',
		'caas.containers': 'GET …/caas/deployment/{id}/containers: { data: { total, workers } }',
		'caas.containers.public_url': 'public_url and container_events may be null',
		'caas.deploy': 'POST …/caas/deploy answers { status, deployment_id }',
		'caas.deploy.body': 'name, hours, GPUs, hardware, locations, container_config, registry_config',
		'caas.deploy.container':
			'container_config has variables, entrypoint and args; registry_config has a login',
		'caas.deploy.ids': 'hardware_id and location_ids are whole numbers',
		'caas.price': 'GET …/caas/price with location_ids as JSON text and gpus_per_container',
		'caas.price.limit': 'Its total is what a price limit is compared with',
		'caas.available-replicas':
			'GET …/caas/available-replicas with hardware_id and hardware_qty: a list of locations',
		'caas.update': 'PATCH …/caas/deployment/{id}: everything at the top level',
		'caas.extend': 'POST …/caas/deployment/{id}/extend with duration_hours',
		'caas.extend.limit': 'The details show what the price of an extension needs',
		'caas.destroy': 'DELETE …/caas/deployment/{id}',
		'caas.public_url': 'public_url leads to the HTTP server of a container',
		'container.jobs.path': 'GET …/caas/deployment/{id}/containers-jobs/{container_id}',
		'container.jobs.page': 'page from 0, which is the default, page_size up to 100',
		'container.jobs.entry': 'The shape of an entry is not shown: it is passed on as it comes',
		'container.jobs.list':
			'The name of the list is taken from the jobs of a VM: another one is an error',
		'container.jobs.all': 'Page after page, also where the service counts from 1',
		'container.jobs.limit': 'So many at most',
		'container.jobs.none': 'A container may have no jobs',
		'container.jobs.404': 'An unknown container is a 404',
	}),
	section('2 Container log stream', {
		'log.stream.name': 'The selector is called stream; stdout unless it is said',
		'log.offset.name': 'The name of the offset is a setting, offset by default',
		'log.form.sse': 'An entry may be an event: data, event, id, comments',
		'log.form.lines': 'or a bare line',
		'log.form.json': 'Data may be text or JSON',
		'log.end': 'The stream of a finished container may end',
		'log.404': '404 and 422 before the stream are JSON or text',
	}),
];

const explorer: Section[] = [
	section('3 Explorer', {
		'explorer.summary': 'GET …/devices/{device_id}/summary',
		'explorer.pow-summary': 'GET …/devices/{device_id}/pow-summary',
		'explorer.block-rewards':
			'GET /v1/{service}-blocks/…/block-rewards-summary/{from}/{to}, no envelope',
		'explorer.block-rewards.date': 'Days are YYYY-MM-DD',
		'explorer.404': 'All: 404 is the text Not found',
		'explorer.422': 'All: 422 is the validation error body',
		'explorer.rate-limit': 'Requests are limited: 429 may name Retry-After',
	}),
];

const authentication: Section[] = [
	section('4 Authentication', {
		'intelligence.auth.xApiKey': 'x-api-key: <key> is accepted',
		'intelligence.auth.token': 'token: <JWT> is accepted',
		'rag.auth': 'Exactly one header: two at once are refused',
		'rag.oauth2': 'OAuth 2.0 is a choice in the retrieval node too',
	}),
];

const intelligence: Section[] = [
	section('5 Models', {
		'model.paged': 'A list may come in pages: data and pagination, query page, page_size, q',
		'model.paged.name': 'There the id is called name',
	}),
	section('5 Chat completions', {
		...options,
		'chat.roles': 'developer, system, user, assistant, tool',
		'chat.tool_call_id': 'A message of a tool names its call',
		'chat.content.parts': 'Content may be parts: text and image_url with url and detail',
		'chat.images.count': 'At most 10 images a request',
		'chat.images.kind': 'JPEG, PNG, WEBP or GIF',
		'chat.tool_choice.default': 'none unless it is said: with tools the node says auto',
		'chat.reasoning_tokens':
			'Reasoning is in reasoning_content and usage.completion_tokens_details.reasoning_tokens',
		'chat.response.simplified': 'A choice in few fields',
	}),
	section('5 Chat completions, streaming', {
		'chat.stream.chunks':
			'data: chunks of object chat.completion.chunk, with index, delta and finish_reason',
		'chat.stream.done': 'The last is [DONE]',
		'chat.stream.usage': 'A last chunk without choices may carry usage',
		'chat.stream.reasoning': 'delta.reasoning_content',
		'chat.stream.tool_calls': 'delta.tool_calls come in pieces',
	}),
	section('5 Chat completions, errors', {
		'chat.errors.400': '400: the model refuses an option',
		'chat.errors.402': '402: the plan is too low',
		'chat.errors.403': '403',
		'chat.errors.429': '429',
	}),
	section('5 Embeddings', {
		'embedding.path': 'POST /api/v1/embeddings',
		'embedding.model': 'model: text, required',
		'embedding.input': 'input: a text or a list of texts',
		'embedding.encoding_format': 'float or base64',
		'embedding.dimensions': 'integer',
		'embedding.user': 'text',
		'embedding.200': 'The widely used list form: object list, data with index and embedding, usage',
	}),
	section('5 Run an agent', {
		'agent.run.path': 'POST /api/v1/workflows/run',
		'agent.run.agent_names': 'list of texts, required',
		'agent.run.objective': 'text',
		'agent.run.persona': 'who the agent is',
		'agent.run.args.solve_with_reasoning': 'no more than its type',
		'agent.run.args.summarize_text': 'max_words',
		'agent.run.args.sentiment': 'no more than its type',
		'agent.run.args.extract_categorized_entities': 'no more than its type',
		'agent.run.args.translate_text': 'target_language',
		'agent.run.args.classify': 'classify_by: a list',
		'agent.run.args.moderation': 'threshold',
		'agent.run.args.custom': 'name, objective, instructions, context',
		'agent.run.result': 'The result is not shown: it is passed on',
		'agent.keys.all':
			'extractor, translation_agent, classification_agent, moderation_agent, custom_agent are keys too',
	}),
];

const errors: Section[] = [
	section('7 Errors', {
		'errors.form.text': 'text/plain',
		'errors.form.empty': 'an empty body',
		'errors.form.detail': '{ detail: text }',
		'errors.form.list': '{ detail: [{ loc, msg, type }] }',
		'errors.form.detail_message': '{ detail: { message } }',
		'errors.form.message': '{ message, error_type }',
		'errors.form.error': '{ error: { message, type, code } }',
	}),
];

export const beyond: Section[] = [
	...vmaas,
	...caas,
	...explorer,
	...authentication,
	...intelligence,
	...errors,
];
