import { getCredentialAllowedDomains } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	ISupplyDataFunctions,
	ITriggerFunctions,
} from 'n8n-workflow';
import { isRecord, show } from '../guards';
import { operationError } from './errors';

/** The n8n contexts in which the package sends requests. */
export type N8nFunctions =
	IExecuteFunctions | ILoadOptionsFunctions | ISupplyDataFunctions | ITriggerFunctions;

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
	/** With OAuth2: n8n may have renewed the token during a request, and the answer is to be searched for the new one, too. */
	learnSecrets?(): Promise<void>;
}

/**
 * The credential type of a node; where there is a choice, the value of its `authentication` parameter, the type that
 * signs the request, and the type of a second credential where the endpoint wants both.
 */
export type CredentialChoice = string | CredentialChoices;
export type CredentialChoices = ReadonlyArray<
	readonly [authentication: string, credentialType: string, second?: string]
>;

/** The credential whose Base URL and service segment count where a node takes two. */
const HOST_CREDENTIAL = 'computeMarketplaceApi';

/** What a second credential adds to the request that the first one signs. */
const SECOND_HEADERS: Record<
	string,
	{ header: string; field: string; label: string; prefix: string }
> = {
	computeMarketplaceApi: { header: 'x-api-key', field: 'apiKey', label: 'API Key', prefix: '' },
	computeMarketplaceTokenApi: {
		header: 'Authorization',
		field: 'accessToken',
		label: 'Access Token',
		prefix: 'Bearer ',
	},
};

/** Reads and checks a node's credential (compute-api.md and intelligence-api.md, "Authentication"). */
export async function openAccount(
	functions: N8nFunctions,
	choice: CredentialChoice,
): Promise<Account> {
	const [credentialType, secondType] =
		typeof choice === 'string' ? [choice] : chosen(functions, choice);
	const first = await readCredential(functions, credentialType);
	const second = secondType === undefined ? undefined : await readCredential(functions, secondType);
	if (second) checkSameService(functions, first, second);
	const { baseUrl, segments } = second?.type === HOST_CREDENTIAL ? second : first;
	const secrets = [...secretsOf(first.data), ...(second ? secretsOf(second.data) : [])];
	const account: Account = {
		credentialType,
		baseUrl,
		segments,
		isOAuth2: credentialType.endsWith('OAuth2Api'),
		allowedDomains: first.allowedDomains,
		headers: second && headersOf(functions, second),
		redact: redactor(secrets),
	};
	if (!account.isOAuth2) return account;
	account.learnSecrets = async () => {
		// Where it cannot be read just now the answer is worth more than an error
		const data = await functions.getCredentials(credentialType).catch(() => ({}));
		account.redact = redactor([...new Set([...secrets, ...secretsOf(data)])]);
	};
	return account;
}

interface Credential {
	type: string;
	data: ICredentialDataDecryptedObject;
	baseUrl: string;
	segments: Record<string, string>;
	allowedDomains?: string;
}

async function readCredential(functions: N8nFunctions, type: string): Promise<Credential> {
	const data = await functions.getCredentials(type);
	const baseUrl = checkedBaseUrl(functions, data.baseUrl);
	const segments: Record<string, string> = {};
	if ('service' in data)
		segments.service = checkedSegment(functions, 'Service Segment', data.service);
	if ('ragSegment' in data)
		segments.rag = checkedSegment(functions, 'Retrieval Segment', data.ragSegment);
	return {
		type,
		data,
		baseUrl,
		segments,
		allowedDomains: allowedDomains(functions, data, baseUrl),
	};
}

/** Two credentials that belong to different services would show the secret of one to the other. */
function checkSameService(functions: N8nFunctions, first: Credential, second: Credential): void {
	const places = [first, second].map(({ baseUrl, segments }) => ({
		'Base URL': new URL(baseUrl).origin,
		'Service Segment': segments.service,
	}));
	const different = (['Base URL', 'Service Segment'] as const).filter(
		(label) => places[0]?.[label] !== places[1]?.[label],
	);
	if (different.length === 0) return;
	throw operationError(
		functions.getNode(),
		`The two credentials of this node must belong to the same service: ${different.join(' and ')} must be equal in both`,
		{
			description:
				'Nothing was sent, so that no key reaches another service. Choose two credentials of one account.',
		},
	);
}

function headersOf(functions: N8nFunctions, { type, data }: Credential): Record<string, string> {
	const { header, field, label, prefix } = SECOND_HEADERS[type]!;
	const secret = typeof data[field] === 'string' ? data[field].trim() : '';
	if (secret === '')
		throw operationError(
			functions.getNode(),
			`${label} in the credential is required and must not be empty`,
		);
	return { [header]: `${prefix}${secret}` };
}

function chosen(
	functions: N8nFunctions,
	choices: CredentialChoices,
): [credentialType: string, second?: string] {
	const authentication = functions.getNodeParameter('authentication', 0);
	const [, credentialType, second] = choices.find(([value]) => value === authentication) ?? [];
	if (credentialType === undefined) {
		throw operationError(
			functions.getNode(),
			`Authentication must be one of ${choices.map(([value]) => value).join(', ')}, got ${show(authentication)}`,
		);
	}
	return [credentialType, second];
}

/** The value itself stays out of these messages: someone may have pasted a key or a password into it. */
function checkedBaseUrl(functions: N8nFunctions, value: unknown): string {
	const fail = (problem: string): never => {
		throw operationError(functions.getNode(), `Base URL in the credential ${problem}`, {
			description:
				'It looks like https://api.example.com, without a path of the API and without a key.',
		});
	};
	const text = typeof value === 'string' ? value.trim() : '';
	if (text === '') fail('is required and must not be empty');
	const url = URL.canParse(text)
		? new URL(text)
		: fail('must be a full address that starts with https:// or http://');
	if (url.protocol !== 'https:' && url.protocol !== 'http:')
		fail('must start with https:// or http://');
	if (url.username !== '' || url.password !== '') fail('must not hold a user name or a password');
	if (url.search !== '' || url.hash !== '') fail('must not hold a query (?) or a fragment (#)');
	return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function checkedSegment(functions: N8nFunctions, label: string, value: unknown): string {
	const text = typeof value === 'string' ? value.trim() : '';
	if (!/^[A-Za-z0-9._~-]+$/.test(text) || /^\.+$/.test(text)) {
		throw operationError(
			functions.getNode(),
			`${label} in the credential must be one word of a path: letters, digits and . _ ~ -`,
		);
	}
	return text;
}

/** Feature-detected: hosts before n8n 2.20 do not export it, and have no such restriction to keep. */
function allowedDomains(
	functions: N8nFunctions,
	data: ICredentialDataDecryptedObject,
	baseUrl: string,
): string | undefined {
	if (typeof getCredentialAllowedDomains !== 'function') return undefined;
	return getCredentialAllowedDomains({
		node: functions.getNode(),
		credentialData: data,
		credentialOwnedSurface: true,
		nodeEndpointUrl: baseUrl,
	});
}

/** Shorter ones are left alone: replacing them would tear ordinary words out of a message. */
const SHORTEST_SECRET = 6;

/** All secrets in one pass: a log is searched as it arrives, and an expression that is a group takes half the time of `replaceAll`. */
function redactor(secrets: string[]): (text: string) => string {
	if (secrets.length === 0) return (text) => text;
	// The longer ones first: a secret may be the beginning of another
	const literals = secrets
		.sort((one, other) => other.length - one.length)
		.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
	const anySecret = new RegExp(`(?:${literals.join('|')})`, 'g');
	return (text) => text.replace(anySecret, '***');
}

function secretsOf(data: ICredentialDataDecryptedObject): string[] {
	const token = isRecord(data.oauthTokenData) ? data.oauthTokenData : {};
	const forms = [
		data.apiKey,
		data.accessToken,
		data.clientSecret,
		token.access_token,
		token.refresh_token,
	]
		.filter((value) => typeof value === 'string')
		// What is sent is trimmed; pasted with a line break it is the same secret
		.flatMap((value) => [value, value.trim()])
		.filter((secret) => secret.trim().length >= SHORTEST_SECRET)
		.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
	return [...new Set(forms)];
}
