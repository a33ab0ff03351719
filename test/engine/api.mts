import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { LoadOptionsContext } from 'n8n-core';
import type { INode } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { INTELLIGENCE_CREDENTIALS } from '../../nodes/intelligence/credentials.ts';
import { openAccount, type CredentialChoices } from '../../nodes/shared/http/credentials.ts';
import type { RequestContext } from '../../nodes/shared/http/request.ts';
import { KEY_CREDENTIALS } from '../../nodes/marketplace/credentials.ts';
import { startEngine, type Engine, type NodeUnderTest } from './engine.mts';
import { rag, vmaas } from './nodes.mts';
import { startServer, type TestServer } from './server.mts';

export const API_KEY = 'key-of-the-request-tests';

export interface Received {
	method: string;
	url: string;
	headers: IncomingMessage['headers'];
	body: Buffer;
}

type Answer = (response: ServerResponse, request: Received) => void;

/**
 * Starts the shared helpers alone, below the nodes: with the context that n8n gives to the lists of a form, whose requests go through
 * n8n's own client, and with a service that answers what a test says.
 */
export interface ApiFixture {
	/** What is answered, in order; the last one is answered again. */
	answers: Answer[];
	received: Received[];
	/** @param signal of a cancelled execution, say */
	api(signal?: AbortSignal): Promise<RequestContext>;
	/** As `api`, of the intelligence service. */
	intelligence(): Promise<RequestContext>;
	/** Resolves when no connection is open. */
	noConnection(): Promise<void>;
}

export function useApi(): ApiFixture {
	let engine: Engine | undefined;
	let server: TestServer | undefined;
	const received: Received[] = [];
	const open = async (
		node: NodeUnderTest,
		credentials: CredentialChoices,
		signal?: AbortSignal,
	): Promise<RequestContext> => {
		if (!engine) throw new Error('The engine is not up yet');
		const tested: INode = { id: 'Node', name: 'Node', typeVersion: 1, position: [0, 0], ...node };
		const { workflow, additionalData } = engine.activation(
			{ nodes: [tested], connections: {} },
			{},
		);
		const ctx = new LoadOptionsContext(
			workflow,
			workflow.getNode('Node') ?? tested,
			{ ...additionalData, currentNodeParameters: tested.parameters },
			'parameters',
		);
		return { functions: ctx, account: await openAccount(ctx, credentials), signal, itemIndex: 2 };
	};
	beforeAll(async () => {
		server = await startServer(async (request, response) => {
			const { method = '', url = '', headers } = request;
			const entry = {
				method,
				url,
				headers,
				body: await buffer(request).catch(() => Buffer.alloc(0)),
			};
			received.push(entry);
			const answer = fixture.answers.length > 1 ? fixture.answers.shift() : fixture.answers[0];
			answer?.(response, entry);
		});
		const baseUrl = server.url;
		engine = await startEngine({
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: { baseUrl, service: 'svc', apiKey: API_KEY },
			},
			'compute-intelligence': {
				type: 'computeIntelligenceApi',
				data: { baseUrl, ragSegment: 'rag', apiKey: API_KEY, header: 'bearer' },
			},
		});
	});
	beforeEach(() => {
		received.length = 0;
		fixture.answers = [];
	});
	afterAll(async () => await server?.close());
	const fixture: ApiFixture = {
		answers: [],
		received,
		api: async (signal) => await open(vmaas('hardware', 'getAll'), KEY_CREDENTIALS, signal),
		intelligence: async () =>
			await open(rag('system', 'health', { authentication: 'apiKey' }), INTELLIGENCE_CREDENTIALS),
		noConnection: async () => await server?.noConnection(),
	};
	return fixture;
}

/** Pauses before a request is sent again have up to half a minute, and a request has longer. */
const LONGEST_PAUSE_MS = 30_000;

/** Pauses take no time in the tests of a file. */
export function skipPauses(): void {
	beforeEach(() => {
		const timeout = AbortSignal.timeout.bind(AbortSignal);
		vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
			timeout(ms > LONGEST_PAUSE_MS ? ms : 0),
		);
	});
	afterEach(() => void vi.restoreAllMocks());
}

/** Answers with JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
	return (response) =>
		void response
			.writeHead(status, { 'content-type': 'application/json', ...headers })
			.end(JSON.stringify(body));
}

/** Answers with text as it is. */
export function text(
	body: string,
	status = 200,
	headers: Record<string, string | string[]> = {},
): Answer {
	return (response) => void response.writeHead(status, headers).end(body);
}

/** Sends the head and the beginning of a body, and leaves it at that. */
export function beginning(body: string, status = 200): Answer {
	return (response) =>
		void response.writeHead(status, { 'content-type': 'text/plain' }).write(body);
}

/** Sends the head and the beginning of a body, then breaks the connection. */
export function broken(body: string, status = 200): Answer {
	return (response) => {
		response
			.writeHead(status, { 'content-type': 'application/json' })
			.write(body, () => setImmediate(() => response.destroy()));
	};
}

/** Never answers. */
export const silence: Answer = () => undefined;
/** Closes the connection without an answer. */
export const hangUp: Answer = (response) => void response.destroy();
