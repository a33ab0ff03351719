import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import { test } from './fixture.mts';
import { installChatPage } from './install.mts';
import { packageName } from './manifest.mts';
import { addDocument } from './service.mts';
import { until } from './until.mts';
import { connect, type WorkflowFile } from './workflow.mts';

const TEXT = 'The data center in Oslo runs on water power';
const QUESTION = 'What power does the Oslo data center use?';

/** So slow that a person reads along */
const SLOW = { chunk: 40, everyMs: 50 };
const LONGEST_ANSWER_MS = 60_000;

function chatOf(webhookId: string): WorkflowFile {
	const chat = {
		id: '1',
		name: 'Chat',
		type: '@n8n/n8n-nodes-langchain.chatTrigger',
		typeVersion: 1.1,
		position: [0, 0],
		parameters: { public: true, mode: 'hostedChat', options: { responseMode: 'streaming' } },
		webhookId,
	};
	const answer = {
		id: '2',
		name: 'Answer',
		type: `${packageName}.rag`,
		typeVersion: 1,
		position: [200, 0],
		parameters: {
			authentication: 'apiKey',
			resource: 'retrieval',
			operation: 'rag',
			query: '={{ $json.chatInput }}',
			topK: 3,
			options: {},
		},
		credentials: { computeIntelligenceApi: { name: 'Compute Intelligence' } },
	};
	return {
		name: 'public chat',
		settings: { executionOrder: 'v1' },
		nodes: [chat, answer],
		connections: { Chat: { main: [[{ node: 'Answer', type: 'main', index: 0 }]] } },
	};
}

test("the page of n8n's public chat shows an answer while it is written, then its sources", async ({
	rest,
	sandbox,
	credentials,
	editor,
	n8n,
}) => {
	await addDocument(sandbox, TEXT);
	sandbox.faults.add({ match: { path: '/retrieval/rag' }, slowBytes: SLOW });
	const webhookId = randomUUID();
	const workflowId = await rest.createWorkflow(connect(chatOf(webhookId), credentials));
	await rest.activate(workflowId);

	const { page, pictures } = editor;
	const folder = installChatPage();
	await page.route('https://cdn.jsdelivr.net/**', async (route) => {
		const url = new URL(route.request().url());
		const headers = { 'access-control-allow-origin': '*' };
		if (url.pathname.startsWith('/npm/@n8n/chat/dist/'))
			return await route.fulfill({ path: join(folder, basename(url.pathname)), headers });
		// A stylesheet that takes away the browser's own margins
		return await route.fulfill({ contentType: 'text/css', body: '', headers });
	});
	await page.goto(`${n8n.url}/webhook/${webhookId}/chat`);
	await page.locator('textarea').fill(QUESTION);
	// The last one is three dots that move, as long as the answer is written
	const messages = page.locator('.chat-message-from-bot:not(.chat-message-typing)');
	const greetings = await messages.count();

	await page.keyboard.press('Enter');
	const seen = new Set<string>();
	await until(
		'the answer has its sources',
		async () => {
			const [text = ''] = (await messages.allInnerTexts()).slice(greetings);
			seen.add(text);
			if (seen.size === 4) await pictures.window('public chat while an answer is written');
			return text.includes('Sources:') && text.includes(TEXT);
		},
		LONGEST_ANSWER_MS,
	);
	await pictures.window('public chat');
	await rest.deactivate(workflowId);
	// Each is the one before and more: what was shown stays, and the sources come last
	const texts = [...seen].filter((text) => text !== '');
	expect(texts.length).toBeGreaterThan(3);
	for (const [index, text] of texts.entries())
		expect(text.startsWith(texts[index - 1] ?? '')).toBe(true);
	expect(texts.findIndex((text) => text.includes('Sources:'))).toBe(texts.length - 1);
});
