import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	answerProblem,
	apiError,
	duration,
	isPage,
	operationError,
	ownWords,
} from '../../nodes/shared/http/errors.ts';

const node: INode = {
	id: '1',
	name: 'Node',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

describe("the service's own words, in every body form (beyond-the-spec section 7)", () => {
	it.each([
		['text/plain', 'text/plain', 'Not found', 'Not found'],
		['an empty body', 'application/json', '', ''],
		['{detail: string}', 'application/json', '{"detail":"No such key"}', 'No such key'],
		['{detail: {message}}', 'application/json', '{"detail":{"message":"Gone"}}', 'Gone'],
		[
			'{message, error_type}',
			'application/json',
			'{"message":"Bad filter","error_type":"R"}',
			'Bad filter',
		],
		[
			'{error: {message, type, code}}',
			'application/json',
			'{"error":{"message":"Quota","type":"q","code":1}}',
			'Quota',
		],
		['{error: string}', 'application/json', '{"error":"invalid_token"}', 'invalid_token'],
		['a JSON string', 'application/json', '"nope"', 'nope'],
		['JSON under the wrong type', 'text/plain', '{"detail":"x"}', 'x'],
		[
			'an HTML page',
			'text/html',
			'<html><head><title>502 Bad Gateway</title></head></html>',
			'an HTML page titled "502 Bad Gateway" instead of JSON',
		],
		[
			'an HTML page without a title',
			'text/plain',
			'<!DOCTYPE html><p>hi',
			'an HTML page instead of JSON',
		],
		['an object without words', 'application/json', '{"code":7}', ''],
		['{msg}', 'application/json', '{"msg":"Try later"}', 'Try later'],
		[
			'{error_description}, as OAuth2 servers',
			'application/json',
			'{"code":1,"error_description":"Bad scope"}',
			'Bad scope',
		],
		['a list of texts, some of them empty', 'application/json', '["a","",null,"b"]', 'a; b'],
		['a list in an object', 'application/json', '{"detail":[{"error":"only this"}]}', 'only this'],
		['a message that is no text', 'application/json', '{"detail":[{"msg":7,"loc":["x"]}]}', 'x: 7'],
		['a number, a truth value', 'application/json', '[7,true]', '7; true'],
		[
			'the first of several keys',
			'application/json',
			'{"message":"second","detail":"first"}',
			'first',
		],
		[
			'four levels',
			'application/json',
			'{"detail":{"detail":{"detail":{"detail":"deep"}}}}',
			'deep',
		],
		[
			'more levels than an error has',
			'application/json',
			'{"detail":{"detail":{"detail":{"detail":{"detail":{"message":"deep"}}}}}}',
			'',
		],
		['lists in lists', 'application/json', '[[[[[[["deep"]]]]]]]', ''],
		['only blanks', 'text/plain', ' \n\t ', ''],
		['only blanks under HTML', 'text/html', ' \n ', ''],
		['text with blanks around it', 'text/plain', '  hello\n', 'hello'],
		['JSON with blanks around it', 'application/json', '\n{"detail":"  x  "} ', 'x'],
		['text that only mentions HTML', 'text/plain', 'expected <html> here', 'expected <html> here'],
		[
			'HTML under another type',
			'text/plain',
			'\n<HTML lang="en"><title id="t">\n  Sign in </title>',
			'an HTML page titled "Sign in" instead of JSON',
		],
		[
			'an HTML page with an empty title',
			'text/html',
			'<title> </title>',
			'an HTML page instead of JSON',
		],
		[
			'an HTML page whose title is far down',
			'text/html',
			`<html>${' '.repeat(10_000)}<title>late</title>`,
			'an HTML page instead of JSON',
		],
	])('%s', (_, contentType, body, words) => expect(ownWords(contentType, body)).toBe(words));

	it('{detail: [{loc, msg, type}]}: every entry with its field', () => {
		const body = JSON.stringify({
			detail: [
				{
					loc: ['body', 'location_ids'],
					msg: 'only a single location is supported',
					type: 'value_error',
				},
				{ loc: ['body', 'gpus_per_vm'], msg: 'must be at most 8', type: 'less_than_equal' },
				{ loc: ['query', 'storage_min'], msg: 'must be at least 1', type: 'x' },
				{ loc: ['body', 'ssh_keys', 0, 'name'], msg: 'too short', type: 'x' },
				{ loc: ['body'], msg: 'is required', type: 'x' },
				{ msg: 'no place', type: 'x' },
				{ loc: ['path', 'id'], msg: 'in the path' },
				{ loc: ['header', 'x-api-key'], msg: 'in a header' },
				{ loc: ['own', 'field'], msg: 'elsewhere' },
			],
		});
		expect(answerProblem(422, 'application/json', body).message).toBe(
			'location_ids: only a single location is supported; gpus_per_vm: must be at most 8; storage_min: must be at least 1; ssh_keys.0.name: too short; body: is required; no place; id: in the path; x-api-key: in a header; own.field: elsewhere',
		);
	});

	it('survives ten thousand nested levels', () => {
		const deep = `${'{"detail":'.repeat(10_000)}"x"${'}'.repeat(10_000)}`;
		expect(ownWords('application/json', deep).length).toBeLessThanOrEqual(1_001);
	});
	it('cuts a long text and keeps it on one line', () => {
		expect(ownWords('text/plain', `a\n\tb ${'x'.repeat(5_000)}`)).toBe(`a b ${'x'.repeat(996)}…`);
		expect(ownWords('text/plain', 'x'.repeat(1_000))).toBe('x'.repeat(1_000));
	});
});

it.each([
	['', '<!doctype html>', true],
	['application/json', '\n <HTML>', true],
	['text/html', 'Sign in', true],
	['application/XHTML+xml', '<p>Sign in</p>', true],
	// JSON under the wrong type, and nothing at all
	['text/html', '{"id":"7"}', false],
	['text/html', ' \n', false],
	['text/plain', 'Sign in to <html>', false],
	['application/json', '{"id":"<html>"}', false],
])('%j with %j is a web page: %j', (type, text, isOne) => expect(isPage(type, text)).toBe(isOne));

describe('the error that n8n shows', () => {
	it.each<[number, string, RegExp]>([
		...[301, 302, 303, 307, 308].map((status): [number, string, RegExp] => [
			status,
			'The service redirects to another address',
			/not followed.*Base URL/,
		]),
		[401, 'Authentication failed', /key or token.*Base URL/],
		[402, 'Payment required', /credits/],
		[403, 'Permission denied', /has permission/],
		[404, 'Not found', /Check the ID.*Base URL/],
		[409, 'Conflict', /already exist.*sold out/],
		[413, 'Request too large', /smaller file/],
		[418, 'Request rejected', /values of the fields/],
		[429, 'Rate limit or quota exceeded', /Wait/],
		[499, 'Request rejected', /values of the fields/],
		[500, 'Server error', /side of the service.*Retry On Fail/],
		[503, 'Server error', /side of the service.*Retry On Fail/],
	])('%i', (status, title, advice) => {
		const problem = answerProblem(status, 'application/json', '{"detail":"wrong key"}');
		expect(problem).toEqual({
			message: `${title} (${status}): wrong key`,
			description: expect.stringMatching(advice) as string,
			status,
		});
	});
	it('names the fields of a 422 alone', () =>
		expect(answerProblem(422, '', '{"detail":"wrong key"}')).toMatchObject({
			message: 'wrong key',
			description: expect.stringContaining('fields that are named') as string,
		}));
	it('an empty 422 has a message', () =>
		expect(answerProblem(422, '', '').message).toBe('Validation failed (422)'));
	it('says when to retry, where that is known', () => {
		const [unknown, known] = [answerProblem(429, '', ''), answerProblem(429, '', '', 90 * 60_000)];
		expect(unknown.description).toMatch(/requests\.$/);
		expect(known.description).toBe(`${unknown.description} Retry after 90 minutes.`);
	});
	it('has the advice of the service where that has some', () => {
		const advise = (status: number) =>
			answerProblem(status, '', '', 60_000, { 429: 'Use a smaller model.' });
		expect(advise(429)).toEqual({
			message: 'Rate limit or quota exceeded (429)',
			description: 'Use a smaller model. Retry after 60 seconds.',
			status: 429,
		});
		expect(advise(404)).toEqual(answerProblem(404, '', '', 60_000));
	});
	it('does not repeat a text', () =>
		expect(answerProblem(404, 'text/plain', 'Not found').message).toBe('Not found (404)'));

	it('is a NodeApiError that keeps its message, even with an errno word in it', () => {
		const error = apiError(
			node,
			{ message: 'superpermissive ECONNREFUSED', description: 'why', status: 422 },
			3,
		);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({
			message: 'superpermissive ECONNREFUSED',
			description: 'why',
			httpCode: '422',
			context: { itemIndex: 3 },
		});
	});
	it.each([
		[
			{ description: 'why', itemIndex: 3 },
			{ description: 'why', context: { itemIndex: 3 } },
		],
		[undefined, { context: {} }],
	])('is one of the operation before anything is sent: %j', (options, told) => {
		const error = operationError(node, 'useExisting must be yes or no', options);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({ message: 'useExisting must be yes or no', ...told });
	});
	it('needs no status', () =>
		expect(apiError(node, { message: 'gone' })).toMatchObject({ message: 'gone', httpCode: null }));
});

it.each([
	[0, '0 seconds'],
	[1_000, '1 second'],
	[45_000, '45 seconds'],
	[119_001, '2 minutes'],
	[118_001, '119 seconds'],
	[720_000, '12 minutes'],
	[7_199_000, '120 minutes'],
	[7_200_000, '2 hours'],
	[3 * 3_600_000, '3 hours'],
])('duration of %i ms', (ms, text) => {
	expect(duration(ms)).toBe(text);
});
