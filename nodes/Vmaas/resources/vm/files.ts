import type { IBinaryData, INodeProperties } from 'n8n-workflow';
import { allowAiAgentsField, requireAllowedByPerson } from '../../../marketplace/agentLimit';
import { onProduct, VMAAS, type ProductContext } from '../../../marketplace/product';
import { sshContextError } from '../../../marketplace/ssh';
import { collectionField } from '../../../shared/fields';
import { FileItem } from '../../../shared/operation/items';
import type { Parameters } from '../../../shared/operation/parameters';
import { SshError, withSsh, type SshSession } from '../../../shared/ssh';
import { openVm, readTarget, targetFields, type OpenVm, type Target } from './target';

/** Largest file: a download is in memory until n8n has stored it. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

const TOO_LARGE = 'must be a file of at most 100 MiB';

const remotePathField = (description: string): INodeProperties => ({
	displayName: 'Path on the VM',
	name: 'remotePath',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. ~/job/train.py',
	description,
});

function readPath(parameters: Parameters): string {
	const path = parameters.text('remotePath');
	if (path.includes('\0')) parameters.fail('remotePath', 'must not contain a null character');
	if (/(^|\/)(\.\.?)?$|^~$/.test(path))
		parameters.fail('remotePath', 'must name a file, not a folder');
	return path;
}

interface Upload {
	target: Target;
	remotePath: string;
	file: IBinaryData;
	mode?: number;
	createFolders: boolean;
}

export const uploadFile = onProduct<Upload>(VMAAS, {
	value: 'uploadFile',
	name: 'Upload File',
	action: 'Upload file to VM',
	description:
		'Upload a file of the input item to a VM over SFTP. It needs the credential Compute SSH API.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'vm_id', 'remote_path'],
	fields: [
		...targetFields,
		{
			displayName: 'Input Binary Field',
			name: 'binaryPropertyName',
			type: 'string',
			required: true,
			default: 'data',
			description: 'Name of the input field that contains the file',
		},
		remotePathField(
			'Where the file is put, with its name. A file that is there is replaced once the new one is whole.',
		),
		collectionField('options', 'Options', 'Add Option', [
			allowAiAgentsField('Whether an AI agent may upload files with this node as its tool'),
			{
				displayName: 'Create Folders',
				name: 'createFolders',
				type: 'boolean',
				default: true,
				description: 'Whether to create the folders of the path that are not there',
			},
			{
				displayName: 'File Mode',
				name: 'mode',
				type: 'string',
				default: '644',
				placeholder: 'e.g. 755',
				description: 'Permissions as three or four octal digits, such as 755 for a script',
			},
		]),
	],
	input(parameters, files) {
		const options = parameters.group('options');
		const field = parameters.text('binaryPropertyName');
		const file = files(field);
		if (!file)
			return parameters.fail(
				'binaryPropertyName',
				`must name a field with a file, but the item has no file in "${field}"`,
			);
		const size = file.id ? file.bytes : Buffer.byteLength(file.data, 'base64');
		if (size !== undefined && size > MAX_FILE_BYTES)
			parameters.fail('binaryPropertyName', `${TOO_LARGE}, got ${size} bytes`);
		return {
			target: readTarget(parameters),
			remotePath: readPath(parameters),
			file,
			mode: readMode(options),
			createFolders: options.flag('createFolders'),
		};
	},
	async run(context, { target, remotePath, file, mode, createFolders }) {
		requireAllowedByPerson(context, 'Upload File', 'Nothing was sent to a VM');
		const vm = await openVm(context, target);
		const content = await contentOf(context, file);
		const { bytes, sha256 } = await transfer(context, vm, remotePath, async (session, signal) => {
			const options = { maxBytes: MAX_FILE_BYTES, signal, mode, createFolders };
			return await session.upload(remotePath, content, options);
		});
		return [{ remote_path: remotePath, size_in_bytes: bytes, sha256, ...vm.facts }];
	},
});

function readMode(options: Parameters): number | undefined {
	const mode = options.text('mode', { optional: true });
	if (mode === undefined) return undefined;
	if (!/^[0-7]{3,4}$/.test(mode))
		options.fail('mode', `must be three or four octal digits such as 755, got "${mode}"`);
	return Number.parseInt(mode, 8);
}

/** In chunks if n8n stores it outside of memory. */
async function contentOf(
	{ functions, itemIndex }: ProductContext,
	file: IBinaryData,
): Promise<AsyncIterable<Uint8Array>> {
	if (file.id) return await functions.helpers.getBinaryStream(file.id);
	const bytes = await functions.helpers.getBinaryDataBuffer(itemIndex, file);
	return (async function* () {
		yield bytes;
	})();
}

export const downloadFile = onProduct<{
	target: Target;
	remotePath: string;
	field: string;
	fileName?: string;
}>(VMAAS, {
	value: 'downloadFile',
	name: 'Download File',
	action: 'Download file from VM',
	description:
		'Download a file of a VM over SFTP into a binary field. It needs the credential Compute SSH API.',
	effect: 'read',
	// Each is in memory as a whole
	requestsAtOnce: () => 1,
	fields: [
		...targetFields,
		remotePathField('The file to download, at most 100 MiB'),
		{
			displayName: 'Put Output File in Field',
			name: 'binaryPropertyName',
			type: 'string',
			required: true,
			default: 'data',
			description: 'Name of the output field to put the file in',
		},
		collectionField('options', 'Options', 'Add Option', [
			{
				displayName: 'File Name',
				name: 'fileName',
				type: 'string',
				default: '',
				placeholder: 'e.g. result.json',
				description: 'Name of the file in the output; default: that of the path',
			},
		]),
	],
	input: (parameters) => ({
		target: readTarget(parameters),
		remotePath: readPath(parameters),
		field: parameters.text('binaryPropertyName'),
		fileName: parameters.group('options').text('fileName', { optional: true }),
	}),
	async run(context, { target, remotePath, field, fileName }) {
		const vm = await openVm(context, target);
		const { content, bytes, sha256 } = await transfer(
			context,
			vm,
			remotePath,
			async (session, signal) =>
				await session.download(remotePath, { maxBytes: MAX_FILE_BYTES, signal }),
		);
		const binary = await context.functions.helpers.prepareBinaryData(
			content,
			fileName ?? remotePath.split('/').at(-1),
		);
		const json = {
			remote_path: remotePath,
			file_name: binary.fileName ?? null,
			mime_type: binary.mimeType,
			size_in_bytes: bytes,
			sha256,
			...vm.facts,
		};
		return [new FileItem(json, { [field]: binary })];
	},
});

async function transfer<T>(
	context: ProductContext,
	{ login }: OpenVm,
	remotePath: string,
	work: (session: SshSession, signal: AbortSignal) => Promise<T>,
): Promise<T> {
	Object.assign(context.known, { remote_path: remotePath });
	const signal = context.signal ?? new AbortController().signal;
	const outcome = await withSsh(
		context.functions,
		login,
		signal,
		async (session) => await work(session, signal),
	).catch((error: unknown) => (error instanceof SshError ? error : Promise.reject(error)));
	if (outcome instanceof SshError) throw sshContextError(context, outcome);
	return outcome;
}
