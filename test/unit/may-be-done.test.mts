import { expect, it } from 'vitest';
import { mayBeDone } from '../../nodes/marketplace/clearNo.ts';
import type { Reply } from '../../nodes/shared/http/reply.ts';
import { answer } from './replies.mts';

const said = (status: number, detail: string) => answer(status, JSON.stringify({ detail }));
const PAGE = { contentType: 'text/html' };

it.each<[string, Reply]>([
	['a 409 without a word', answer(409)],
	...[
		'It exists',
		'This is already there',
		'Duplicate request',
		'A repeated request',
		'In progress',
		'It is being processed',
		'The order is pending',
		'The name job is taken',
		'name is in use',
		'Conflict',
		'resource_private_name: must be unique',
		'This name is not available',
	].map((words): [string, Reply] => [`the words "${words}"`, said(422, words)]),
	['a 400 that knows the request', said(400, 'Duplicate')],
	['a 409 that knows the request', said(409, 'Duplicate')],
	['a page of a proxy', answer(403, '<html>No', PAGE)],
])('a purchase may have been made by a request before it: %s', (_, reply) => {
	expect(mayBeDone(reply)).toBe(true);
});

it.each<[string, Reply]>([
	['a 422 without a word', answer(422)],
	['a 400 without a word', answer(400)],
	['a 409 with other words', said(409, 'No such hardware')],
	['a 409 that is about hardware', said(409, 'Hardware name gpu-a: none is available')],
	['words that only look alike', said(422, 'A coexisting order')],
	['a 402 that knows the request', said(402, 'Duplicate')],
	['a 500 that knows the request', said(500, 'Duplicate')],
	['a page that limits the rate', answer(429, '<html>Slow down', PAGE)],
	['a request that was not sent', { kind: 'unsent', reason: 'already' }],
	['an answer that is lost', { kind: 'lost', reason: 'already', status: 409 }],
])('a purchase was not made before: %s', (_, reply) => {
	expect(mayBeDone(reply)).toBe(false);
});
