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
	{ fact: 'container.jobs.path', file: 'nodes/Caas/containers.ts', from: '/containers-jobs/{container_id}`', to: '/container-jobs/{container_id}`' },
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
	{ fact: 'log.entry', file: 'nodes/shared/decoder.ts', from: "if (this.format === 'lines') return this.bareLines(text, bytes, isCut);", to: '' },
	{ fact: 'job.time', file: EXPLORER, from: '`${parts[1]}T${parts[2]}Z`', to: '`${parts[1]}T${parts[2]}`' },
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
];

export const flips: Flip[] = [...inTheNodes, ...inTheSandbox];
