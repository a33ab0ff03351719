import { describe, expect, it } from 'vitest';
import {
	afterRefusal,
	hasFailed,
	isEarlier,
	kept,
	markOf,
} from '../../nodes/Rag/resources/document/versions.ts';

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
