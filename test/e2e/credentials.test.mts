import { describe, expect } from 'vitest';
import type { Sandbox } from '../sandbox/index.mts';
import { byTestId, CANVAS } from './browser.mts';
import { NAMES, secretsFor } from './credentials.mts';
import { test } from './fixture.mts';
import type { Rest, TestResult } from './rest.mts';
import { serve } from './serve.mts';

/** The types that n8n can test, with the field that holds the secret */
const SECRET_FIELDS = [
	['computeMarketplaceApi', 'apiKey'],
	['computeMarketplaceTokenApi', 'accessToken'],
	['computeIntelligenceApi', 'apiKey'],
] as const;

type Change = (right: Record<string, string>) => Record<string, string>;

/** Lets n8n test a credential that is right but for this change */
async function testWith(
	{ rest, sandbox }: { rest: Rest; sandbox: Sandbox },
	type: string,
	change: Change = () => ({}),
): Promise<TestResult> {
	const right = secretsFor(sandbox)[type] ?? {};
	return await rest.testCredential(type, { ...right, ...change(right) });
}

describe.each(SECRET_FIELDS)('n8n tests a credential of type %s', (type, field) => {
	test('accepts the right key', async ({ rest, sandbox }) => {
		expect(await testWith({ rest, sandbox }, type)).toMatchObject({ status: 'OK' });
	});

	test('ignores trailing slashes and pasted white space', async ({ rest, sandbox }) => {
		const pasted: Change = (right) => ({
			baseUrl: `${right.baseUrl}//`,
			[field]: ` ${right[field]}\n`,
		});
		expect(await testWith({ rest, sandbox }, type, pasted)).toMatchObject({ status: 'OK' });
	});

	test('says that a wrong key is not accepted', async ({ rest, sandbox }) => {
		const result = await testWith({ rest, sandbox }, type, () => ({ [field]: 'wrong' }));
		expect(result).toEqual({
			status: 'Error',
			message: expect.stringMatching(/did not accept the (API key|access token)/),
		});
	});

	test('says that a base URL is that of a website', async ({ rest, sandbox }) => {
		const website = await serve(() => ({ page: '<!doctype html><title>Shop</title>' }));
		try {
			expect(await testWith({ rest, sandbox }, type, () => ({ baseUrl: website.url }))).toEqual({
				status: 'Error',
				message: expect.stringMatching(/answers with a web page/),
			});
		} finally {
			await website.close();
		}
	});

	test('says that a base URL with a path has nothing there', async ({ rest, sandbox }) => {
		const withPath: Change = ({ baseUrl }) => ({ baseUrl: `${baseUrl}/v1` });
		expect(await testWith({ rest, sandbox }, type, withPath)).toEqual({
			status: 'Error',
			message: expect.stringMatching(/nothing at this path \(404\).*base URL.*without a path/),
		});
	});

	test('says that an outage is not the fault of the credential', async ({ rest, sandbox }) => {
		const down = await serve(() => ({ status: 503, body: {} }));
		try {
			expect(await testWith({ rest, sandbox }, type, () => ({ baseUrl: down.url }))).toEqual({
				status: 'Error',
				message: expect.stringMatching(/says nothing about the credential.*\(503\)/),
			});
		} finally {
			await down.close();
		}
	});

	test('does not follow a redirect, which would take the key to another host', async ({
		rest,
		sandbox,
	}) => {
		let arrived = 0;
		const elsewhere = await serve(() => {
			arrived += 1;
			return { body: {} };
		});
		const redirecting = await serve(() => ({ status: 302, location: elsewhere.url }));
		try {
			const result = await testWith({ rest, sandbox }, type, () => ({ baseUrl: redirecting.url }));
			expect(result).toEqual({ status: 'Error', message: expect.stringMatching(/redirect/) });
			expect(arrived).toBe(0);
		} finally {
			await redirecting.close();
			await elsewhere.close();
		}
	});
});

test.for(['computeMarketplaceApi', 'computeMarketplaceTokenApi'])(
	'n8n says that a credential of type %s has a wrong service segment',
	async (type, { rest, sandbox }) => {
		expect(await testWith({ rest, sandbox }, type, () => ({ service: 'wrong' }))).toEqual({
			status: 'Error',
			message: expect.stringMatching(/nothing at this path \(404\)\. Check the service segment/),
		});
	},
);

test.for([
	['bearer', 'authorization'],
	['xApiKey', 'x-api-key'],
	['token', 'token'],
] as const)(
	'computeIntelligenceApi with header %s sends the key as %s and in no other header',
	async ([header, expected], { rest, sandbox }) => {
		const seen: string[][] = [];
		const server = await serve(({ headers }) => {
			seen.push(['authorization', 'x-api-key', 'token'].filter((name) => name in headers));
			return { body: { data: [] } };
		});
		try {
			await testWith({ rest, sandbox }, 'computeIntelligenceApi', () => ({
				header,
				baseUrl: server.url,
			}));
			expect(seen).toEqual([[expected]]);
		} finally {
			await server.close();
		}
	},
);

test.for(Object.keys(NAMES))(
	'the form of a saved credential of type %s opens',
	async (type, { editor, credentials }) => {
		const { page, pictures, url } = editor;
		await page.setViewportSize(CANVAS);
		await page.goto(`${url}/home/credentials/${credentials[type]}`);
		const form = byTestId(page, 'editCredential-modal');
		const field = type === 'computeSshApi' ? 'Private Key' : 'Base URL';
		await form.getByText(field).first().waitFor();
		await pictures.window(`credential ${type}`);
	},
);
