import { describe, expect, it } from 'vitest';
import { problemAt, publicUrlIn } from '../../nodes/Caas/publicUrl.ts';
import { KEY_CREDENTIALS } from '../../nodes/marketplace/credentials.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import { Body, functionsOf, type Answered, type Asked } from './log-parts.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

describe('a public URL', () => {
	it.each([
		['https://a.example', 'https://a.example'],
		[' HTTP://a.example/path?x=1 ', 'HTTP://a.example/path?x=1'],
		['a.example', 'https://a.example'],
		['A.b-1.example:8080/path', 'https://A.b-1.example:8080/path'],
		['a.example/', 'https://a.example/'],
	])('is read from %j', (shown, url) => {
		expect(publicUrlIn(shown)).toBe(url);
	});

	it.each([
		...[
			undefined,
			null,
			7,
			'',
			' ',
			'pending',
			'N/A',
			'a.example is starting',
			'a.1',
			'a.example:x',
		],
		...['https://', 'https:///path', 'ftp://a.example', 'x https://a.example', 'https://a b'],
		...['://a.example', 'ftp://a.example/https://b.example', 'http://a.example:99999'],
	])('is none as %j', (shown) => {
		expect(publicUrlIn(shown)).toBeUndefined();
	});
});

describe('a health check at a public URL', () => {
	/** What is asked for, and what is said of the answer. */
	async function checked(
		answer: (asked: Asked) => Promise<Answered> | Answered,
		url = 'https://a.example/',
		path = '/',
	) {
		const asked: Array<Asked & { method?: string }> = [];
		const functions = functionsOf((one) => {
			asked.push(one);
			return answer(one);
		});
		const context = { functions, account: await openAccount(functions, KEY_CREDENTIALS) };
		const { value, seconds } = await ended(problemAt(context, url, path));
		return { asked, problem: value, seconds };
	}

	it.each([200, 204, 302, 399])('is passed with a status of %d', async (status) => {
		const body = new Body().write('up');
		const { asked, problem } = await checked(() => ({ status, body }));
		expect(problem).toBeUndefined();
		expect(asked).toHaveLength(1);
		expect(asked[0]).toMatchObject({ method: 'GET', url: 'https://a.example/' });
		expect(asked[0]?.headers).toEqual({ Accept: '*/*' });
		expect(body.isDestroyed).toBe(true);
	});

	it.each([199, 400, 503])('is failed with a status of %d', async (status) => {
		const { problem } = await checked(() => ({ status }));
		expect(problem).toBe(`https://a.example/ answers with ${status}`);
	});

	it.each([
		['https://a.example', '/health', 'https://a.example/health'],
		['https://a.example/app//', '/health', 'https://a.example/app/health'],
		['https://a.example/app?key=1', '/health', 'https://a.example/app/health?key=1'],
		['https://a.example/app?key=1', '/health?full=1', 'https://a.example/app/health?full=1'],
	])('of %s with the path %s asks for %s', async (url, path, whole) => {
		const { asked } = await checked(() => ({}), url, path);
		expect(asked.map((one) => one.url)).toEqual([whole]);
	});

	it('is failed where nobody is there', async () => {
		const { problem } = await checked(() => {
			throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
		});
		expect(problem).toMatch(/^https:\/\/a\.example\/ does not answer: \S/);
	});

	it('is failed without an answer in ten seconds', async () => {
		const { problem, seconds } = await checked(async () => await new Promise(() => undefined));
		expect(problem).toMatch(/^https:\/\/a\.example\/ does not answer/);
		expect(seconds).toBe(10);
	});
});
