import { describe, expect } from 'vitest';
import { byTestId, CANVAS } from './browser.mts';
import { test } from './fixture.mts';
import { serve, type Answer } from './serve.mts';
import { connect, ended, runWorkflow, succeeded, type WorkflowFile } from './workflow.mts';

/**
 * n8n tests an OAuth2 credential only by asking for a token, so they are used here: by n8n's own HTTP Request node, with
 * a token that the service declares expired once. The scope matters: n8n drops it where the parameter is hidden
 */
describe.each(['computeMarketplaceOAuth2Api', 'computeIntelligenceOAuth2Api'])('%s', (type) => {
	test('asks for a token with its scope, sends it, and renews it after a 401', async ({ rest }) => {
		const seen: string[] = [];
		const server = await serve(({ path, headers, body }) => {
			if (path === '/oauth2/token') {
				const count = seen.push(`scope ${new URLSearchParams(body).get('scope') ?? ''}`);
				return tokenAnswer({ access_token: `token-${count}` });
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
			succeeded(await runWorkflow(rest, workflow, { [type]: secrets }, { trigger: 'Start' }));
		} finally {
			await server.close();
		}
		expect(seen).toEqual([
			'scope devices:read logs:read',
			'Bearer token-1',
			'scope devices:read logs:read',
			'Bearer token-3',
		]);
	});

	/** The button in the form, the service's page that asks for consent, and back: then the code is exchanged for a token */
	test('connects an account by its button, sends the token, and renews it after a 401', async ({
		rest,
		editor: { page, pictures, url },
	}) => {
		const seen: string[] = [];
		const server = await serve(({ path, headers, body }) => {
			const { pathname, searchParams: asked } = new URL(path, 'http://service');
			if (pathname === '/oauth2/authorize') {
				seen.push(`consent to ${asked.get('scope')} for ${asked.get('client_id')}`);
				const back = new URL(asked.get('redirect_uri') ?? '');
				back.searchParams.set('code', 'code-1');
				back.searchParams.set('state', asked.get('state') ?? '');
				return { status: 302, location: back.href };
			}
			if (pathname === '/oauth2/token') {
				const form = new URLSearchParams(body);
				const grant = form.get('code') ?? form.get('refresh_token');
				const count = seen.push(`${form.get('grant_type')} ${grant}`);
				return tokenAnswer({
					access_token: `token-${count}`,
					refresh_token: `refresh-${count}`,
				});
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
			await page.setViewportSize(CANVAS);
			await page.goto(`${url}/home/credentials/${id}`);
			await byTestId(page, 'quick-connect-button').click();
			await byTestId(page, 'oauth-connect-success-banner').waitFor();
			await pictures.window(`connected ${type}`);
			const workflow = connect(workflowWith(type, `${server.url}/anything`), { [type]: id });
			const workflowId = await rest.createWorkflow(workflow);
			succeeded(await ended(rest, await rest.run(workflowId, 'Start')));
		} finally {
			await server.close();
		}
		expect(seen).toEqual([
			'consent to devices:read for client',
			'authorization_code code-1',
			'Bearer token-2',
			'refresh_token refresh-2',
			'Bearer token-4',
		]);
	});
});

function tokenAnswer(tokens: Record<string, string>): Answer {
	return { body: { ...tokens, token_type: 'bearer', expires_in: 3600 } };
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
