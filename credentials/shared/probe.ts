import type {
	IAuthenticateRuleResponseCode,
	IAuthenticateRuleResponseSuccessBody,
	ICredentialTestRequest,
} from 'n8n-workflow';

const BASE_URL = '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}';

const REDIRECT =
	'The base URL answers with a redirect, which is not followed so that the secret stays with this host. Enter the address that it redirects to.';

const WEB_PAGE =
	"The base URL answers with a web page: it is that of a website. Enter the address of the API, from your provider's API reference.";

export const CHECK_SEGMENT =
	'Check the service segment first, then the base URL: it is that of the compute API, without a path.';

const OUTAGE =
	'The service has a problem, which says nothing about the credential: try again later';

interface Probe {
	/** What the service rejects with a 401 */
	secret: string;
	/** What to check when the service does not have the path */
	notFound: string;
	/** The answer "not found" in words of its own is a success. FastAPI's answer for an unknown path is not */
	unknownIsFine?: boolean;
}

const code = (value: number, message: string): IAuthenticateRuleResponseCode => ({
	type: 'responseCode',
	properties: { value, message },
});

const body = (
	key: string,
	value: string,
	message: string,
): IAuthenticateRuleResponseSuccessBody => ({
	type: 'responseSuccessBody',
	properties: { key, value, message },
});

/**
 * A read that costs nothing. Redirects are not followed: n8n would hand the secret to the other host. n8n shows the message of
 * the rule that fits; an address without a server is its own message, such as ENOTFOUND
 */
export function credentialTest(
	url: string,
	{ secret, notFound, unknownIsFine = false }: Probe,
): ICredentialTestRequest {
	const noPath = `The service has nothing at this path (404). ${notFound}`;
	const rules = [
		...[301, 302, 303, 307, 308].map((status) => code(status, REDIRECT)),
		code(
			401,
			`The service did not accept the ${secret} (401). Check that it is complete, still valid and from this provider.`,
		),
		code(
			403,
			`The service knows the ${secret} but does not allow this (403). Check the plan and its permissions.`,
		),
		code(404, noPath),
		code(429, 'The service is asking for fewer requests (429). Wait a little, then try again.'),
		...[500, 502, 503, 504].map((status) => code(status, `${OUTAGE} (${status}).`)),
		// The first character of a text: a page begins with a tag, or with a line end before it
		...['<', '\n', '\r'].map((start) => body('0', start, WEB_PAGE)),
		body('detail', 'Not Found', noPath),
	];
	return {
		request: {
			baseURL: BASE_URL,
			url,
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
			timeout: 15_000,
			...(unknownIsFine && { ignoreHttpStatusErrors: { ignore: true, except: failuresBut(404) } }),
		},
		// n8n applies rules of both kinds together; its type has lists of one kind alone
		rules: rules as ICredentialTestRequest['rules'],
	};
}

/** n8n takes a list of the statuses that fail, never of those that pass */
function failuresBut(status: number): number[] {
	return Array.from({ length: 300 }, (_, index) => 300 + index).filter((one) => one !== status);
}
