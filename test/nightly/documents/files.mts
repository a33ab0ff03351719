import '../../engine/environment.mts';
import { createRequire } from 'node:module';
import { BinaryDataService } from 'n8n-core';
import type { INodeExecutionData } from 'n8n-workflow';

/** Where the files of a run belong; a file in n8n always belongs to an execution. */
const LOCATION = { type: 'execution', workflowId: 'workflow', executionId: '1' } as const;

/** n8n's store for files outside of memory, in the mode that self-hosted instances have. */
export async function openFileStore(): Promise<BinaryDataService> {
	process.env.N8N_DEFAULT_BINARY_DATA_MODE = 'filesystem';
	// The same container as the engine's: another copy would know none of its services
	const coreRequire = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
	const { Container } = coreRequire('@n8n/di') as {
		Container: { get<T>(type: new (...args: never[]) => T): T };
	};
	const store = Container.get(BinaryDataService);
	await store.init();
	return store;
}

/** An item whose file lies in the store. */
export async function storedItem(
	store: BinaryDataService,
	fileName: string,
	content: Buffer,
): Promise<INodeExecutionData> {
	const data = await store.store(LOCATION, content, {
		data: '',
		fileName,
		fileExtension: 'txt',
		mimeType: 'text/plain',
	});
	return { json: { fileName }, binary: { data } };
}
