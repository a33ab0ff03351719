import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IRun } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputOf, startEngine, type Engine, type NodeUnderTest } from '../engine/engine.mts';
import {
	caas,
	chat,
	deployParameters,
	explorer,
	fileItem,
	locator,
	rag,
	vmaas,
} from '../engine/nodes.mts';
import { startServer, type TestServer } from '../engine/server.mts';
import { useHastyTime } from '../engine/time.mts';
import { turns } from '../engine/wait.mts';
import { hostileAnswers, type HostileAnswer } from './hostile/answers.mts';
import { errorFault, failureOf, messageFault, prototypeFault } from './hostile/probe.mts';

/**
 * Each kind of operation against a service that answers badly on purpose. Whatever it sends, the run ends in an item or in an
 * error that n8n can show, within its limits of size and time, and no key goes anywhere else. That no secret is in the
 * result is seen to by the engine of the tests.
 */

const KEYS = {
	apiKey: 'hostile-server-api-key-5e71',
	accessToken: 'hostile-server-access-token-90ab',
	intelligenceKey: 'hostile-server-intelligence-key-c4',
};
const MIB = 1024 * 1024;
const DOCUMENT = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';

interface Kind {
	node: NodeUnderTest;
	/** The request that is answered badly. */
	isTarget(request: IncomingMessage): boolean;
	/** How often it may be sent at most. */
	most: number;
	/** Most that is read of an answer. */
	capMiB: number;
	/** Text that the result must hold where the outcome is not known: a deployment that nobody knows of keeps billing. */
	names?: string;
}

const ends = (method: string, end: RegExp) => (request: IncomingMessage) =>
	request.method === method && end.test(request.url?.split('?')[0] ?? '');
const always = () => true;
const complete = (options: object) =>
	chat('chat', 'complete', {
		model: locator('m'),
		input: 'prompt',
		prompt: 'Why?',
		options: { ...options },
		simplify: true,
	});

const kinds: Record<string, Kind> = {
	'a read with an API key': {
		node: vmaas('hardware', 'getAll', { returnAll: true, filters: {}, options: {} }),
		isTarget: always,
		most: 3,
		capMiB: 16,
	},
	'a read with a token': {
		node: explorer('get', { deviceId: 'd', output: 'device' }),
		isTarget: always,
		most: 3,
		capMiB: 16,
	},
	'a list in pages': {
		node: vmaas('deployment', 'getAll', { returnAll: true, filters: {} }),
		isTarget: always,
		most: 6,
		capMiB: 16,
	},
	'a list by offset': {
		node: rag('document', 'getAll', { returnAll: true, filters: {} }),
		isTarget: always,
		most: 3,
		capMiB: 16,
	},
	'a deploy': {
		node: vmaas('deployment', 'deploy', deployParameters({ gpusPerVm: 1 })),
		isTarget: ends('POST', /\/deploy$/),
		most: 1,
		capMiB: 16,
		names: 'job',
	},
	'an extension': {
		node: vmaas('deployment', 'extend', {
			deploymentId: locator('d-1'),
			durationHours: 1,
			safety: {},
		}),
		isTarget: ends('POST', /\/extend$/),
		most: 1,
		capMiB: 16,
		names: 'd-1',
	},
	'a destruction': {
		node: vmaas('deployment', 'destroy', { deploymentId: locator('d-1'), options: {} }),
		isTarget: ends('DELETE', /d-1$/),
		// 5, and one more at each look within Verify Timeout and the two minutes of what may have vanished
		most: 53,
		capMiB: 16,
		names: 'd-1',
	},
	'a chat': { node: complete({}), isTarget: always, most: 3, capMiB: 64 },
	'a chat that streams': {
		node: complete({ stream: true }),
		isTarget: always,
		most: 3,
		capMiB: 64,
	},
	'a retrieval query that streams': {
		node: rag('retrieval', 'rag', { query: 'a', topK: 1, options: { stream: true } }),
		isTarget: always,
		most: 3,
		capMiB: 16,
	},
	embeddings: {
		node: chat('embedding', 'create', { model: locator('m'), input: 'a', options: {} }),
		isTarget: always,
		most: 3,
		capMiB: 16,
	},
	'an upload': {
		node: rag('document', 'create', {
			source: 'file',
			binaryPropertyName: 'data',
			additionalFields: { documentId: DOCUMENT },
		}),
		isTarget: ends('POST', /\/documents$/),
		most: 1,
		capMiB: 16,
		names: DOCUMENT,
	},
	'a download': {
		node: rag('document', 'download', {
			documentId: DOCUMENT,
			binaryPropertyName: 'data',
			options: {},
		}),
		isTarget: always,
		most: 3,
		capMiB: 100,
	},
	'a log': {
		node: caas('log', 'getAll', {
			deploymentId: locator('d-1'),
			containerId: locator('c-1'),
			stream: 'stdout',
			limit: 50,
			maxWaitSeconds: 1,
		}),
		isTarget: always,
		most: 3,
		capMiB: 4_096,
	},
};

const time = useHastyTime();
let engine: Engine;
let service: TestServer;
let other: TestServer;
let kind: Kind;
let bad: HostileAnswer;
let targets: IncomingMessage[] = [];
let strangers = 0;
let sent = 0;
let cases = 0;

/** What the service answers where it behaves. */
function usual({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
	const json = (body: object, status = 200) =>
		void response
			.writeHead(status, { 'content-type': 'application/json' })
			.end(JSON.stringify(body));
	if (method === 'GET' && /\/deployments/.test(url))
		return json({ data: { deployments: [], total: 0 } });
	if (method === 'GET' && /\/deployment\/d-1$/.test(url))
		return json({ data: { id: 'd-1', status: 'running', compute_minutes_remaining: 60 } });
	return json({ detail: 'Not found' }, 404);
}

beforeAll(async () => {
	other = await startServer((_, response) => {
		strangers++;
		response.end('{}');
	});
	service = await startServer((request, response) => {
		request.resume();
		if (!kind.isTarget(request)) return usual(request, response);
		targets.push(request);
		const { socket } = response;
		response.on('close', () => (sent += socket?.bytesWritten ?? 0));
		request.on('end', () => {
			bad.answer(request, response, other.url);
			// The deadline is over when what there is of an answer has arrived
			if (bad.isSlow) void turns().then(() => time.expire());
		});
	});
	const baseUrl = service.url;
	engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl, service: 'svc', apiKey: KEYS.apiKey },
			account: () => cases,
		},
		'compute-token': {
			type: 'computeMarketplaceTokenApi',
			data: { baseUrl, service: 'svc', accessToken: KEYS.accessToken },
		},
		'compute-intelligence': {
			type: 'computeIntelligenceApi',
			data: { baseUrl, ragSegment: 'rag', apiKey: KEYS.intelligenceKey, header: 'bearer' },
		},
	});
});

afterAll(async () => {
	time.restore();
	await service.close();
	await other.close();
	console.log(`${cases} bad answers to ${Object.keys(kinds).length} kinds of operations`);
});

describe.each(Object.entries(kinds))('%s', (_, chosen) => {
	it.each(hostileAnswers.map((answer) => [answer.title, answer] as const))(
		'%s',
		async (_title, answer) => {
			[kind, bad, targets, strangers, sent] = [chosen, answer, [], 0, 0];
			const run = await engine.runItems(chosen.node, [fileItem('a.txt', 'content')]);
			cases++;
			expect(errorFault(run)).toBeUndefined();
			expect(messageFault(messageOf(run), undefined)).toBeUndefined();
			expect(prototypeFault()).toBeUndefined();
			expect(targets.length).toBeGreaterThan(0);
			expect(targets.length).toBeLessThanOrEqual(chosen.most);
			expect(strangers).toBe(0);
			if (chosen.names !== undefined)
				expect(JSON.stringify(run.data.resultData)).toContain(chosen.names);
			await service.noConnection();
			// What was under way in both sockets when the cap was reached comes on top
			if (answer.isEndless)
				expect(sent).toBeLessThan((2 * chosen.capMiB + 32) * MIB * targets.length);
		},
	);
});

function messageOf(run: IRun): string {
	const { error } = run.data.resultData;
	return error?.message ?? outputOf(run).map(failureOf).join();
}
