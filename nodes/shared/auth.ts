import * as workflow from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	ISupplyDataFunctions,
	ITriggerFunctions,
} from 'n8n-workflow';
import { isRecord } from './validate';

/** The n8n contexts in which the package sends requests. */
export type Context = IExecuteFunctions | ILoadOptionsFunctions | ISupplyDataFunctions | ITriggerFunctions;

/** Where requests go and who sends them: everything of a credential that the shared helper needs, and no secret in the open. */
export interface Account {
	credentialType: string;
	/** Without a trailing slash. */
	baseUrl: string;
	/** Values of `{service}` and `{rag}` in path templates. */
	segments: Record<string, string>;
	/** n8n refreshes an OAuth2 token only when it sees the 401 itself. */
	isOAuth2: boolean;
	/** n8n's "Allowed HTTP Request Domains" of the credential; undefined allows all. */
	allowedDomains?: string;
	/** Headers of a second credential (container logs take two, compute-api.md "Container log stream"). */
	headers?: Record<string, string>;
	/** Replaces each secret of the credential in a text that a person or a log will see. */
	redact(text: string): string;
}

/** The credential type of a node; where there is a choice, pairs of the value of its `authentication` parameter and the type. */
export type CredentialChoice = string | Array<readonly [authentication: string, credentialType: string]>;

/** Reads and checks a node's credential (compute-api.md and intelligence-api.md, "Authentication"). */
export async function openAccount(ctx: Context, choice: CredentialChoice): Promise<Account> {
	const credentialType = typeof choice === 'string' ? choice : chosen(ctx, choice);
	const data = await ctx.getCredentials(credentialType);
	const baseUrl = checkedBaseUrl(ctx, data.baseUrl);
	const segments: Record<string, string> = {};
	if ('service' in data) segments.service = checkedSegment(ctx, 'Service Segment', data.service);
	if ('ragSegment' in data) segments.rag = checkedSegment(ctx, 'Retrieval Segment', data.ragSegment);
	const secrets = secretsOf(data);
	return {
		credentialType,
		baseUrl,
		segments,
		isOAuth2: credentialType.endsWith('OAuth2Api'),
		allowedDomains: allowedDomains(ctx, data, baseUrl),
		redact: (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text),
	};
}

function chosen(ctx: Context, choices: Exclude<CredentialChoice, string>): string {
	const authentication = ctx.getNodeParameter('authentication', 0) as string;
	const credentialType = choices.find(([value]) => value === authentication)?.[1];
	if (credentialType === undefined) {
		throw new workflow.NodeOperationError(
			ctx.getNode(),
			`Authentication must be one of ${choices.map(([value]) => value).join(', ')}, got "${authentication}"`,
		);
	}
	return credentialType;
}

/** The value itself stays out of these messages: someone may have pasted a key or a password into it. */
function checkedBaseUrl(ctx: Context, value: unknown): string {
	const fail = (problem: string): never => {
		throw new workflow.NodeOperationError(ctx.getNode(), `Base URL in the credential ${problem}`, {
			description: 'It looks like https://api.example.com, without a path of the API and without a key.',
		});
	};
	const text = typeof value === 'string' ? value.trim() : '';
	if (text === '') fail('is required and must not be empty');
	const url = URL.canParse(text) ? new URL(text) : fail('must be a full address that starts with https:// or http://');
	if (url.protocol !== 'https:' && url.protocol !== 'http:') fail('must start with https:// or http://');
	if (url.username !== '' || url.password !== '') fail('must not hold a user name or a password');
	if (url.search !== '' || url.hash !== '') fail('must not hold a query (?) or a fragment (#)');
	return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function checkedSegment(ctx: Context, label: string, value: unknown): string {
	const text = typeof value === 'string' ? value.trim() : '';
	if (!/^[A-Za-z0-9._~-]+$/.test(text) || /^\.+$/.test(text)) {
		throw new workflow.NodeOperationError(
			ctx.getNode(),
			`${label} in the credential must be one word of a path: letters, digits and . _ ~ -`,
		);
	}
	return text;
}

/** Feature-detected: hosts before n8n 2.20 do not export it, and have no such restriction to keep. */
function allowedDomains(ctx: Context, data: ICredentialDataDecryptedObject, baseUrl: string): string | undefined {
	if (typeof workflow.getCredentialAllowedDomains !== 'function') return undefined;
	return workflow.getCredentialAllowedDomains({
		node: ctx.getNode(),
		credentialData: data,
		credentialOwnedSurface: true,
		nodeEndpointUrl: baseUrl,
	});
}

/** Shorter ones are left alone: replacing them would tear ordinary words out of a message. */
const SHORTEST_SECRET = 6;

function secretsOf(data: ICredentialDataDecryptedObject): string[] {
	const token = isRecord(data.oauthTokenData) ? data.oauthTokenData : {};
	return [data.apiKey, data.accessToken, data.clientSecret, token.access_token, token.refresh_token]
		.filter((value): value is string => typeof value === 'string' && value.length >= SHORTEST_SECRET)
		.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
}
