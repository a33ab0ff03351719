import type { Report } from '../report.mts';
import type { Sandbox } from '../sandbox/index.mts';
import type { SavedCredential } from './forms.mts';
import type { Rest } from './rest.mts';
import { serve } from './serve.mts';

/** As credentials are called in the examples */
export const NAMES: Record<string, string> = {
	computeMarketplaceApi: 'Compute Marketplace',
	computeMarketplaceTokenApi: 'Compute Marketplace Token',
	computeMarketplaceOAuth2Api: 'Compute Marketplace OAuth2',
	computeIntelligenceApi: 'Compute Intelligence',
	computeIntelligenceOAuth2Api: 'Compute Intelligence OAuth2',
};

/** What a person would enter for the sandbox, for each credential type */
export function secretsFor({
	url,
	intelligenceUrl,
	keys,
}: Sandbox): Record<string, Record<string, string>> {
	const oAuth2 = {
		grantType: 'clientCredentials',
		accessTokenUrl: `${url}/oauth2/token`,
		clientId: 'client',
		clientSecret: 'secret',
	};
	return {
		computeMarketplaceApi: { baseUrl: url, service: 'svc', apiKey: keys.apiKey },
		computeMarketplaceTokenApi: { baseUrl: url, service: 'svc', accessToken: keys.accessToken },
		computeMarketplaceOAuth2Api: { ...oAuth2, baseUrl: url, service: 'svc' },
		computeIntelligenceApi: {
			baseUrl: intelligenceUrl,
			ragSegment: 'rag',
			apiKey: keys.intelligenceKey,
			header: 'bearer',
		},
		computeIntelligenceOAuth2Api: {
			...oAuth2,
			accessTokenUrl: `${intelligenceUrl}/oauth2/token`,
			baseUrl: intelligenceUrl,
			ragSegment: 'rag',
		},
	};
}

const SECRET_FIELD: Record<string, string> = {
	computeMarketplaceApi: 'apiKey',
	computeMarketplaceTokenApi: 'accessToken',
	computeIntelligenceApi: 'apiKey',
};

/** Lets n8n test what it can test, with the right key and with wrong ones, and saves one credential of each type */
export async function checkCredentials(
	report: Report,
	rest: Rest,
	sandbox: Sandbox,
): Promise<SavedCredential[]> {
	const secrets = secretsFor(sandbox);
	for (const [type, field] of Object.entries(SECRET_FIELD)) {
		const data = secrets[type] ?? {};
		const test = (change: Record<string, string>) =>
			rest.testCredential(type, { ...data, ...change });
		const expectRefusal = async (name: string, change: Record<string, string>, words: RegExp) => {
			const { status, message } = await test(change);
			report.check(`${type}: ${name}: "${message}"`, status === 'Error' && words.test(message));
		};

		const { status, message } = await test({});
		report.check(`${type}: the right key is accepted`, status === 'OK', message);
		const slashes = await test({ baseUrl: `${data.baseUrl}//`, [field]: ` ${data[field]}\n` });
		report.check(
			`${type}: trailing slashes and pasted blanks do no harm`,
			slashes.status === 'OK',
			slashes.message,
		);
		await expectRefusal(
			'a wrong key is refused',
			{ [field]: 'wrong' },
			/did not accept the (API key|access token)/,
		);
		await redirected(report, type, test);
	}
	await intelligenceHeaders(report, rest, secrets.computeIntelligenceApi ?? {});

	return await Promise.all(
		Object.entries(secrets).map(async ([type, data]) => ({
			type,
			id: await rest.createCredential(type, data, NAMES[type]),
		})),
	);
}

async function intelligenceHeaders(
	report: Report,
	rest: Rest,
	data: Record<string, string>,
): Promise<void> {
	for (const header of ['bearer', 'xApiKey', 'token']) {
		const seen: string[][] = [];
		const server = await serve(({ headers }) => {
			seen.push(['authorization', 'x-api-key', 'token'].filter((name) => name in headers));
			return { body: { data: [] } };
		});
		await rest.testCredential('computeIntelligenceApi', { ...data, header, baseUrl: server.url });
		await server.close();
		report.check(
			`computeIntelligenceApi: ${header} sends exactly one header`,
			seen.length === 1 && seen[0]?.length === 1,
		);
	}
}

/** n8n would carry a key along to the host that it is redirected to */
async function redirected(
	report: Report,
	type: string,
	test: (change: Record<string, string>) => Promise<{ status: string; message: string }>,
): Promise<void> {
	let arrived = 0;
	const elsewhere = await serve(() => {
		arrived += 1;
		return { body: {} };
	});
	const redirecting = await serve(() => ({ status: 302, location: elsewhere.url }));
	const { status, message } = await test({ baseUrl: redirecting.url });
	await redirecting.close();
	await elsewhere.close();
	report.check(
		`${type}: a redirect is not followed: "${message}"`,
		status === 'Error' && arrived === 0 && /redirect/.test(message),
	);
}
