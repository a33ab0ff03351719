import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { isRemoved, markOf, noteRemoved } from '../../nodes/Rag/resources/document/note.ts';
import { mayBeOwn } from '../../nodes/Rag/resources/document/own.ts';
import {
	afterRefusal,
	hasFailed,
	isEarlier,
	kept,
} from '../../nodes/Rag/resources/document/versions.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import { pass, useStillTime } from './still-time.mts';

const document = (created_at: string, n8n_sha256?: unknown) => ({
	created_at,
	metadata: { n8n_sha256 } as never,
});

const MORNING = '2026-07-01T08:00:00Z';
const EVENING = '2026-07-01T20:00:00Z';

describe('of two versions of a document', () => {
	it('the one that was created before is the earlier one', () => {
		expect(isEarlier(document(MORNING), undefined, document(EVENING))).toBe(true);
		expect(isEarlier(document(EVENING), undefined, document(MORNING))).toBe(false);
		expect(isEarlier(document(EVENING), undefined, document(EVENING))).toBe(false);
	});

	it('the one that is as it was before the other one was sent is the earlier one', () => {
		const seen = document(EVENING, 'a');
		expect(isEarlier(seen, markOf(seen), document(MORNING))).toBe(true);
		expect(isEarlier(document(EVENING, 'b'), markOf(seen), document(MORNING))).toBe(false);
	});

	it('neither is earlier where the service tells no time', () => {
		expect(isEarlier({}, markOf(document(MORNING)), document(EVENING))).toBe(false);
	});
});

describe('what a copy that is behind shows of a document that was deleted', () => {
	useStillTime();
	const contextOf = (noted: { intent?: IDataObject } = {}) =>
		({
			itemIndex: 0,
			journal: {
				intent: () => noted.intent,
				note: (entry: IDataObject) => (noted.intent = entry),
			},
			once: async (_: string, load: () => Promise<string>) => await load(),
		}) as unknown as OperationContext;
	const input = { source: { rawText: 'text' } } as never;
	const OWN_HASH = '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1';

	it('is known for two minutes by its time and its hash', async () => {
		const context = contextOf({ intent: { document_id: 'd' } });
		expect(isRemoved(context, document(MORNING, 'a'))).toBe(false);
		noteRemoved(context, document(MORNING, 'a'));
		noteRemoved(context, document(EVENING, 'b'));
		const shown = [document(MORNING, 'a'), document(EVENING, 'b'), document(EVENING, 'a'), {}];
		expect(shown.map((one) => isRemoved(context, one))).toEqual([true, true, false, false]);
		expect(context.journal.intent()).toMatchObject({ document_id: 'd' });
		await pass(119_999);
		expect(isRemoved(context, document(MORNING, 'a'))).toBe(true);
		await pass(1);
		expect(isRemoved(context, document(MORNING, 'a'))).toBe(false);
	});

	it('cannot be told without a time', () => {
		const context = contextOf();
		noteRemoved(context, { metadata: { n8n_sha256: 'a' } });
		expect(isRemoved(context, { metadata: { n8n_sha256: 'a' } })).toBe(false);
	});

	it('is not what was uploaded, nor is what has the hash of another content', async () => {
		const context = contextOf();
		noteRemoved(context, document(MORNING, OWN_HASH));
		const shown = [
			document(MORNING, OWN_HASH),
			document(EVENING, OWN_HASH),
			document(EVENING, 'b'),
			document(EVENING),
			{},
		];
		const own = await Promise.all(shown.map(async (one) => await mayBeOwn(context, input, one)));
		expect(own).toEqual([false, true, false, true, true]);
	});
});

describe('after an upload was refused', () => {
	const version = (isChanged: boolean | null, hash?: unknown) => ({
		id: 'd',
		document: document(MORNING, hash),
		isChanged,
	});

	it.each([
		['a hash says that the content is the same', version(false, 'a'), false],
		['a hash says that it is another one', version(true, 'a'), true],
		['without a hash another content is seen', version(true), true],
		['without a hash an equal one is not: it may be the refused file', version(false), null],
		['a hash that is no text tells nothing', version(false, 7), null],
		['what was not known is not known', version(null), null],
	])('%s', (_what, before, isChanged) => {
		expect(afterRefusal(before)).toEqual({ ...before, isChanged });
		expect(kept(afterRefusal(before))).toMatchObject({
			document_id: 'd',
			existing: true,
			content_changed: isChanged,
		});
	});

	it('a version without metadata is told by its content alone', () => {
		expect(afterRefusal({ id: 'd', document: {}, isChanged: false }).isChanged).toBe(null);
	});
});

it('a version has failed where the service says so', () => {
	const of = (ingestion_status: string) => ({
		id: 'd',
		document: { ingestion_status },
		isChanged: null,
	});
	expect(['failed', 'success', 'parsing'].map((status) => hasFailed(of(status)))).toEqual([
		true,
		false,
		false,
	]);
});
