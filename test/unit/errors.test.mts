import { NodeApiError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answerProblem, apiError, duration, ownWords } from '../../nodes/shared/errors.ts';

const node: INode = { id: '1', name: 'Node', type: 'test.node', typeVersion: 1, position: [0, 0], parameters: {} };

describe('the service\'s own words, in every body form (beyond-the-spec section 7)', () => {
	it.each([
		['text/plain', 'text/plain', 'Not found', 'Not found'],
		['an empty body', 'application/json', '', ''],
		['{detail: string}', 'application/json', '{"detail":"No such key"}', 'No such key'],
		['{detail: {message}}', 'application/json', '{"detail":{"message":"Gone"}}', 'Gone'],
		['{message, error_type}', 'application/json', '{"message":"Bad filter","error_type":"R"}', 'Bad filter'],
		['{error: {message, type, code}}', 'application/json', '{"error":{"message":"Quota","type":"q","code":1}}', 'Quota'],
		['{error: string}', 'application/json', '{"error":"invalid_token"}', 'invalid_token'],
		['a JSON string', 'application/json', '"nope"', 'nope'],
		['JSON under the wrong type', 'text/plain', '{"detail":"x"}', 'x'],
		['an HTML page', 'text/html', '<html><head><title>502 Bad Gateway</title></head></html>', 'an HTML page titled "502 Bad Gateway" instead of JSON'],
		['an HTML page without a title', 'text/plain', '<!DOCTYPE html><p>hi', 'an HTML page instead of JSON'],
		['an object without words', 'application/json', '{"code":7}', ''],
	])('%s', (_, contentType, body, words) => expect(ownWords(contentType, body)).toBe(words));

	it('{detail: [{loc, msg, type}]}: every entry with its field', () => {
		const body = JSON.stringify({
			detail: [
				{ loc: ['body', 'location_ids'], msg: 'only a single location is supported', type: 'value_error' },
				{ loc: ['body', 'gpus_per_vm'], msg: 'must be at most 8', type: 'less_than_equal' },
				{ loc: ['query', 'storage_min'], msg: 'must be at least 1', type: 'x' },
				{ loc: ['body', 'ssh_keys', 0, 'name'], msg: 'too short', type: 'x' },
				{ loc: ['body'], msg: 'is required', type: 'x' },
				{ msg: 'no place', type: 'x' },
			],
		});
		expect(answerProblem(422, 'application/json', body).message).toBe(
			'location_ids: only a single location is supported; gpus_per_vm: must be at most 8; storage_min: must be at least 1; ssh_keys.0.name: too short; body: is required; no place',
		);
	});

	it('survives ten thousand nested levels', () => {
		const deep = `${'{"detail":'.repeat(10_000)}"x"${'}'.repeat(10_000)}`;
		expect(ownWords('application/json', deep).length).toBeLessThanOrEqual(1_001);
	});
	it('cuts a long text and keeps it on one line', () => {
		const words = ownWords('text/plain', `a\n\tb ${'x'.repeat(5_000)}`);
		expect(words.startsWith('a b x')).toBe(true);
		expect(words.length).toBeLessThanOrEqual(1_001);
	});
});

describe('the error that a person sees', () => {
	it.each([
		[401, 'The service did not accept the credential (401): wrong key'],
		[402, 'The plan does not cover this request (402): wrong key'],
		[403, 'The account may not do this (403): wrong key'],
		[404, 'Not found (404): wrong key'],
		[409, 'The service reports a conflict (409): wrong key'],
		[429, 'The limit of requests or credits is used up (429): wrong key'],
		[500, 'The service could not answer (500): wrong key'],
		[418, 'The service refused the request (418): wrong key'],
		[302, 'The service redirects to another address (302): wrong key'],
	])('%i', (status, message) => {
		const problem = answerProblem(status, 'application/json', '{"detail":"wrong key"}');
		expect(problem.message).toBe(message);
		expect(problem.description).toMatch(/\w/);
	});
	it('an empty 422 still says what it is', () => expect(answerProblem(422, '', '').message).toBe('The service found a field that is not valid (422)'));
	it('says when a limit opens again', () => expect(answerProblem(429, '', '', 90 * 60_000).description).toContain('It opens again in 90 minutes.'));

	it('is a NodeApiError that keeps its message also when it holds an errno word', () => {
		const error = apiError(node, { message: 'superpermissive ECONNREFUSED', description: 'why', status: 422 }, 3);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ message: 'superpermissive ECONNREFUSED', description: 'why', httpCode: '422', context: { itemIndex: 3 } });
	});
});

it.each([[0, '0 seconds'], [1_000, '1 second'], [45_000, '45 seconds'], [720_000, '12 minutes'], [3 * 3_600_000, '3 hours']])('duration of %i ms', (ms, text) => {
	expect(duration(ms)).toBe(text);
});
