import { describe, expect, it } from 'vitest';
import { refusalAlone, refusalIn, saysError } from '../../nodes/shared/http/refusal.ts';

type Answer = Record<string, unknown>;

/** Tells of a success where there was one, and is the refusal where there was none. */
const detail = 'It takes a minute';

describe('a refusal in an answer of success', () => {
	it.each<[Answer | boolean, string]>([
		// Flags
		[{ success: false }, 'no'],
		[{ success: 0 }, 'no'],
		[{ ok: false }, 'no'],
		[{ ok: 'false' }, 'no'],
		[{ success: false, ok: true, message: 'Sold out' }, 'Sold out'],
		// Errors
		[{ error: 'Sold out' }, 'Sold out'],
		[{ error: 'Sold out', success: true, id: '7' }, 'Sold out'],
		[{ message: 'No such filter', error_type: 'R' }, 'No such filter'],
		[{ errors: ['', 'Sold out'], message: 'Not made' }, 'Not made'],
		// Codes
		[{ code: 400 }, 'no'],
		[{ status: 500 }, '500'],
		[{ statusCode: 402, message: 'No credit' }, 'No credit'],
		[{ status_code: 409, code: 0, message: 'It exists' }, 'It exists'],
		// Words
		[{ status: 'failed' }, 'failed'],
		[{ status: 'Error', message: 'Sold out' }, 'Sold out'],
		[{ result: 'failure', message: 'Sold out' }, 'Sold out'],
		[{ status: 'accepted', result: 'insufficient credits' }, 'accepted'],
		[{ errors: { base: ['Sold out'] } }, 'no'],
		[{ errors: 'Sold out', data: { total: 0 } }, 'no'],
		[{ code: '503', message: 'Sold out' }, 'Sold out'],
		[{ statusCode: '404', detail: 'Sold out', data: [] }, 'Sold out'],
		// An envelope that has nothing else
		[{ data: { error: 'Sold out' } }, 'Sold out'],
		[{ results: { error: 'Sold out', status: 'failed' } }, 'Sold out'],
		[{ success: true, data: { message: 'Sold out', code: 409 } }, 'Sold out'],
		[{ data: { error: 'x', detail: 'Sold out' } }, 'Sold out'],
		[{ data: { success: false, id: '7' } }, 'no'],
		[{ data: null, results: { error: 'Sold out' } }, 'Sold out'],
		[{ results: { ok: 'false', id: '7', message: 'Sold out' } }, 'Sold out'],
		[{ results: { success: 0, id: '7' } }, 'no'],
		// Nothing but no
		[false, 'no'],
		[{ deleted: false }, 'no'],
		[{ results: false }, 'no'],
		[{ data: { created: false, deleted: false } }, 'no'],
	])('%j', (answer, words) => expect(refusalIn(answer)).toBe(words));

	it.each<unknown>([
		{},
		{ id: '7' },
		{ success: true, ok: true, error: null },
		{ success: true, error: '', error_type: 'none', errors: [''] },
		// How many there were, or a list of them by another meaning
		{ errors: 3 },
		{ code: 399 },
		{ code: '500' },
		{ code: '399', message: 'Done' },
		{ code: '840', message: 'Done' },
		{ errors: {} },
		{ errors: 'none' },
		{ status: 'failed over' },
		{ status: 'not rejected' },
		{ status: ['failed'] },
		{ message: 'Done' },
		{ data: { message: 'Done' } },
		// What has become of a thing is no answer to what was asked
		{ data: { id: '7', status: 'failed', error: 'No disk' } },
		{ data: { id: '7', success: true, error: 'No disk' } },
		{ data: [{ error: 'No disk' }] },
		{ data: 'error' },
		{ deleted: false, id: '7' },
		{ data: { deleted: false, id: '7' } },
		[false],
		{ data: 7, results: null },
		[{ error: 'No disk' }],
		'failed',
		null,
		undefined,
	])('%j has none', (answer) => expect(refusalIn(answer)).toBeUndefined());

	it.each(['fail', 'failed', 'FAILURE', 'error', 'rejected', 'declined', 'denied', 'refused'])(
		'status: %s',
		(status) => expect(refusalIn({ status })).toBe(status),
	);
	it.each(['invalid', 'insufficient', 'insufficient_credits'])('result: %s', (result) =>
		expect(refusalIn({ result })).toBe('no'),
	);
});

describe('a detail', () => {
	it.each<Answer>([
		{ success: true },
		{ ok: 1 },
		{ success: 'true' },
		{ success: null, ok: true },
		{ code: 200 },
		{ code: 299 },
		{ code: 0, status: 201 },
		{ data: { id: '7' } },
		{ data: { id: '7', error: 'No disk' } },
		{ results: { id: '7' } },
		{ data: {}, results: [7] },
		...['success', 'Successful', 'succeeded', 'ok', 'Okay', 'accepted', 'created'].map(
			(status) => ({ status }),
		),
		...['completed', 'done'].map((result) => ({ result })),
	])('tells of the success %j', (said) => expect(refusalIn({ ...said, detail })).toBeUndefined());

	it.each<Answer>([
		{},
		{ id: '7' },
		{ success: 'yes' },
		{ code: 199 },
		{ code: 300 },
		{ code: '200' },
		{ status: 'not ok' },
		{ status: 'done?' },
		{ data: {} },
		{ data: [], results: null },
		{ data: 'text' },
		{ data: { error: 'Sold out' } },
		{ data: { message: 'Sold out' } },
		{ data: { success: false, id: '7' } },
	])('is the refusal beside %j', (said) => expect(refusalIn({ ...said, detail })).toBe(detail));

	it.each<unknown>(['', 'none', [], {}, null])('%j says nothing', (empty) =>
		expect(refusalIn({ detail: empty })).toBeUndefined(),
	);
});

describe('an answer that is a refusal and nothing else', () => {
	it.each<[Answer | boolean, string]>([
		[{ success: false }, 'no'],
		[{ status: 'failed' }, 'failed'],
		[{ error: 'Sold out', data: null, name: null }, 'Sold out'],
		[{ error: 'Sold out', data: { success: false } }, 'Sold out'],
		[{ error: 'Sold out', data: { message: 'Later', status: 'failed', code: 1 } }, 'Sold out'],
		[{ data: { error: 'Sold out' } }, 'Sold out'],
		[{ status: 'failed', data: { error: 'Sold out' } }, 'Sold out'],
		[{ data: { success: 'false', message: 'Sold out' } }, 'Sold out'],
		[{ results: { ok: false, reason: 'x', code: 7 } }, 'no'],
		...[
			...['success', 'ok', 'status', 'statusCode', 'status_code', 'code', 'errors', 'msg'],
			...['error_type', 'error_code', 'error_description', 'type', 'Request_ID', 'requestId'],
			...['trace_id', 'traceid', 'timestamp', 'path'],
		].map((key): [Answer, string] => [{ error: 'Sold out', [key]: 'x' }, 'Sold out']),
	])('%j', (answer, words) => expect(refusalAlone(answer)).toBe(words));

	it.each<unknown>([
		// Something is there that may be of use
		{ error: 'Sold out', id: '7' },
		{ error: 'Sold out', data: {} },
		{ error: 'Sold out', data: [] },
		{ error: 'Sold out', data: { id: '7' } },
		{ error: 'Sold out', data: { error: 'Sold out', id: '7' } },
		{ error: 'Sold out', name: 'text' },
		{ error: 'Sold out', my_code: 7 },
		{ error: 'Sold out', code_of: 7 },
		{ success: false, answer: { text: 'a' } },
		// A no that is what was asked for
		{ results: false },
		{ results: { toxic: false } },
		{ data: { success: false, id: '7' } },
		{ flagged: false },
		// The envelope's status is read by whoever asked
		{ status: 'failed', data: null },
		{ status: 'failed', data: { message: 'Later' } },
		{ status: 'pending' },
		{},
		[{ error: 'Sold out' }],
		'failed',
		null,
		undefined,
	])('%j is none', (answer) => expect(refusalAlone(answer)).toBeUndefined());
});

describe('an error', () => {
	it.each<unknown>([
		...['', ' ', 'none', 'None', 'null', 'nil', 'undefined', 'false', '0', 'no', 'ok', ' OK\n'],
		...['no error', 'No errors', 'success', 'Successful', null, undefined, false, 0, [], {}],
		...[[null, ''], { code: 0, message: 'OK', details: [{ code: 0 }] }],
	])('%j says nothing', (error) => expect(saysError(error)).toBe(false));

	it.each<unknown>([
		...['none left', 'not null', 'no disk', '01', 'unsuccessful', true, 1, ['', 'x']],
		...[{ code: 0, message: 'Busy' }, { details: [{ code: 7 }] }],
	])('%j says something', (error) => expect(saysError(error)).toBe(true));
});
