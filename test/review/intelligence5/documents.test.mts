import { describe, expect, it } from 'vitest';
import { CONTINUE, rag, RETRY, textDocument } from '../../engine/nodes.mts';
import { books } from './books.mts';
import { whole } from '../intelligence4/service.mts';
import { useStage } from '../intelligence4/stage.mts';
import { by } from './service.mts';
import { KEY, R, UPLOAD } from './stage.mts';

const stage = useStage(KEY);
const DELETE = R('DELETE', '/documents/[^/]+');
const TEXT = 'The first hour is never refunded.';

describe('an upload whose answer is lost, at a service whose reads are 150 s behind', () => {
	it.each([
		['lost', 'node'],
		['202', 'node'],
		['lost', 'service'],
		['202', 'service'],
	] as const)(
		'a known limit: it is sent twice and found, answer %s, IDs of the %s',
		async (answer, chooser) => {
			const { alive } = books(stage, { lagMs: 150_000, ownIds: chooser === 'service', answer });
			const { items } = await stage.run({ ...textDocument(TEXT), ...RETRY });
			expect(stage.service.of(UPLOAD)).toHaveLength(2);
			const ids = alive().map(({ id }) => id);
			expect(items).toMatchObject([{ document_id: ids[0], recovered: true }]);
			// One that chooses IDs by itself has it twice
			expect(new Set(ids).size).toBe(chooser === 'service' ? 2 : 1);
		},
	);
});

it('an upload whose answer is lost is found and sent once, at a service whose reads are 100 s behind', async () => {
	books(stage, { lagMs: 100_000, ownIds: true, answer: 'lost' });
	const { items } = await stage.run({ ...textDocument(TEXT), ...RETRY });
	expect(stage.service.of(UPLOAD)).toHaveLength(1);
	expect(items).toMatchObject([{ document_id: 'own-1', recovered: true }]);
});

it('Replace If Changed leaves one document where the service chooses IDs by itself', async () => {
	const { alive } = books(stage, { ownIds: true });
	const node = textDocument(TEXT, { options: { ifExists: 'replaceIfChanged' } });
	await stage.run(node);
	const { message } = await stage.run(node, [{}], { executionId: '2' });
	expect(message).toBe('');
	expect(alive()).toHaveLength(1);
});

describe('a deletion that is accepted with 202 is not said to be done', () => {
	const accepted = { deleted: null, accepted: true };

	it.each(['', '{"results":{"message":"queued","task_id":"t"}}'])('Delete: %j', async (body) => {
		books(stage).put('doc-1');
		stage.service.on(DELETE, whole(body, 202));
		const { items } = await stage.run(rag('document', 'delete', { documentId: 'doc-1' }));
		expect(items).toMatchObject([accepted]);
	});

	it('Delete Many', async () => {
		const { put } = books(stage);
		put('a', { metadata: { n: 1 } });
		put('b', { metadata: { n: 1 } });
		stage.service.on(DELETE, whole({ results: { message: 'queued' } }, 202));
		const { items } = await stage.run(
			rag('document', 'deleteMany', {
				dryRun: false,
				limit: 10,
				filters: { filtersJson: '{"n":{"$eq":1}}' },
			}),
		);
		expect(items).toMatchObject([accepted, accepted]);
	});
});

describe('words of the ingestion status', () => {
	const ingest = async (status: string) => {
		books(stage, { status });
		return await stage.run(textDocument(TEXT, { options: { waitUntilIngested: true } }));
	};

	it('SUCCESS in capitals is a success', async () => {
		expect((await ingest('SUCCESS')).items).toMatchObject([{ ingestion_status: 'success' }]);
	});

	it('Failed with a capital is an error at once', async () => {
		expect((await ingest('Failed')).message).toContain('could not ingest document');
		expect(stage.clock).toBeLessThan(10_000);
	});

	it.each([' Success ', 'IngestionStatus.SUCCESS', 'completed', 'error', 'cancelled'])(
		'any other word is waited for until Timeout, and told: %j',
		async (status) => {
			const { message } = await ingest(status);
			expect(message).toContain(`was still "${status.toLowerCase()}" after 300 seconds`);
		},
	);
});

it('Replace If Changed heeds no case of an ID: one version is there after each run', async () => {
	const { alive } = books(stage, { shown: (id) => id.toUpperCase() });
	for (const [n, text] of ['one', 'one', 'two', 'three', 'three'].entries()) {
		const node = textDocument(text, {
			options: { ifExists: 'replaceIfChanged', identity: 'key', documentKey: 'k' },
		});
		const { message } = await stage.run(node, [{}], { executionId: String(n) });
		expect(message).toBe('');
		expect(alive().map(({ raw }) => raw)).toEqual([text]);
	}
	expect(stage.service.of(UPLOAD)).toHaveLength(3);
});

it('one of three items is refused, with the key in the words: the others are stored, and the key is not told', async () => {
	const { upload } = books(stage);
	const detail = [{ loc: ['body', 'metadata', 0], msg: `not for Bearer ${KEY}`, type: 'x' }];
	stage.service.on(
		UPLOAD,
		by(({ text }) => (text.includes('bad') ? whole({ detail }, 422) : upload)),
	);
	const { items, all } = await stage.run({ ...textDocument('={{ $json.t }}'), ...CONTINUE }, [
		{ t: 'good' },
		{ t: 'bad' },
		{ t: 'fine' },
	]);
	expect(items.map(({ error }) => error)).toEqual([
		undefined,
		'metadata.0: not for Bearer ***',
		undefined,
	]);
	expect(all).not.toContain(KEY);
});
