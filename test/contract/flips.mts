/** One fact turned over in one place. The text must stand in the file exactly once. */
export interface Flip {
	/** Id of the fact, as the title of its test names it. */
	fact: string;
	file: string;
	from: string;
	to: string;
}

const VMAAS = 'nodes/Vmaas';
const EXPLORER = 'nodes/Explorer/device.ts';
const RAG = 'nodes/Rag';
const CLOUD = 'test/sandbox/compute';
const INTELLIGENCE = 'test/sandbox/intelligence';
const CHAT = 'nodes/ChatCompletion';
const CAAS = 'nodes/Caas';

/** In the forms and requests of the nodes. */
const inTheNodes: Flip[] = [
	{ fact: 'deploy.duration_hours.max', file: `${VMAAS}/price.ts`, from: 'export const HOURS = { min: 1, max: 8760 }', to: 'export const HOURS = { min: 1, max: 8761 }' },
	{ fact: 'deploy.gpus_per_vm.max', file: `${VMAAS}/price.ts`, from: 'export const GPUS = { min: 1, max: 8 }', to: 'export const GPUS = { min: 1, max: 16 }' },
	{ fact: 'deploy.location_ids.length', file: `${VMAAS}/deploy.ts`, from: 'location_ids: [order.placement.locationId]', to: 'location_ids: order.placement.locationId' },
	{ fact: 'deploy.node_pool_id', file: `${VMAAS}/deploy.ts`, from: '{ node_pool_id: order.placement.nodePoolId }', to: '{ node_pool: order.placement.nodePoolId }' },
	{ fact: 'deploy.vm_image_type.values', file: `${VMAAS}/deployForm.ts`, from: "const IMAGE_TYPES = ['general', 'datascience']", to: "const IMAGE_TYPES = ['general', 'datascience', 'gaming']" },
	{ fact: 'deploy.ssh_keys', file: `${VMAAS}/access.ts`, from: "'ecdsa-sha2-nistp256', ", to: '' },
	{ fact: 'price.location_ids', file: `${VMAAS}/price.ts`, from: 'JSON.stringify([query.locationId])', to: 'query.locationId' },
	{ fact: 'price.replica_count', file: `${VMAAS}/price.ts`, from: 'replica_count: query.replicaCount,', to: '' },
	{ fact: 'hardware.filter.device_memory_min', file: `${VMAAS}/hardware.ts`, from: "query: 'device_memory'", to: "query: 'memory'" },
	{ fact: 'hardware.filter.cpu_cores_min.min', file: `${VMAAS}/hardware.ts`, from: "query: 'cpu_cores', min: 1", to: "query: 'cpu_cores', min: 0" },
	{ fact: 'hardware.list.auth', file: 'credentials/ComputeMarketplaceApi.credentials.ts', from: "headers: { 'x-api-key':", to: "headers: { 'x-apikey':" },
	{ fact: 'extend.path', file: `${VMAAS}/extend.ts`, from: '/deployment/{deployment_id}/extend`', to: '/deployment/{deployment_id}/prolong`' },
	{ fact: 'destroy.404', file: `${VMAAS}/destroy.ts`, from: "outcome.kind === 'answer' && outcome.status === 404", to: "outcome.kind === 'answer' && outcome.status === 410" },
	{ fact: 'device.get.path', file: EXPLORER, from: '`/v1/{service}-explorer/devices/{device_id}/${part}`', to: '`/v1/{service}-explorer/device/{device_id}/${part}`' },
	{ fact: 'envelope.status', file: EXPLORER, from: "status === 'succeeded' && isJson(data)", to: 'isJson(data)' },
	{ fact: 'container.jobs.path', file: 'nodes/Caas/containers.ts', from: '}/containers-jobs/{container_id}`,\n', to: '}/container-jobs/{container_id}`,\n' },
	{ fact: 'search.path', file: `${RAG}/search.ts`, from: '`${RAG}/retrieval/search`', to: '`${RAG}/search`' },
	{ fact: 'search.top_k', file: `${RAG}/search.ts`, from: 'top_k: topK, ', to: '' },
	{ fact: 'generate.prompt_name', file: `${RAG}/generate.ts`, from: 'prompt_name: promptName', to: 'prompt: promptName' },
	{ fact: 'generate.context', file: `${RAG}/search.ts`, from: "chunks.map(textOf).join('\\n')", to: "chunks.map(textOf).join(' ')" },
	{ fact: 'rag.version', file: `${RAG}/api.ts`, from: "'/api/{rag}/v3'", to: "'/api/{rag}/v2'" },
	{ fact: 'log.path', file: 'nodes/Caas/logStream.ts', from: '`${CAAS}/deployment/{deployment_id}/log/{container_id}`', to: '`${CAAS}/deployment/{deployment_id}/logs/{container_id}`' },
	{ fact: 'log.headers', file: 'nodes/Caas/paths.ts', from: "['accessToken', 'computeMarketplaceApi', 'computeMarketplaceTokenApi']", to: "['accessToken', 'computeMarketplaceApi']" },
	{ fact: 'log.headers.oauth2', file: 'nodes/Caas/paths.ts', from: "['oAuth2', 'computeMarketplaceOAuth2Api', 'computeMarketplaceApi']", to: "['oAuth2', 'computeMarketplaceOAuth2Api']" },
	{ fact: 'log.stream', file: 'nodes/Caas/logStream.ts', from: 'query: { stream, [form', to: 'query: { type: stream, [form' },
	{ fact: 'log.stream.values', file: 'nodes/Caas/logStream.ts', from: "['stdout', 'stderr'] as const", to: "['stdout', 'stderr', 'stdin'] as const" },
	{ fact: 'log.offset', file: 'nodes/Caas/logStream.ts', from: '[form.offsetParameter]: offset', to: 'offset' },
	{ fact: 'log.entry', file: 'nodes/shared/decoder.ts', from: "if (this.format === 'lines') return this.bareLines(text, bytes);", to: '' },
	{ fact: 'job.time', file: 'nodes/shared/json.ts', from: '`${parts[1]}T${parts[2]}Z`', to: '`${parts[1]}T${parts[2]}`' },
];

/** Of chat, retrieval and logs. */
const inTheOtherNodes: Flip[] = [
	{ fact: 'chat.path', file: `${CHAT}/completion.ts`, from: '`${API}/chat/completions`', to: '`${API}/chat/completion`' },
	{ fact: 'intelligence.version', file: `${CHAT}/paths.ts`, from: "export const API = '/api/v1'", to: "export const API = '/api/v2'" },
	{ fact: 'intelligence.auth.xApiKey', file: 'credentials/ComputeIntelligenceApi.credentials.ts', from: "'x-api-key': key", to: "'x-apikey': key" },
	{ fact: 'chat.n.max', file: `${CHAT}/options.ts`, from: "'n', { min: 1, max: 20 }", to: "'n', { min: 1, max: 21 }" },
	{ fact: 'chat.max_completion_tokens', file: `${CHAT}/options.ts`, from: "'maxCompletionTokens', {", to: "'maxCompletionToken', {" },
	{ fact: 'chat.option.stream_options', file: `${CHAT}/options.ts`, from: '{ include_usage: options.flag', to: '{ usage: options.flag' },
	{ fact: 'chat.option.reasoning', file: `${CHAT}/options.ts`, from: '({ reasoning: { effort:', to: '({ reasoning_effort: { effort:' },
	{ fact: 'chat.tool_choice.default', file: `${CHAT}/options.ts`, from: "{ tool_choice: 'auto' } : {}", to: '{} : {}' },
	{ fact: 'chat.images.count', file: `${CHAT}/images.ts`, from: 'const MOST_PICTURES = 10', to: 'const MOST_PICTURES = 11' },
	{ fact: 'chat.stream.done', file: `${CHAT}/completion.ts`, from: "data.trim() === '[DONE]'", to: "data.trim() === '[END]'" },
	{ fact: 'chat.response.choices.0.stop_reason', file: `${CHAT}/chat.ts`, from: 'return [completion]', to: 'return [JSON.parse(JSON.stringify(completion, (_, value) => value ?? undefined))]' },
	{ fact: 'embedding.200', file: `${CHAT}/embeddings.ts`, from: 'vectors.sort((a, b) => Number(a.index) - Number(b.index))', to: 'vectors.sort((a, b) => Number(b.index) - Number(a.index))' },
	{ fact: 'agent.run.args.summarize_text', file: `${CHAT}/agents.ts`, from: "maxWords: ['max_words'", to: "maxWords: ['words'" },
	{ fact: 'agent.list.200', file: `${CHAT}/agents.ts`, from: '({ agent_key: key,', to: '({ key,' },
	{ fact: 'search.settings.hybrid_settings.rrf_k', file: `${RAG}/searchForm.ts`, from: "'hybrid_settings', 'rrf_k'", to: "'hybrid_settings', 'rrf'" },
	{ fact: 'search.settings.limit', file: `${RAG}/searchForm.ts`, from: "form.integer('topK', { min: 1, max: 1000 })", to: "form.integer('topK', { min: 1, max: 1001 })" },
	{ fact: 'search.filter.nin', file: `${RAG}/filters.ts`, from: "['$in', '$nin', '$overlap']", to: "['$in', '$overlap']" },
	{ fact: 'rag.query.path', file: `${RAG}/engineAnswer.ts`, from: '`${RAG}/retrieval/rag`', to: '`${RAG}/rag`' },
	{ fact: 'rag.query.generation', file: `${RAG}/engineAnswer.ts`, from: 'max_tokens_to_sample: options', to: 'max_tokens: options' },
	{ fact: 'rag.agent.mode', file: `${RAG}/agent.ts`, from: "const MODES = ['rag', 'research']", to: "const MODES = ['rag', 'research', 'magic']" },
	{ fact: 'rag.envelope.limit', file: 'nodes/shared/pages.ts', from: 'const LARGEST_LIMIT = 1_000', to: 'const LARGEST_LIMIT = 2_000' },
	{ fact: 'document.create.collection_ids', file: `${RAG}/upload.ts`, from: 'JSON.stringify(input.collectionIds)', to: "input.collectionIds.join(',')" },
	{ fact: 'document.create.409', file: `${RAG}/createDocument.ts`, from: '...answerProblem(409,', to: '...answerProblem(400,' },
	{ fact: 'document.getAll.ids', file: `${RAG}/document.ts`, from: 'query: { ids }', to: "query: { ids: ids?.join(',') }" },
	{ fact: 'prompt.update', file: `${RAG}/prompt.ts`, from: "method: 'PUT'", to: "method: 'POST'" },
	{ fact: 'prompt.get', file: `${RAG}/prompt.ts`, from: "ids, method: 'POST' }", to: 'ids }' },
	{ fact: 'log.path', file: `${CAAS}/logStream.ts`, from: '`${CAAS}/deployment/{deployment_id}/log/{container_id}`', to: '`${CAAS}/deployment/{deployment_id}/logs/{container_id}`' },
	{ fact: 'log.stream', file: `${CAAS}/logStream.ts`, from: 'query: { stream,', to: 'query: { type: stream,' },
	{ fact: 'log.offset', file: `${CAAS}/logStream.ts`, from: '[form.offsetParameter]: offset', to: 'offset' },
	{ fact: 'log.headers', file: 'nodes/shared/auth.ts', from: "computeMarketplaceTokenApi: { header: 'Authorization'", to: "computeMarketplaceTokenApi: { header: 'Authorisation'" },
	{ fact: 'log.form.lines', file: `${CAAS}/log.ts`, from: '{ keepsBareLines: true }', to: "{ format: 'sse' }" },
	{ fact: 'caas.containers', file: `${CAAS}/containers.ts`, from: '(data) => data.workers,\n\t\tkey: containerIdOf', to: '(data) => data.containers,\n\t\tkey: containerIdOf' },
	{ fact: 'errors.form.detail_message', file: 'nodes/shared/errors.ts', from: "['detail', 'message', 'error', 'msg', 'error_description']", to: "['detail', 'error', 'msg', 'error_description']" },
	{ fact: 'validation.loc', file: 'nodes/shared/errors.ts', from: ".join('.');\n\tconst words", to: ".join('/');\n\tconst words" },
];

/** In the sandbox: what the service enforces. */
const inTheSandbox: Flip[] = [
	{ fact: 'deploy.duration_hours.max', file: `${CLOUD}/vmaas-deploy.mts`, from: 'duration_hours: integer({ min: 1, max: 8760 })', to: 'duration_hours: integer({ min: 1, max: 8761 })' },
	{ fact: 'deploy.gpus_per_vm.max', file: `${CLOUD}/vmaas-deploy.mts`, from: 'gpus_per_vm: integer({ min: 1, max: 8 })', to: 'gpus_per_vm: integer({ min: 1, max: 16 })' },
	{ fact: 'deploy.location_ids.length', file: `${CLOUD}/vmaas-deploy.mts`, from: '{ min: 1, max: 1 }', to: '{ min: 1, max: 2 }' },
	{ fact: 'deploy.body.unknown', file: `${CLOUD}/vmaas-deploy.mts`, from: 'parse(object(deployFields), raw', to: "parse(object(deployFields, 'allow'), raw" },
	{ fact: 'deploy.network_services.port', file: `${CLOUD}/network.mts`, from: 'max: 65535', to: 'max: 65536' },
	{ fact: 'hardware.filter.gpu_memory_min.min', file: `${CLOUD}/vmaas-hardware.mts`, from: 'gpu_memory_min: atLeast(0)', to: 'gpu_memory_min: atLeast(1)' },
	{ fact: 'hardware.filter.supplier.values', file: `${CLOUD}/vmaas-hardware.mts`, from: "queryChoice(['internal', 'external'])", to: "queryChoice(['internal', 'external', 'other'])" },
	{ fact: 'hardware.list.auth', file: 'test/sandbox/core/service.mts', from: "request.headers['x-api-key']", to: "request.headers['x-key']" },
	{ fact: 'price.currency.required', file: `${CLOUD}/vmaas-hardware.mts`, from: 'currency: queryText({ min: 1 })', to: 'currency: optional(queryText())' },
	{ fact: 'extend.duration_hours', file: 'test/sandbox/core/http.mts', from: 'extendBody = object({ duration_hours: integer({ min: 1 }) })', to: 'extendBody = object({ duration_hours: integer({ min: 0 }) })' },
	{ fact: 'first_hour.never', file: `${CLOUD}/deployment.mts`, from: 'Math.max(1, this.servedHours(now))', to: 'this.servedHours(now)' },
	{ fact: 'container.jobs.page', file: `${CLOUD}/deployments.mts`, from: 'caas: { first: 0,', to: 'caas: { first: 1,' },
	{ fact: 'search.query', file: `${INTELLIGENCE}/retrieval.mts`, from: 'query: text({ min: 1 }),', to: 'query: anything,' },
	{ fact: 'generate.inputs', file: `${INTELLIGENCE}/retrieval.mts`, from: 'context: text() }', to: 'context: optional(text()) }' },
	{ fact: 'log.stream.values', file: `${CLOUD}/logs.mts`, from: "queryChoice(['stdout', 'stderr'])", to: "queryChoice(['stdout', 'stderr', 'stdin'])" },
	{ fact: 'device.get.404', file: `${CLOUD}/explorer.mts`, from: "'text/plain; charset=utf-8'", to: "'application/json'" },
	{ fact: 'chat.messages', file: `${INTELLIGENCE}/chat-body.mts`, from: 'messages: list(message, { min: 1 })', to: 'messages: list(message)' },
	{ fact: 'chat.n.max', file: `${INTELLIGENCE}/chat-body.mts`, from: 'n: optional(integer({ min: 1, max: 20 }))', to: 'n: optional(integer({ min: 1 }))' },
	{ fact: 'chat.roles', file: `${INTELLIGENCE}/chat-body.mts`, from: "'assistant', 'tool'])", to: "'assistant', 'tool', 'robot'])" },
	{ fact: 'chat.stream.chunks', file: `${INTELLIGENCE}/chat-stream.mts`, from: "'chat.completion.chunk'", to: "'chat.completion'" },
	{ fact: 'model.owned_by.value', file: `${INTELLIGENCE}/models.mts`, from: '`${service.settings.service}-intelligence`', to: "'somebody'" },
	{ fact: 'permission.organization.value', file: `${INTELLIGENCE}/models.mts`, from: "organization: '*'", to: "organization: 'all'" },
	{ fact: 'embedding.encoding_format', file: `${INTELLIGENCE}/embeddings.mts`, from: "choice(['float', 'base64'])", to: "choice(['float', 'base64', 'hex'])" },
	{ fact: 'agent.run.agent_names', file: `${INTELLIGENCE}/agents.mts`, from: 'agent_names: list(text({ min: 1 }), { min: 1 })', to: 'agent_names: optional(list(text({ min: 1 })))' },
	{ fact: 'search.search_mode', file: `${INTELLIGENCE}/retrieval.mts`, from: "choice(['basic', 'advanced', 'custom'])", to: "choice(['basic', 'advanced', 'custom', 'magic'])" },
	{ fact: 'search.filter.lte', file: `${INTELLIGENCE}/filters.mts`, from: 'order(value, wanted) <= 0', to: 'order(value, wanted) < 0' },
	{ fact: 'log.entry', file: `${CLOUD}/logs.mts`, from: '`${line}\\n`', to: '`${line} `' },
	{ fact: 'log.stream.name', file: `${CLOUD}/logs.mts`, from: "queryChoice(['stdout', 'stderr'])", to: "queryChoice(['stdout', 'stderr', 'stdin'])" },
];

export const flips: Flip[] = [...inTheNodes, ...inTheOtherNodes, ...inTheSandbox];
