import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { PACKAGE, type NodeUnderTest } from '../../engine/engine.mts';
import { fileItem, INTELLIGENCE, MARKETPLACE, SSH, SSH_KEY, TOKEN } from '../../engine/nodes.mts';
import type { Sandbox } from '../../sandbox/index.mts';
import { at, cloud } from '../../sandbox/testing/client.mts';
import { sampleContainerDeploy, sampleDeploy } from '../../sandbox/testing/samples.mts';
import { testedOperations, type TestedOperation, type Samples } from './parameters.mts';
import type { Engine } from '../../engine/engine.mts';

const CREDENTIALS = { ...MARKETPLACE, ...TOKEN, ...INTELLIGENCE, ...SSH };

/** What an example in a description cannot show, because the service must have it. Fields that are not here are filled in from their descriptions. */
const SAMPLES: Record<string, Samples> = {
	vmaas: {
		hardwareId: 7,
		locationId: 'us-west-2',
		nodePoolId: '0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35',
		publicKey: SSH_KEY,
		resourcePrivateName: '={{ "job-" + $itemIndex }}',
		limit: 5,
		maxTries: 2,
		jobKey: 'job',
		jobId: '0123456789',
		inputFields: 'data',
		command: 'echo ran',
		remotePath: '~/file.txt',
		cwd: '~',
		mode: '644',
	},
	caas: {
		hardwareId: 7,
		locationIds: [3],
		resourcePrivateName: '={{ "web-" + $itemIndex }}',
		updateFields: { trafficPort: 8080 },
		limit: 5,
	},
	explorer: { deviceId: 'd-1', fromDate: '2026-11-01', toDate: '2026-11-30' },
	chatCompletion: {
		model: 'meta-llama/Llama-3.3-70B-Instruct',
		messagesJson: '[{"role":"user","content":"Why?"}]',
		tools: '[{"type":"function","function":{"name":"f"}}]',
		content: 'Why?',
		images: ['https://images.example/a.png'],
		type: 'custom',
	},
	rag: {
		chunks: '["a"]',
		rawText: '={{ "text " + $itemIndex }}',
		documentId: '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7',
		filtersJson: '{"a":{"$eq":1}}',
		metadataJson: '{"a":1}',
		conditions: [],
		collections: ['handbook'],
	},
	caasLogsTrigger: { containerIds: ['c1'], streams: ['stdout'], deploymentId: 'd1' },
	computeTrigger: { deviceIds: ['d-1'] },
};

/** A node of the package with every credential that it may ask for. */
export function nodeFor(
	node: string,
	parameters: IDataObject,
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return {
		type: `${PACKAGE}.${node}`,
		credentials: CREDENTIALS,
		parameters: parameters as NodeUnderTest['parameters'],
		...settings,
	};
}

/** Every operation of every node that runs items. */
export function allOperations(engine: Engine): TestedOperation[] {
	return Object.keys(engine.loader.known.nodes)
		.map((name) => engine.nodeType(name))
		.filter((type) => type.execute !== undefined)
		.flatMap(({ description }) => testedOperations(description, SAMPLES[description.name] ?? {}));
}

export function operationOf(engine: Engine, node: string): TestedOperation {
	const [operation] = testedOperations(engine.nodeType(node).description, SAMPLES[node] ?? {});
	if (!operation) throw new Error(`The node ${node} has no parameters`);
	return operation;
}

/** Items with a file, as an upload wants one, and with a value for an expression. */
export function itemsWith(values: unknown[]): INodeExecutionData[] {
	return values.map((value, index) =>
		fileItem(`file-${index}.txt`, `content ${index}`, 'text/plain', { value } as IDataObject),
	);
}

/** A deployment that runs, made by an independent client: of containers for the node of containers. */
export async function runningDeployment(sandbox: Sandbox, node: string): Promise<string> {
	const [part, body] =
		node === 'caas'
			? (['caas', sampleContainerDeploy] as const)
			: (['vmaas', sampleDeploy] as const);
	const client = cloud(sandbox, part);
	const { json } = await client.post('/deploy', {
		...body,
		resource_private_name: 'running',
	});
	await client.close();
	sandbox.clock.advance(60_000);
	return String(at(json, 'deployment_id'));
}
