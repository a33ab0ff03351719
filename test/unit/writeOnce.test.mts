import { Readable } from 'node:stream';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { writeOnce } from '../../nodes/shared/operation/sendOnce.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';

interface Service {
	status?: number;
	body?: string;
	error?: Error;
	/** The execution is cancelled while the request is under way. */
	cancel?: AbortController;
}

/** A call whose requests end as the service says; what is noted in the journal is kept over several of them. */
function bench(service: Service) {
	const notes: Array<IDataObject | undefined> = [];
	const logged: unknown[] = [];
	let sent = 0;
	const node = {
		id: 'Node',
		name: 'Node',
		type: 'node',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const httpRequestWithAuthentication = async () => {
		sent++;
		service.cancel?.abort();
		if (service.error) throw service.error;
		return {
			statusCode: service.status ?? 200,
			headers: { 'content-type': 'application/json' },
			body: Readable.from([Buffer.from(service.body ?? '')]),
		};
	};
	const call = {
		functions: { getNode: () => node, helpers: { httpRequestWithAuthentication } },
		account: {
			credentialType: 'any',
			baseUrl: 'http://127.0.0.1',
			segments: {},
			isOAuth2: false,
			redact: (text: string) => text,
		},
		itemIndex: 3,
		signal: service.cancel?.signal,
		journal: {
			intent: () => notes.at(-1),
			note: (entry: IDataObject) => notes.push(entry),
			clear: () => notes.push(undefined),
		},
		log: (...line: unknown[]) => logged.push(line),
	} as unknown as OperationContext;
	const write = async () =>
		await writeOnce(
			call,
			{ method: 'POST', path: '/collections', body: { name: 'a' } },
			'Create of collection "a"',
		);
	return { write, notes, logged, sent: () => sent, service };
}

const failureOf = async (write: () => Promise<unknown>) =>
	(await write().catch((error: unknown) => error)) as Error & {
		description: string;
		context: IDataObject;
	};
const reset = () =>
	Object.assign(new Error('broken'), { isAxiosError: true, code: 'ECONNRESET', syscall: 'read' });
const UNKNOWN =
	'The service may have done it. Look for it (Get Many) before you run this again. This item does not send it again.';

describe('a write without reconciliation', () => {
	it.each<[Service, unknown]>([
		[{ body: '{"id":7}' }, { id: 7 }],
		[{ status: 201, body: '{"id":7}' }, { id: 7 }],
		[{ status: 204, body: '' }, undefined],
		[{ body: 'no JSON' }, undefined],
	])('%j is done', async (service, expected) => {
		const { write, notes } = bench(service);
		expect(await write()).toEqual(expected);
		expect(notes).toEqual([{ what: 'Create of collection "a"' }]);
	});

	it.each([400, 404, 409, 422, 429])(
		'that is refused with %d may be sent again',
		async (status) => {
			const { write, notes, service, sent } = bench({ status, body: '{"detail":"No"}' });
			expect((await failureOf(write)).message).toContain('No');
			expect(notes.at(-1)).toBeUndefined();
			Object.assign(service, { status: 200, body: '{"id":7}' });
			expect(await write()).toEqual({ id: 7 });
			expect(sent()).toBe(2);
		},
	);

	it.each<[string, Service, string]>([
		[
			'a lost answer',
			{ error: reset() },
			'The connection to 127.0.0.1 was lost before a response arrived',
		],
		['a 500', { status: 500, body: '{"detail":"Oops"}' }, 'Server error (500): Oops'],
		[
			'a web page',
			{ body: '<!DOCTYPE html><title>Log in</title>' },
			'The service answered 200, but not with what was made',
		],
		['a 408', { status: 408, body: '{"detail":"Too slow"}' }, 'Too slow'],
	])('%s: nobody knows, and it is not sent again', async (_, service, cause) => {
		const { write, sent, logged } = bench(service);
		const error = await failureOf(write);
		expect(error.message).toContain('Create of collection "a": outcome unknown. ');
		expect(error.message).toContain(cause);
		expect(error).toMatchObject({
			description: UNKNOWN,
			context: { itemIndex: 3, known: { outcome: 'unknown' } },
		});
		const again = await failureOf(write);
		expect(again).toMatchObject({
			message: 'Create of collection "a": outcome unknown. An earlier try of this node did not end',
			description: UNKNOWN,
			context: { known: { outcome: 'unknown' } },
		});
		expect([sent(), logged]).toEqual([1, []]);
	});

	it('that is cancelled is logged, and not sent again', async () => {
		const { write, logged, notes } = bench({
			cancel: new AbortController(),
			error: Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }),
		});
		expect((await failureOf(write)).message).toBe('The execution was cancelled');
		expect(logged).toEqual([
			[
				'Cancelled while a request was under way: Create of collection "a". The service may have done it.',
				{},
			],
		]);
		expect(notes).toEqual([{ what: 'Create of collection "a"' }]);
	});
});
