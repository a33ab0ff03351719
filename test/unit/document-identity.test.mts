import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import {
	contentKey,
	digestOf,
	identityOf,
	isChanged,
	ownDigest,
} from '../../nodes/Rag/resources/document/documentId.ts';
import { Body, type Answered } from './log-parts.mts';
import { contextOf, Documents, textInput } from './rag-parts.mts';

type Source = DocumentInput['source'];

const MIB = 1024 * 1024;
const fileOf = (text: string, fileName?: string, id?: string): Source => ({
	file: {
		fileName,
		id,
		mimeType: 'text/plain',
		data: Buffer.from(text).toString('base64'),
	} as IBinaryData,
});
const chunks: Source = { chunks: ['a', 'b'] };

describe('the identity of a document', () => {
	const identity = async (more: Partial<DocumentInput>, credentials?: object) => {
		const context = await contextOf();
		const own = context.functions.getNode();
		context.functions.getNode = () => ({ ...own, credentials }) as never;
		return await identityOf(context, 0, textInput('text', more));
	};
	const byName = { identity: 'fileName' } as const;
	const byKey = { identity: 'key', key: 'k' } as const;

	it.each<[string, Partial<DocumentInput>, string[]]>([
		['a text', {}, ['72aa1c2d-55d3-8f5a-a584-c13824b9af7d']],
		['chunks', { source: chunks }, ['2d653c59-d9e8-83af-aa94-246226894468']],
		[
			'a file by its content',
			{ source: fileOf('text', 'a.txt') },
			['094b6b95-ebe8-8142-ad92-b4f101b8d44a'],
		],
		[
			'a file without a name',
			{ source: fileOf('text'), ...byName },
			['094b6b95-ebe8-8142-ad92-b4f101b8d44a'],
		],
		[
			'a file by its name',
			{ source: fileOf('text', 'a.txt'), ...byName },
			['961e55c3-7d8b-8d3f-ab40-17d9d949ce05', '7fcc46ac-ec14-8588-abc3-2c9c994732f8'],
		],
		[
			'a key',
			byKey,
			['104f8169-8b9e-82ed-ac5b-f8e05d8daaca', 'a3d05a69-d1be-8940-a666-90add400c3b0'],
		],
	])('of %s is the same in each version of the package', async (_, more, ids) => {
		expect(await identity(more)).toEqual({ ids, isContent: ids.length === 1 });
	});

	it('is a Document ID where there is one', async () => {
		const given = await identity({ documentId: 'd-1', ...byKey });
		expect(given).toEqual({ ids: ['d-1'], isContent: false });
	});

	it('is that of the account, told by the credential of the node', async () => {
		const { account } = await contextOf();
		const of = async (credentials?: object) => (await identity({}, credentials)).ids[0];
		const none = await of();
		expect(await of({ [account.credentialType]: { id: '7' } })).not.toBe(none);
		expect(await of({ [account.credentialType]: { id: null } })).toBe(none);
		expect(await of({ other: { id: '7' } })).toBe(none);
	});

	it('is that of each item', async () => {
		const context = await contextOf();
		const [one, other] = await Promise.all(
			['a', 'b'].map(async (text, item) => await identityOf(context, item, textInput(text))),
		);
		expect(one?.ids).not.toEqual(other?.ids);
		const digests = ['a', 'b'].map(
			async (rawText, itemIndex) => await ownDigest({ ...context, itemIndex }, { rawText }),
		);
		expect(new Set(await Promise.all(digests)).size).toBe(2);
	});
});

it.each<[Source, string[]]>([
	[fileOf('text', 'a.txt', 'stored'), ['file', 'a.txt']],
	[fileOf('text', '', 'stored'), ['file', 'stored']],
	[fileOf('text'), ['file', 'dGV4dA==']],
	[{ rawText: 'text' }, ['text', 'text']],
	[chunks, ['chunks', 'a', 'b']],
])('the content of %j is told without reading it', (source, key) =>
	expect(contentKey(source)).toEqual(key),
);

describe('whether a document has another content', () => {
	const TEXT = 'höhe';
	const size = (size_in_bytes: unknown) => ({ size_in_bytes }) as IDataObject;

	/** What is told of a document whose download gives this text, or that answer. */
	async function changed(
		document: IDataObject,
		content: string | Answered = TEXT,
		{ source = { rawText: TEXT }, isRefused }: { source?: Source; isRefused?: boolean } = {},
	) {
		const accepted: unknown[] = [];
		class Service extends Documents {
			override answer(asked: Parameters<Documents['answer']>[0]): Answered {
				accepted.push(asked.headers.Accept);
				return super.answer(asked);
			}
		}
		const documents = new Service().add('d', document);
		const body = () => new Body().write(content as string, undefined);
		documents.instead = () => (typeof content === 'string' ? { body: body() } : content);
		const context = await contextOf({ documents });
		const given = { ...textInput(''), source };
		const result = await isChanged(context, given, 'd', document, isRefused);
		return { result, accepted };
	}

	it.each<[string, IDataObject, string | Answered, boolean | null]>([
		['the same one', {}, TEXT, false],
		['another one', {}, 'other', true],
		['the largest that is compared', size(MIB), TEXT, false],
		['one that cannot be read', {}, { status: 403, json: {} }, null],
	])('is seen in its download: %s', async (_, document, content, result) => {
		expect((await changed(document, content)).result).toBe(result);
	});

	it('asks for a file of any type', async () => {
		expect((await changed({})).accepted).toEqual(['*/*']);
	});

	it('is told by its hash alone where it has one', async () => {
		const hash = await digestOf(await contextOf(), { rawText: TEXT });
		const of = (n8n_sha256: string) => ({ metadata: { n8n_sha256 } });
		expect(await changed(of(hash), 'other')).toEqual({ result: false, accepted: [] });
		expect(await changed(of('x'))).toEqual({ result: true, accepted: [] });
	});

	it.each<[string, IDataObject, Source]>([
		['a document that is large', size(MIB + 1), { rawText: TEXT }],
		['chunks', {}, chunks],
	])('is not known of %s', async (_, document, source) => {
		expect(await changed(document, TEXT, { source })).toEqual({ result: null, accepted: [] });
	});

	it.each<[unknown, boolean]>([
		[5, false],
		['4', false],
		[6, true],
		[undefined, false],
		[null, false],
	])('after a refusal, its size has to be that of the text, too: %j', async (bytes, result) => {
		expect((await changed(size(bytes), TEXT, { isRefused: true })).result).toBe(result);
		expect((await changed(size(bytes))).result).toBe(false);
	});
});
