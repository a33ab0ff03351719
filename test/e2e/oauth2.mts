import type { Report } from '../report.mts';
import { byTestId, CANVAS } from './browser.mts';
import { complaintsOf, connect, ended, runWorkflow, type WorkflowFile } from './example.mts';
import type { Editor } from './forms.mts';
import type { Rest } from './rest.mts';
import { serve } from './serve.mts';

const TYPES = ['computeMarketplaceOAuth2Api', 'computeIntelligenceOAuth2Api'];

/**
 * n8n tests an OAuth2 credential only by asking for a token, so they are used here: by n8n's own HTTP Request node, with
 * a token that the service declares expired once. The scope matters: n8n drops it where the field is hidden
 */
export async function checkOAuth2(report: Report, rest: Rest): Promise<void> {
	for (const type of TYPES) {
		await report.step(
			`${type}: a token is asked for with its scope, sent, and renewed`,
			async () => {
				const seen: string[] = [];
				const server = await serve(({ path, headers, body }) => {
					if (path === '/oauth2/token') {
						const count = seen.push(`scope ${new URLSearchParams(body).get('scope') ?? ''}`);
						return {
							body: { access_token: `token-${count}`, token_type: 'bearer', expires_in: 3600 },
						};
					}
					const count = seen.push(headers.authorization ?? 'nothing');
					return count === 2 ? { status: 401, body: {} } : { body: { ok: true } };
				});
				try {
					const secrets = {
						grantType: 'clientCredentials',
						accessTokenUrl: `${server.url}/oauth2/token`,
						clientId: 'client',
						clientSecret: 'secret',
						scope: 'devices:read logs:read',
						baseUrl: server.url,
					};
					const workflow = workflowWith(type, `${server.url}/anything`);
					const execution = await runWorkflow(
						rest,
						workflow,
						{ [type]: secrets },
						{ trigger: 'Start' },
					);
					if (execution.status !== 'success') throw new Error(complaintsOf(execution));
				} finally {
					await server.close();
				}
				const expected = [
					'scope devices:read logs:read',
					'Bearer token-1',
					'scope devices:read logs:read',
					'Bearer token-3',
				];
				if (seen.join() !== expected.join()) throw new Error(`the service saw: ${seen.join(', ')}`);
			},
		);
	}
}

/**
 * As a person connects an account: the button in the form of the credential, the page of the service that asks for consent,
 * and back. The code that comes back is exchanged, and the token is sent and renewed
 */
export async function connectAccounts({ report, browser, pictures, rest }: Editor): Promise<void> {
	for (const type of TYPES) {
		await report.step(
			`${type}: an account is connected by its button, and its token sent and renewed`,
			async () => {
				const seen: string[] = [];
				const server = await serve(({ path, headers, body }) => {
					const { pathname, searchParams: asked } = new URL(path, 'http://service');
					if (pathname === '/oauth2/authorize') {
						seen.push(`consent to ${asked.get('scope')} for ${asked.get('client_id')}`);
						const back = new URL(asked.get('redirect_uri') ?? '');
						back.search = new URLSearchParams({
							code: 'code-1',
							state: asked.get('state') ?? '',
						}).toString();
						return { status: 302, location: back.href };
					}
					if (pathname === '/oauth2/token') {
						const form = new URLSearchParams(body);
						const count = seen.push(
							`${form.get('grant_type')} ${form.get('code') ?? form.get('refresh_token')}`,
						);
						return {
							body: {
								access_token: `token-${count}`,
								refresh_token: `refresh-${count}`,
								token_type: 'bearer',
								expires_in: 3600,
							},
						};
					}
					const count = seen.push(headers.authorization ?? 'nothing');
					return count === 3 ? { status: 401, body: {} } : { body: { ok: true } };
				});
				try {
					const id = await rest.createCredential(type, {
						grantType: 'authorizationCode',
						authUrl: `${server.url}/oauth2/authorize`,
						accessTokenUrl: `${server.url}/oauth2/token`,
						clientId: 'client',
						clientSecret: 'secret-of-the-client',
						scope: 'devices:read',
						baseUrl: server.url,
					});
					const { page } = browser;
					await page.setViewportSize(CANVAS);
					await page.goto(`${rest.url}/home/credentials/${id}`);
					await byTestId(page, 'quick-connect-button').click();
					await byTestId(page, 'oauth-connect-success-banner').waitFor();
					await pictures.window(`connected ${type}`);
					browser.expectSilence();
					const workflowId = await rest.createWorkflow(
						connect(workflowWith(type, `${server.url}/anything`), { [type]: id }),
					);
					const execution = await ended(rest, await rest.run(workflowId, 'Start'));
					if (execution.status !== 'success') throw new Error(complaintsOf(execution));
				} finally {
					await server.close();
				}
				const expected = [
					'consent to devices:read for client',
					'authorization_code code-1',
					'Bearer token-2',
					'refresh_token refresh-2',
					'Bearer token-4',
				];
				if (seen.join() !== expected.join()) throw new Error(`the service saw: ${seen.join(', ')}`);
			},
		);
	}
}

function workflowWith(credentialType: string, url: string): WorkflowFile {
	return {
		name: credentialType,
		nodes: [
			{
				id: '1',
				name: 'Start',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{
				id: '2',
				name: 'Request',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				position: [200, 0],
				parameters: {
					url,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: credentialType,
				},
				credentials: { [credentialType]: { name: credentialType } },
			},
		],
		connections: { Start: { main: [[{ node: 'Request', type: 'main', index: 0 }]] } },
	};
}
