import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { fileItem, jobParameters, locator, textDocument } from '../engine/nodes.mts';
import { OWN_KEY } from '../engine/sshKey.mts';
import { jobNode, jsonOf, type Jobs } from '../integration/jobFixture.mts';
import { nodeFor } from '../property/hostile/nodes.mts';
import type { TestedOperation } from '../property/hostile/parameters.mts';
import { devices } from '../sandbox/index.mts';
import { Client, at, cloud } from '../sandbox/testing/client.mts';
import { sampleContainerDeploy, sampleDeploy } from '../sandbox/testing/samples.mts';

const LIMIT = { maxPrice: 10_000 };
const TEXT = 'In the evening Anna meets Boris in Cologne.';
const TOOLS = [{ type: 'function', function: { name: 'list', parameters: { type: 'object' } } }];
const DESTROY_MANY = [
	{ namePrefix: 'running' },
	{ namePrefix: 'running', dryRun: false },
	{ namePrefix: 'RUNNING' },
];

/** Settings that bring further fields, by operation; none that makes another output of it. */
const MORE: Record<string, IDataObject[]> = {
	'chatCompletion chat complete': [
		{ options: { reasoningContent: true, tools: JSON.stringify(TOOLS), toolChoice: 'required' } },
	],
	'chatCompletion embedding create': [{ options: { includeText: true } }],
	'rag document create': [
		{ options: { waitUntilIngested: true } },
		{ source: 'rawText', rawText: TEXT, options: { ifExists: 'skip' } },
	],
	'rag document deleteMany': [{ dryRun: false }],
	'vmaas deployment deploy': [{ safety: LIMIT }, { safety: { dryRun: true } }],
	'vmaas deployment deployCheapest': [{ safety: { dryRun: true } }],
	'vmaas deployment destroyMany': DESTROY_MANY,
	'vmaas deployment extend': [{ safety: LIMIT }],
	'vmaas deployment getAll': [{ filters: { olderThanHours: 0 } }],
	'vmaas job collect': [{ resultFiles: 'out.txt' }],
	'caas deployment deploy': [{ safety: LIMIT }, { safety: { dryRun: true } }],
	'caas deployment destroyMany': DESTROY_MANY,
	'caas deployment extend': [{ safety: LIMIT }],
	'caas deployment getAll': [{ filters: { olderThanHours: 0 } }],
	'caas deployment waitFor': [{ waitUntil: 'reachable', healthPath: '/' }],
};

/** Where the sample of the hostile tests, which takes an error for an answer, brings no output. */
const INSTEAD: Record<string, IDataObject> = {
	'chatCompletion embedding create': { model: locator('BAAI/bge-multilingual-gemma2') },
	'rag document deleteMany': {
		filters: { filters: { conditions: [{ field: 'topic', value: 'money' }] } },
	},
	'vmaas job run': { ...jobParameters({ command: 'echo 1 > out.txt' }), resultFiles: 'out.txt' },
	'vmaas job start': jobParameters(),
};

/** What the parameters of an operation name; the service must have it. */
type Known = Record<string, string>;

/**
 * Runs an operation with the sample of the hostile tests and with `MORE`, each on a service that has what they name.
 * @param settings further ones for all of them
 */
export async function sampleOutputs(
	jobs: Jobs,
	{ title, node, parameters }: TestedOperation,
	settings: IDataObject = {},
): Promise<IDataObject[]> {
	const outputs: IDataObject[] = [];
	const samples = [{}, ...(MORE[title] ?? [])];
	for (const more of samples.map((one) => ({ ...INSTEAD[title], ...one, ...settings }))) {
		jobs.sandbox.reset();
		const known = await prepare(jobs, node, parameters);
		const tested = nodeFor(node, named({ ...parameters, ...more }, known));
		const items = [fileItem('file.txt', 'content')];
		// Files and SSH take real time: the clock would jump on meanwhile
		const run =
			parameters.resource === 'vm' || parameters.operation === 'download'
				? await jobs.engine.runItems(tested, items)
				: await jobs.run(tested, items);
		if (run.data.resultData.error) throw run.data.resultData.error;
		const output = run.data.resultData.runData.Node?.at(-1)?.data?.main?.[0] ?? [];
		outputs.push(...output.map(({ json }) => json));
	}
	return outputs;
}

/** The parameters with the names of what the service has. */
function named(parameters: IDataObject, known: Known): IDataObject {
	return Object.fromEntries(
		Object.entries(parameters).map(([name, value]) => {
			const id = known[name];
			if (id === undefined) return [name, value];
			const isLocator = typeof value === 'object' && value !== null && '__rl' in value;
			return [name, isLocator ? { __rl: true, mode: 'id', value: id } : id];
		}),
	) as IDataObject;
}

async function prepare(
	jobs: Jobs,
	node: string,
	{ resource, operation }: IDataObject,
): Promise<Known> {
	if (node === 'rag') return await retrieval(jobs, String(resource), String(operation));
	if (node === 'vmaas')
		return operation === 'collect' ? await job(jobs) : await deployed(jobs, 'vmaas');
	if (node === 'caas') return await deployed(jobs, 'caas');
	return { deviceId: devices[0]?.device_id ?? '' };
}

async function deployed({ sandbox }: Jobs, product: 'vmaas' | 'caas'): Promise<Known> {
	const client = cloud(sandbox, product);
	const order =
		product === 'vmaas'
			? { ...sampleDeploy, ssh_keys: { n8n: OWN_KEY.publicKey } }
			: sampleContainerDeploy;
	const { json } = await client.post('/deploy', { ...order, resource_private_name: 'running' });
	const deploymentId = String(at(json, 'deployment_id'));
	sandbox.clock.advance(60_000);
	const [list, id] = product === 'vmaas' ? ['vms', 'vm_id'] : ['containers', 'container_id'];
	const workers = await client.get(`/deployment/${deploymentId}/${list}`);
	await client.close();
	const worker = String(at(workers.json, 'data', 'workers', 0, id));
	const home = sandbox.vms.homeOf(worker);
	if (home !== undefined) writeFileSync(path.join(home, 'file.txt'), 'content');
	return { deploymentId, vmId: worker, containerId: worker };
}

async function job(jobs: Jobs): Promise<Known> {
	const started = jsonOf(
		await jobs.run(jobNode('start', jobParameters({ command: 'echo 1 > out.txt' }))),
	);
	return { deploymentId: String(started.deployment_id), jobId: String(started.job_id) };
}

async function retrieval(
	{ sandbox, engine }: Jobs,
	resource: string,
	operation: string,
): Promise<Known> {
	const metadata = { values: [{ key: 'topic', value: 'money' }] };
	const text = textDocument(TEXT, { metadata });
	const { document_id: documentId } = jsonOf(await engine.run(text));
	const headers = { authorization: `Bearer ${sandbox.keys.intelligenceKey}` };
	const client = new Client(`${sandbox.intelligenceUrl}/api/rag/v3`, headers);
	const idOf = async (path: string, body?: IDataObject, ...keys: Array<string | number>) => {
		const { json } = body ? await client.post(path, body) : await client.get(path);
		return String(at(json, 'results', ...keys, 'id'));
	};
	const chunkId = await idOf(`/documents/${String(documentId)}/chunks`, undefined, 0);
	const collectionId = await idOf('/collections', { name: 'papers' });
	const conversationId = await idOf('/conversations', { name: 'talk' });
	const userId = await idOf('/users/me');
	await client.post(`/conversations/${conversationId}/messages`, { content: 'hi', role: 'user' });
	await client.post('/prompts', { name: 'short', template: '{query}', input_types: {} });
	if (operation !== 'addDocument')
		await client.post(`/collections/${collectionId}/documents/${String(documentId)}`, {});
	await client.post(`/graphs/${collectionId}/pull`, {});
	await client.post(`/graphs/${collectionId}/communities/build`, {});
	await client.close();
	return {
		documentId: String(documentId),
		chunkId,
		collectionId,
		conversationId,
		userId,
		...(resource === 'prompt' && { promptName: 'short' }),
		tableName: 'chunks',
		indexName: 'ix_vector_cosine_ops_hnsw',
	};
}

/** Fields that no sample shows: those of other outcomes (worlds and integration tests see them), or of other settings. */
export const SELDOM: Record<string, string[]> = {
	'rag collection addDocument': ['.already_added'],
	'rag collection create': ['.existing'],
	'rag conversation get': ['.parent_id'],
	'rag document create': ['.replaced', '.replaced_deleted', '.recovered'],
	'rag document deleteMany': ['.accepted', '.hint', '.reason', '.found'],
	...Object.fromEntries(
		[
			...['chunk delete', 'collection delete', 'collection removeDocument'],
			...['conversation delete', 'document delete', 'index delete', 'prompt delete'],
		].map((operation) => [`rag ${operation}`, ['.accepted', '.hint']]),
	),
	'rag retrieval agent': ['.truncated'],
	'rag retrieval ask': ['.truncated'],
	'rag retrieval generate': ['.truncated'],
	'rag retrieval rag': [
		...[
			'.citations[].spans',
			'.citations[].spans[].start',
			'.citations[].spans[].end',
			'.truncated',
		],
	],
	...ofDeployments('vmaas'),
	...ofDeployments('caas'),
	'vmaas deployment deployCheapest': [
		...['.existing', '.requested_name', '.recovered', '.hint'],
		...['hardware_id', 'location', 'hardware_name', 'offer_price', 'reason'].map(
			(name) => `.tried[].${name}`,
		),
		...['.skipped', '.skipped[].reason', '.skipped[].offers'],
	],
	'vmaas job collect': ['.status', '.reason'],
	'vmaas job run': [
		...['.recovered', '.hint'],
		...['.ended_leftovers', '.left_alone'].flatMap((list) => [
			list,
			...['deployment_id', 'resource_private_name', 'status', 'reason'].map(
				(name) => `${list}[].${name}`,
			),
		]),
	],
	'vmaas job start': ['.recovered', '.hint'],
	'caas deployment update': [
		...['.expires_at', '.resource_private_name', '.accepted', '.recovered', '.hint'],
	],
	'caas log getAll': ['.data', '.event', '.truncated', '.broken_off'],
};

function ofDeployments(node: string): Record<string, string[]> {
	return {
		[`${node} deployment deploy`]: ['.existing', '.requested_name', '.recovered', '.hint'],
		[`${node} deployment destroy`]: ['.resource_private_name', '.accepted', '.reason', '.hint'],
		[`${node} deployment destroyMany`]: ['.accepted', '.left_over', '.deployment_ids'],
		[`${node} deployment extend`]: [
			...['.resource_private_name', '.requested_hours', '.accepted', '.recovered', '.hint'],
		],
		[`${node} deployment get`]: ['.resource_private_name'],
		[`${node} deployment getAll`]: ['.hint'],
		[`${node} deployment waitFor`]: ['.resource_private_name', '.missing', '.hint'],
	};
}
