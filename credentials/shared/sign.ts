import type { IAuthenticate, ICredentialDataDecryptedObject } from 'n8n-workflow';

/**
 * Adds headers to a request. No expression: n8n evaluates those of a trigger only until it is active, and those of an execution only
 * until it ends.
 * @param headersOf the headers that carry the secret, from the fields of the credential
 */
export const signedBy =
	(
		headersOf: (credentials: ICredentialDataDecryptedObject) => Record<string, string>,
	): IAuthenticate =>
	async (credentials, requestOptions) => ({
		...requestOptions,
		headers: { ...requestOptions.headers, ...headersOf(credentials) },
	});
