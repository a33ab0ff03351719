import { NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../nodes/shared/http/request.ts';
import { fillPath } from '../../nodes/shared/http/url.ts';

const node: INode = {
	id: '1',
	name: 'Node',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const api = {
	functions: { getNode: () => node },
	account: { segments: { service: 'svc' } },
	itemIndex: 4,
} as unknown as RequestContext;

describe('a path', () => {
	it('takes the segments of the credential and the values of the item', () => {
		expect(fillPath(api, '/v1/{service}-cloud/{id}/x/{id}', { id: '12' })).toBe(
			'/v1/svc-cloud/12/x/12',
		);
		expect(fillPath(api, '/v1/{service}')).toBe('/v1/svc');
		expect(fillPath(api, '/v1/{service}', { service: 'own' })).toBe('/v1/own');
	});

	it.each([
		['a/b', 'a%2Fb'],
		['a?b#c', 'a%3Fb%23c'],
		['ü', '%C3%BC'],
		['...', '...'],
		['.a', '.a'],
		['a..', 'a..'],
	])('holds %s as one segment', (value, segment) => {
		expect(fillPath(api, '/x/{id}', { id: value })).toBe(`/x/${segment}`);
	});

	it.each([
		['', 'id must not be empty'],
		['.', 'id must not be "."'],
		['..', 'id must not be ".."'],
	])('with "%s" would be another endpoint', (value, message) => {
		const fill = () => fillPath(api, '/x/{id}', { id: value });
		expect(fill).toThrow(NodeOperationError);
		expect(fill).toThrow(
			expect.objectContaining({ message, context: expect.objectContaining({ itemIndex: 4 }) }),
		);
	});

	it('needs a value for each parameter', () => {
		expect(() => fillPath(api, '/x/{rag}')).toThrow('rag must not be empty');
	});
});
