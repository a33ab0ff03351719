import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';
import { expect, it } from 'vitest';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import { identityOf } from '../../nodes/Rag/resources/document/documentId.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';

const STORED: Record<string, string> = {
	'filesystem-v2:1': 'content',
	'filesystem-v2:2': 'content',
	'filesystem-v2:3': 'another',
};
const call = {
	functions: {
		getNode: () => ({}),
		getInstanceId: () => 'instance',
		helpers: {
			getBinaryDataBuffer: async (_: number, { data }: IBinaryData) => Buffer.from(data, 'base64'),
			getBinaryMetadata: async (id: string) => ({ fileSize: STORED[id]?.length }),
			getBinaryStream: async (id: string) => Readable.from([Buffer.from(STORED[id] ?? '')]),
		},
	},
	once: async (_: string, load: () => Promise<unknown>) => await load(),
	account: { credentialType: 'any', baseUrl: 'http://127.0.0.1', segments: {} },
} as unknown as OperationContext;
const idOf = async (file: Partial<IBinaryData>) =>
	(
		await identityOf(call, 0, {
			source: { file: { data: 'filesystem-v2', mimeType: 'text/plain', ...file } },
			identity: 'fileName',
		} as DocumentInput)
	).ids[0];

it('the ID of a file comes from its name, or from its content where it has none', async () => {
	const ids = await Promise.all(
		[1, 2, 3].map(
			async (place) =>
				await idOf({ id: `filesystem-v2:${place}`, ...(place === 2 && { fileName: '' }) }),
		),
	);
	expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
	expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false]);
	expect(await idOf({ data: Buffer.from('content').toString('base64') })).toBe(ids[0]);
	expect(await idOf({ id: 'filesystem-v2:1', fileName: 'a.txt' })).toBe(
		await idOf({ id: 'filesystem-v2:3', fileName: 'a.txt' }),
	);
});
