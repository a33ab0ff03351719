import { describe, expect, it } from 'vitest';
import { isClearNo, isUnknownToService } from '../../nodes/marketplace/clearNo.ts';
import type { Reply } from '../../nodes/shared/http/reply.ts';
import { answer } from './replies.mts';

const detail = (words: string) => JSON.stringify({ detail: words });

describe('a 404 to a purchase or an extension', () => {
	it.each([
		['names the hardware', answer(404, detail('Hardware 12 does not exist'))],
		['says that it is sold out', answer(404, detail('Sold out'))],
		[
			'names the deployment as text',
			answer(404, 'Deployment not found', { contentType: 'text/plain' }),
		],
		['names it beside a path', answer(404, detail('No location 3 at /v1/svc/deploy'))],
	])('that %s is a refusal', (_, reply) => {
		expect(isClearNo(reply)).toBe(true);
	});

	it.each([
		['says nothing', answer(404, '')],
		['names nothing of the service', answer(404, detail('Not Found'))],
		['names the path from its root', answer(404, detail('No route for /api/v1/my-deployment'))],
		['names the path without its root', answer(404, detail('Cannot POST deployments/extend'))],
		[
			'is a web page',
			answer(404, '<html><title>Deployment not found</title>', { contentType: 'text/html' }),
		],
		['is a web page of another type', answer(404, '<!doctype html><title>No GPU</title>')],
	])('that %s may be of a gateway', (_, reply) => {
		expect(isClearNo(reply)).toBe(false);
	});
});

it.each<[string, Reply, boolean]>([
	['a 422 without a word', answer(422, ''), true],
	['a 422 that is a web page', answer(422, '<html>', { contentType: 'text/html' }), true],
	['a 500 that names the hardware', answer(500, detail('Hardware 12 does not exist')), false],
	['a 200 that names the hardware', answer(200, detail('Hardware 12 does not exist')), false],
	['a request that was not sent', { kind: 'unsent', reason: 'No connection' }, true],
	['an answer that is lost', { kind: 'lost', reason: 'Deployment', status: 404 }, false],
])('%s: refused %s', (_, reply, expected) => {
	expect(isClearNo(reply)).toBe(expected);
});

it.each<[string, Reply, boolean]>([
	['404 that names the deployment', answer(404, detail('Deployment not found')), true],
	['410 that names the deployment', answer(410, detail('Deployment not found')), true],
	['404 of a gateway', answer(404, '{"message":"no Route matched with those values"}'), false],
	['404 that is a page', answer(404, '<html>Deployment', { contentType: 'text/html' }), false],
	['410 without a word', answer(410, ''), false],
	['422 that names the deployment', answer(422, detail('Deployment not found')), false],
	['answer that is lost', { kind: 'lost', reason: 'Deployment', status: 404 }, false],
])('a %s: unknown to the service %s', (_, reply, expected) => {
	expect(isUnknownToService(reply)).toBe(expected);
});
