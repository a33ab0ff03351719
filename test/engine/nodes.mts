import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { PACKAGE, type NodeUnderTest } from './engine.mts';

/** Ids of the stored credentials, the same as in the examples. */
export const MARKETPLACE = {
	computeMarketplaceApi: { id: 'compute-marketplace', name: 'Compute Marketplace' },
};
export const TOKEN = { computeMarketplaceTokenApi: { id: 'compute-token', name: 'Compute Token' } };
export const INTELLIGENCE = {
	computeIntelligenceApi: { id: 'compute-intelligence', name: 'Compute Intelligence' },
};

export const SSH = { computeSshApi: { id: 'compute-ssh', name: 'Compute SSH' } };

/** A valid public key; nobody has its private part. */
export const SSH_KEY =
	'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGk4pZDaIei5shtCoeMCuXiUcyd82DvBJuCALXACjhB example';

/** n8n's Retry On Fail, without its pauses. */
export const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** n8n's On Error: Continue. A failed item comes out as an item with `error`. */
export const CONTINUE = { onError: 'continueRegularOutput' as const };

/** A VMaaS node with its credential. */
export function vmaas(
	resource: string,
	operation: string,
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return nodeOf('vmaas', MARKETPLACE, { resource, operation, ...parameters }, settings);
}

/** An operation on a VM over SSH, with the SSH credential. */
export function vm(
	operation: string,
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	const credentials = { ...MARKETPLACE, ...SSH, ...settings.credentials };
	return vmaas('vm', operation, parameters, { ...settings, credentials });
}

/** An operation on a VMaaS deployment: `vmaas('deployment', …)`. */
export function deployment(
	operation: string,
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return vmaas('deployment', operation, parameters, settings);
}

/** A CaaS node with the API key alone. */
export function caas(
	resource: string,
	operation: string,
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return nodeOf(
		'caas',
		MARKETPLACE,
		{ authentication: 'apiKey', resource, operation, ...parameters },
		settings,
	);
}

/** An Explorer node with its access token. */
export function explorer(
	operation: string,
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return nodeOf(
		'explorer',
		TOKEN,
		{ authentication: 'accessToken', resource: 'device', operation, ...parameters },
		settings,
	);
}

/** A RAG node with its key. */
export function rag(
	resource: string,
	operation: string,
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return nodeOf(
		'rag',
		INTELLIGENCE,
		{ authentication: 'apiKey', resource, operation, ...parameters },
		settings,
	);
}

/** Creates a document from a text, ingested at once. */
export function textDocument(rawText: string, parameters: IDataObject = {}): NodeUnderTest {
	return rag('document', 'create', {
		source: 'rawText',
		rawText,
		additionalFields: { runWithOrchestration: false },
		...parameters,
	});
}

/** A chat node with its key. */
export function chat(
	resource: string,
	operation: string,
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return nodeOf(
		'chatCompletion',
		INTELLIGENCE,
		{ authentication: 'apiKey', resource, operation, ...parameters },
		settings,
	);
}

/** A chat model for AI agents with its key. */
export function chatModel(model: unknown, options: IDataObject = {}): NodeUnderTest {
	return nodeOf(
		'lmChatCompute',
		INTELLIGENCE,
		{ authentication: 'apiKey', model: locator(model), options },
		{},
	);
}

/** A sub-node for n8n's own AI nodes. */
export function subNode(
	type: 'embeddingsCompute' | 'memoryCompute' | 'retrieverCompute',
	parameters: IDataObject,
): NodeUnderTest {
	return nodeOf(type, INTELLIGENCE, { authentication: 'apiKey', ...parameters }, {});
}

/** An item with a file in its field `data`, as n8n keeps it in memory. */
export function fileItem(
	fileName: string,
	content: string | Buffer,
	mimeType = 'text/plain',
	json: IDataObject = {},
): INodeExecutionData {
	return {
		json,
		binary: {
			data: {
				data: Buffer.from(content).toString('base64'),
				fileName,
				fileExtension: fileName.split('.').at(-1),
				mimeType,
			},
		},
	};
}

function nodeOf(
	type: string,
	credentials: NodeUnderTest['credentials'],
	parameters: IDataObject,
	settings: Partial<NodeUnderTest>,
): NodeUnderTest {
	return {
		type: `${PACKAGE}.${type}`,
		credentials,
		parameters: parameters as NodeUnderTest['parameters'],
		...settings,
	};
}

/** A price limit that a person has set: without one, an AI agent may not spend money. */
export const LIMIT = { maxPrice: 10_000 };

/** A resource locator's value, chosen from the list or entered by id. */
export function locator(value: unknown, mode: 'id' | 'list' | 'name' = 'id'): IDataObject {
	return { __rl: true, mode, value: value as string };
}

/** Valid parameters of a deploy of two hours on the sandbox, with changes. */
export function deployParameters(changes: IDataObject = {}): IDataObject {
	return {
		resourcePrivateName: 'job',
		hardwareId: locator(7),
		gpusPerVm: 0,
		placement: 'location',
		locationId: locator('us-west-2'),
		durationHours: 2,
		sshKeys: { keys: [{ name: 'laptop', publicKey: SSH_KEY }] },
		safety: {},
		additionalFields: {},
		...changes,
	};
}

/** Valid parameters of a job, with changes. */
export function jobParameters(changes: IDataObject = {}): IDataObject {
	return {
		jobKey: 'train',
		command: 'echo done',
		durationHours: 2,
		filters: {},
		gpusPerVm: 1,
		maxTries: 3,
		safety: { maxPrice: 50 },
		inputFields: '',
		resultFiles: '',
		options: {},
		...changes,
	};
}

/** Valid parameters of a deploy of the cheapest offer, with changes. */
export function cheapestParameters(changes: IDataObject = {}): IDataObject {
	const {
		hardwareId: _hardware,
		placement: _placement,
		locationId: _location,
		...common
	} = deployParameters();
	return { ...common, filters: {}, maxTries: 1, ...changes };
}

/** The operations that buy a deployment, with parameters that do. */
export function purchaseOperations(): Array<[operation: string, parameters: IDataObject]> {
	return [
		['deploy', deployParameters()],
		['deployCheapest', cheapestParameters()],
	];
}

/** Valid parameters of a container deploy of two hours on the sandbox, with changes. */
export function containerParameters(changes: IDataObject = {}): IDataObject {
	return {
		resourcePrivateName: 'web',
		imageUrl: 'registry.example/web:1',
		trafficPort: 8080,
		hardwareId: locator(7),
		gpusPerContainer: 1,
		locationIds: [3],
		replicaCount: 1,
		durationHours: 2,
		environment: {},
		secretEnvironment: {},
		safety: {},
		additionalFields: {},
		...changes,
	};
}

/** A Compute Trigger with the API key, or with the access token for devices. */
export function computeTrigger(event: string, parameters: IDataObject = {}): NodeUnderTest {
	const [credential, authentication] =
		event === 'deviceDown' ? [TOKEN, 'accessToken'] : [MARKETPLACE, 'apiKey'];
	return nodeOf('computeTrigger', credential, { authentication, event, ...parameters }, {});
}
