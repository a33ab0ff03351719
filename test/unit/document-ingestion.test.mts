import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { statusOf, waitUntilIngested } from '../../nodes/Rag/resources/document/ingestion.ts';
import { noted, remove } from '../../nodes/Rag/resources/document/note.ts';
import { findOrConfirmAbsent, isGone } from '../../nodes/Rag/resources/document/presence.ts';
import { contextOf, Documents } from './rag-parts.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

const WAIT = { pollInterval: 2, timeout: 10 };
const NOT_FOUND = { status: 404, json: { detail: 'no such document' } };

describe('the ingestion of a document', () => {
	/** Waits for it at a service that shows these states, one after the other, the last one for good; undefined: a 404. */
	async function waited(
		states: Array<string | undefined>,
		isIt = async (_: IDataObject) => await Promise.resolve(true),
		documents = new Documents(),
	) {
		let looks = 0;
		documents.instead = (request) => {
			if (request !== 'GET /documents/d') return undefined;
			const state = states[Math.min(looks++, states.length - 1)];
			return state === undefined ? NOT_FOUND : { json: { results: { ingestion_status: state } } };
		};
		const context = await contextOf({ documents });
		return { ...(await ended(waitUntilIngested(context, 'd', WAIT, isIt))), context };
	}

	it('is waited for, and each of its states is told', async () => {
		const { value, seconds, context } = await waited(['PENDING', 'parsing', 'parsing', 'Success']);
		expect(value).toEqual({
			document: { ingestion_status: 'Success' },
			ingestion_status: 'success',
			waited_seconds: 6,
			progress: [
				{ ingestion_status: 'pending', after_seconds: 0 },
				{ ingestion_status: 'parsing', after_seconds: 2 },
				{ ingestion_status: 'success', after_seconds: 6 },
			],
		});
		expect(seconds).toBe(6);
		expect(context.known).toMatchObject({ document_id: 'd', ingestion_status: 'parsing' });
	});

	it('that fails is an error', async () => {
		const { error, context } = await waited(['parsing', 'FAILED']);
		expect(error?.message).toBe('The service could not ingest document d');
		expect(error?.description).toContain('set If Exists to Replace');
		expect(context.known).toMatchObject({ document_id: 'd', ingestion_status: 'failed' });
	});

	it('that takes too long is an error at the end of the time', async () => {
		const { error, seconds } = await waited(['parsing']);
		expect(error?.message).toBe('Document d was still "parsing" after 10 seconds');
		expect(error?.description).toContain('Increase Timeout');
		expect(seconds).toBe(10);
	});

	it('is that of the new document alone', async () => {
		let looks = 0;
		const { value } = await waited(['success'], async () => await Promise.resolve(++looks > 2));
		expect(value?.progress).toEqual([
			{ ingestion_status: 'an earlier version', after_seconds: 0 },
			{ ingestion_status: 'success', after_seconds: 4 },
		]);
	});

	it('may not show at first, nor for a moment', async () => {
		const { value } = await waited([undefined, undefined, 'parsing', undefined, 'success']);
		expect(value?.progress).toEqual([
			{ ingestion_status: 'not found (404)', after_seconds: 0 },
			{ ingestion_status: 'parsing', after_seconds: 4 },
			{ ingestion_status: 'not found (404)', after_seconds: 6 },
			{ ingestion_status: 'success', after_seconds: 8 },
		]);
	});

	it('of a document that is deleted meanwhile is an error, once it is gone five times and from the list', async () => {
		const short = { ...WAIT, timeout: 60 };
		for (const isListed of [false, true]) {
			const documents = new Documents();
			if (isListed) documents.add('d');
			let looks = 0;
			documents.instead = (request) => {
				if (request !== 'GET /documents/d') return undefined;
				return looks++ === 0 ? { json: { results: { ingestion_status: 'parsing' } } } : NOT_FOUND;
			};
			const context = await contextOf({ documents });
			const isIt = async () => await Promise.resolve(true);
			const { error, seconds } = await ended(waitUntilIngested(context, 'd', short, isIt));
			expect(seconds).toBe(isListed ? 60 : 10);
			expect(error?.message).toBe(
				isListed
					? 'Document d was still "not found (404)" after 60 seconds'
					: 'Document d was deleted while it was ingested',
			);
		}
	});

	it.each([
		['Success', 'success'],
		[undefined, 'unknown to the service'],
		[null, 'unknown to the service'],
	])('has the status %j in lower case', (ingestion_status, expected) =>
		expect(statusOf({ ingestion_status })).toBe(expected),
	);
});

describe('a document that is deleted', () => {
	it('is gone once it shows no more, within two minutes', async () => {
		for (const [shownFor, expected] of [
			[0, true],
			[3, true],
			[99, false],
		] as const) {
			const documents = new Documents().add('d');
			let looks = 0;
			documents.instead = () => (looks++ < shownFor ? undefined : NOT_FOUND);
			const { value, seconds } = await ended(isGone(await contextOf({ documents }), 'd'));
			expect(value).toBe(expected);
			expect(seconds).toBeLessThanOrEqual(130);
		}
	});

	it('counts as gone where nothing can be seen', async () => {
		const documents = new Documents();
		documents.instead = () => ({ status: 401, json: {} });
		const { value } = await ended(isGone(await contextOf({ documents }), 'd'));
		expect(value).toBe(true);
	});

	it('is noted for a retry, and what tells it', async () => {
		const document = { created_at: '2026-07-01T08:00:00Z' };
		const documents = new Documents().add('d', document);
		const context = await contextOf({ documents });
		context.journal.note({ replaced_deleted: ['c'] });
		await ended(remove(context, 'd', document));
		expect(noted(context)).toMatchObject({ replaced_deleted: ['c', 'd'], removed: {} });
		expect(Object.keys(noted(context).removed ?? {})).toHaveLength(1);
		expect(documents.asked).toEqual(['DELETE /documents/d', 'GET /documents/d']);
	});

	it('and still shows is an error, and not called deleted', async () => {
		const documents = new Documents().add('d');
		documents.instead = (request) =>
			request.startsWith('DELETE') ? { json: { results: { success: true } } } : undefined;
		const context = await contextOf({ documents });
		const { error } = await ended(remove(context, 'd'));
		expect(error?.message).toBe(
			'The service confirms the deletion of document d, but still shows it',
		);
		expect(error?.context.known).toEqual({ document_id: 'd' });
		expect(noted(context).replaced_deleted).toEqual([]);
	});

	it('names itself where the deletion is refused', async () => {
		const documents = new Documents().add('d');
		documents.instead = () => ({ status: 403, json: { detail: 'no' } });
		const { error } = await ended(remove(await contextOf({ documents }), 'd'));
		expect(error?.context.known).toEqual({ document_id: 'd' });
	});

	it('is absent where the list does not have it, too', async () => {
		const documents = new Documents().add('d');
		const context = await contextOf({ documents });
		expect(await findOrConfirmAbsent(context, 'd')).toEqual({ id: 'd' });
		expect(await findOrConfirmAbsent(context, 'e')).toBeUndefined();
		documents.instead = (request) => (request === 'GET /documents/d' ? NOT_FOUND : undefined);
		await expect(findOrConfirmAbsent(context, 'd')).rejects.toThrow('Not found (404)');
	});
});
