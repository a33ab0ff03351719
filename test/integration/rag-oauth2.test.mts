import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve, type Served } from '../e2e/serve.mts';
import { startEngine, type Engine } from '../engine/engine.mts';
import { fileItem, rag } from '../engine/nodes.mts';
import { jsonOf, onlyJson } from '../engine/results.mts';
import { manualClock, startSandbox, type Sandbox } from '../sandbox/index.mts';

const OAUTH2 = {
	computeIntelligenceOAuth2Api: { id: 'oauth', name: 'Compute Intelligence OAuth2' },
};

let sandbox: Sandbox;
let tokens: Served;
let engine: Engine;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: manualClock() });
	tokens = await serve(() => ({
		body: { access_token: sandbox.keys.intelligenceKey, token_type: 'bearer', expires_in: 3600 },
	}));
	engine = await startEngine({
		oauth: {
			type: 'computeIntelligenceOAuth2Api',
			data: {
				grantType: 'clientCredentials',
				accessTokenUrl: tokens.url,
				clientId: 'client',
				clientSecret: 'client-secret',
				scope: '',
				authentication: 'header',
				baseUrl: sandbox.intelligenceUrl,
				ragSegment: 'rag',
				oauthTokenData: { access_token: 'expired-token', token_type: 'bearer' },
			},
		},
	});
});
afterAll(async () => {
	await tokens.close();
	await sandbox.close();
});

it('a file is sent again as a whole after n8n has renewed the OAuth2 token', async () => {
	// The looks before the upload must not be what renews the token
	sandbox.faults.add({
		match: { method: 'GET', path: /\/documents\/[^/]+$/ },
		times: 2,
		status: 404,
		body: { message: 'Document not found' },
	});
	const parameters = {
		authentication: 'oAuth2',
		source: 'file',
		binaryPropertyName: 'data',
		additionalFields: { runWithOrchestration: false },
	};
	const created = onlyJson(
		await engine.runItems(rag('document', 'create', parameters, { credentials: OAUTH2 }), [
			fileItem('a.txt', 'all of the text'),
		]),
	);
	expect(
		sandbox.requests.filter(({ method }) => method === 'POST').map(({ status }) => status),
	).toEqual([401, 200]);
	const chunks = await engine.run(
		rag(
			'document',
			'getChunks',
			{ authentication: 'oAuth2', documentId: created.document_id, returnAll: true },
			{ credentials: OAUTH2 },
		),
	);
	expect(jsonOf(chunks).map(({ text }) => text)).toEqual(['all of the text']);
});
