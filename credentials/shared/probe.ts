import type { IAuthenticateRuleResponseCode, ICredentialTestRequest } from 'n8n-workflow';

const BASE_URL = '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}';

const REDIRECT =
	'The base URL answered with a redirect, which is not followed so that the secret stays with this host. Enter the address that it redirects to.';

const rule = (value: number, message: string): IAuthenticateRuleResponseCode => ({
	type: 'responseCode',
	properties: { value, message },
});

/** A read that costs nothing. Redirects are not followed: n8n would hand the secret to the other host */
export function credentialTest(
	url: string,
	secret: string,
	options?: { acceptNotFound: true },
): ICredentialTestRequest {
	return {
		request: {
			baseURL: BASE_URL,
			url,
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
			timeout: 15_000,
			...(options?.acceptNotFound && {
				ignoreHttpStatusErrors: { ignore: true, except: failuresBut(404) },
			}),
		},
		rules: [
			...[301, 302, 303, 307, 308].map((status) => rule(status, REDIRECT)),
			rule(
				401,
				`The service did not accept the ${secret} (401). Check that it is complete and still valid.`,
			),
			rule(
				403,
				`The service knows the ${secret} but does not allow this (403). Check the plan and its permissions.`,
			),
			rule(
				404,
				'Nothing was found at this address (404). Check the base URL, and the service segment where there is one.',
			),
			rule(429, 'The service is asking for fewer requests (429). Wait a little, then try again.'),
		],
	};
}

/** n8n takes a list of the statuses that fail, never of those that pass */
function failuresBut(status: number): number[] {
	return Array.from({ length: 300 }, (_, index) => 300 + index).filter((code) => code !== status);
}
