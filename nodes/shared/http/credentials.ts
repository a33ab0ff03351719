import { createHash } from 'node:crypto';
import { getCredentialAllowedDomains } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	ISupplyDataFunctions,
	ITriggerFunctions,
} from 'n8n-workflow';
import { isRecord, show } from '../guards';
import { operationError } from './errors';
import { contentRedactor, redactor, type IsOpen, type Redact } from './redact';
import { checkedBaseUrl, checkedSegment } from './url';

/** The n8n contexts in which the package sends requests. */
export type N8nFunctions =
	| IExecuteFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| ISupplyDataFunctions
	| ITriggerFunctions;

/** Where requests go and who sends them: everything of a credential that the shared helper needs, and no secret in the open. */
export interface Account {
	credentialType: string;
	/** Without a trailing slash. */
	baseUrl: string;
	/** Values of the placeholders in path templates that are settings of the credential. */
	segments: Record<string, string>;
	/** A hash of the key: with the address it tells accounts apart, whatever credential holds the key. */
	keyHash: string;
	/** {@link Service.advice} */
	advice: Service['advice'];
	/** A public address: no credential signs the request. */
	isPublic?: true;
	/** n8n refreshes an OAuth2 token only when it sees the 401 itself. */
	isOAuth2: boolean;
	/** n8n's "Allowed HTTP Request Domains" of the credential; undefined allows all. */
	allowedDomains?: string;
	/** Headers of a second credential (container logs take two, compute-api.md "Container log stream"). */
	headers?: Record<string, string>;
	/** Replaces each secret of the credential in a text that a person or a log will see. */
	redact: Redact;
	/** With OAuth2: n8n may have renewed the token during a request, and the answer is to be searched for the new one, too. */
	learnSecrets?(): Promise<void>;
	/** How far the clock of the service is ahead of this one, in milliseconds, by its last answer; absent before one. */
	clockAheadMs?: number;
}

/** What the shared helper has to know of a service: each client of a service describes its own. */
export interface Service {
	/** The segment of its paths that is a setting of the credential. */
	segment: {
		/** In path templates: `part` fills `{part}`. */
		placeholder: string;
		/** The field of the credential, and its label. */
		field: string;
		label: string;
	};
	/** How to get unstuck after an HTTP status, where the service has better advice than the general one. */
	advice: Readonly<Record<number, string>>;
}

/** A credential whose secret goes in a header of its own, beside the credential that signs the request. */
export interface SecondCredential {
	credentialType: string;
	/** The field that holds the secret, and its label. */
	field: string;
	label: string;
	headers(secret: string): Record<string, string>;
	/** Its Base URL and segment count instead of those of the first. */
	decidesHost?: boolean;
}

/**
 * The credentials that a node takes for a service. Each choice is a value of the `authentication` parameter, the type
 * that signs the request, and a second credential where the endpoint wants both. A node with one choice has no such parameter.
 */
export interface CredentialChoices {
	service: Service;
	choices: ReadonlyArray<
		readonly [authentication: string, credentialType: string, second?: SecondCredential]
	>;
}

/**
 * Reads and checks the credentials of a node, those that its `authentication` parameter chooses.
 * @throws what is wrong with a setting of a credential, before anything is sent; its value is not in the message
 */
export async function openAccount(
	functions: N8nFunctions,
	credentials: CredentialChoices,
): Promise<Account> {
	const { service } = credentials;
	const [credentialType, another] = chosen(functions, credentials);
	const first = await readCredential(functions, service, credentialType);
	const second = another && (await readCredential(functions, service, another.credentialType));
	if (second) checkSameService(functions, service, first, second);
	const { baseUrl, segments } = second && another.decidesHost ? second : first;
	const secrets = [...secretsOf(first.data), ...(second ? secretsOf(second.data) : [])];
	const account: Account = {
		credentialType,
		baseUrl,
		segments,
		keyHash: hashOf(first.data),
		advice: service.advice,
		isOAuth2: credentialType.endsWith('OAuth2Api'),
		allowedDomains: first.allowedDomains,
		headers: second && headersOf(functions, another, second.data),
		redact: redactor(secrets),
	};
	if (!account.isOAuth2) return account;
	account.learnSecrets = async () => {
		// Where it cannot be read just now the answer is worth more than an error
		const data = await functions.getCredentials(credentialType).catch(() => ({}));
		account.redact = redactor([...secrets, ...secretsOf(data)]);
	};
	return account;
}

/**
 * n8n's request helper takes the credential of the first item for all of them.
 * @param itemCount of the node's input
 * @throws where an expression in the credential gives another item other values, before anything is sent
 */
export async function checkSameForAll(
	functions: IExecuteFunctions,
	{ credentialType }: Account,
	itemCount: number,
): Promise<void> {
	if (itemCount < 2) return;
	const read = async (itemIndex: number) => {
		const data = await functions.getCredentials(credentialType, itemIndex);
		// n8n may have renewed the token of an OAuth2 credential since
		return JSON.stringify({ ...data, oauthTokenData: undefined });
	};
	const first = await read(0);
	for (let itemIndex = 1; itemIndex < itemCount; itemIndex++) {
		if ((await read(itemIndex)) === first) continue;
		throw operationError(
			functions.getNode(),
			'An expression in the credential gives the items different values: all would be sent with those of the first',
			{
				itemIndex,
				description:
					'Nothing was sent. Put a Loop Over Items node with a Batch Size of 1 before it.',
			},
		);
	}
}

interface Credential {
	data: ICredentialDataDecryptedObject;
	baseUrl: string;
	segments: Record<string, string>;
	allowedDomains?: string;
}

async function readCredential(
	functions: N8nFunctions,
	{ segment: { placeholder, field, label } }: Service,
	credentialType: string,
): Promise<Credential> {
	const data = await functions.getCredentials(credentialType);
	const baseUrl = checkedBaseUrl(functions, data.baseUrl);
	const segments: Record<string, string> = {};
	if (field in data) segments[placeholder] = checkedSegment(functions, label, data[field]);
	return {
		data,
		baseUrl,
		segments,
		allowedDomains: allowedDomains(functions, data, baseUrl),
	};
}

/** Two credentials that belong to different services would show the secret of one to the other. */
function checkSameService(
	functions: N8nFunctions,
	{ segment: { placeholder, label } }: Service,
	first: Credential,
	second: Credential,
): void {
	const different: string[] = [];
	if (new URL(first.baseUrl).origin !== new URL(second.baseUrl).origin) different.push('Base URL');
	if (first.segments[placeholder] !== second.segments[placeholder]) different.push(label);
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

function headersOf(
	functions: N8nFunctions,
	{ field, label, headers }: SecondCredential,
	data: ICredentialDataDecryptedObject,
): Record<string, string> {
	const secret = typeof data[field] === 'string' ? data[field].trim() : '';
	if (secret === '')
		throw operationError(
			functions.getNode(),
			`${label} in the credential is required and must not be empty`,
		);
	return headers(secret);
}

function chosen(
	functions: N8nFunctions,
	{ choices }: CredentialChoices,
): [credentialType: string, second?: SecondCredential] {
	const authentication =
		choices.length === 1 ? choices[0]?.[0] : functions.getNodeParameter('authentication', 0);
	const [, credentialType, second] = choices.find(([value]) => value === authentication) ?? [];
	if (credentialType === undefined) {
		throw operationError(
			functions.getNode(),
			`Authentication must be one of ${choices.map(([value]) => value).join(', ')}, got ${show(authentication)}`,
		);
	}
	return [credentialType, second];
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

/** For requests to a public address, such as one that the service has shown, which get no credential. */
export function publicAddress(baseUrl: string): Account {
	return {
		credentialType: '',
		baseUrl,
		segments: {},
		keyHash: '',
		advice: {},
		isPublic: true,
		isOAuth2: false,
		redact: (text) => text,
	};
}

/**
 * An account that also hides the secrets of a request's body: a service may repeat them.
 * @param secrets those that are too short to be told from ordinary words stay
 */
export function hiding(account: Account, secrets: string[], isOpen: IsOpen): Account {
	const redact = contentRedactor(secrets, isOpen);
	return { ...account, redact: (text, isCut) => redact(account.redact(text, isCut), isCut) };
}

/** Without what n8n renews. */
function hashOf({ apiKey, accessToken, clientId, clientSecret }: ICredentialDataDecryptedObject) {
	const keys = [apiKey, accessToken, clientId, clientSecret].map((key) => String(key ?? '').trim());
	return createHash('sha256').update(JSON.stringify(keys)).digest('hex');
}

function secretsOf(data: ICredentialDataDecryptedObject): unknown[] {
	const token = isRecord(data.oauthTokenData) ? data.oauthTokenData : {};
	return [
		data.apiKey,
		data.accessToken,
		data.clientSecret,
		token.access_token,
		token.refresh_token,
	];
}
