/** Requests in n8n's engine beside n8n's own HTTP Request node with the same credential, and beside bare undici. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { INodeType, IVersionedNodeType } from 'n8n-workflow';
import { request } from 'undici';
import { baseNodes } from '../engine/baseNodes.mts';
import { outputOf, PROJECT, startEngine, type NodeUnderTest } from '../engine/engine.mts';
import { explorer, TOKEN } from '../engine/nodes.mts';
import { installation } from '../e2e/install.mts';
import { amount, finish, isQuick, median, type Row } from './bars.mts';

const ROUNDS = isQuick ? 15 : 60;
const REQUESTS_A_ROUND = 50;
/** As many reads of one node run side by side; n8n's node runs all of its items side by side. */
const AT_ONCE = 5;
const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

const server = fork(new URL('./device-server.mts', import.meta.url), {
	execArgv: process.execArgv,
});
const [port] = (await once(server, 'message')) as [number];
const url = `http://127.0.0.1:${port}`;

const n8nRequire = createRequire(
	path.join(installation, 'node_modules', 'n8n-nodes-base', 'package.json'),
);
const { HttpRequest } = n8nRequire('./dist/nodes/HttpRequest/HttpRequest.node.js') as {
	HttpRequest: new () => IVersionedNodeType;
};
const httpRequest: INodeType = new HttpRequest().getNodeType(4.2);
baseNodes[HTTP_REQUEST] = httpRequest;

const engine = await startEngine(
	{
		'compute-token': {
			type: 'computeMarketplaceTokenApi',
			data: { baseUrl: url, service: 'svc', accessToken: 'token-of-the-benchmark' },
		},
		'slow-token': {
			type: 'computeMarketplaceTokenApi',
			data: { baseUrl: `${url}/slow`, service: 'svc', accessToken: 'token-of-the-benchmark' },
		},
	},
	PROJECT,
);
const DEVICE = '/v1/svc-explorer/devices/d-1/details';
const own = explorer('get', { deviceId: 'd-1', output: 'device' });
const slow = {
	...own,
	credentials: { computeMarketplaceTokenApi: { id: 'slow-token', name: 'Slow' } },
};
const theirs = (address: string): NodeUnderTest => ({
	type: HTTP_REQUEST,
	typeVersion: 4.2,
	credentials: TOKEN,
	parameters: {
		url: address,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'computeMarketplaceTokenApi',
		options: {},
	},
});

async function inEngine(node: NodeUnderTest, items: number): Promise<void> {
	const output = outputOf(
		await engine.run(
			node,
			Array.from({ length: items }, () => ({})),
		),
	);
	if (output.length !== items || !JSON.stringify(output.at(-1)).includes('"device_id":"d-1"'))
		throw new Error('the answers are not whole');
}

async function bare(items: number): Promise<void> {
	await Promise.all(
		Array.from({ length: items }, async () => {
			// As n8n's helper: a new connection for each request
			const { body } = await request(`${url}${DEVICE}`, {
				reset: true,
				headers: { authorization: 'Bearer token-of-the-benchmark' },
			});
			await body.json();
		}),
	);
}

async function perSecond(items: number, run: () => Promise<void>): Promise<number> {
	const begin = performance.now();
	for (let sent = 0; sent < REQUESTS_A_ROUND; sent += items) await run();
	return REQUESTS_A_ROUND / ((performance.now() - begin) / 1_000);
}

async function compare(items: number): Promise<Row[]> {
	const sides = [
		async () => await inEngine(own, items),
		async () => await inEngine(theirs(`${url}${DEVICE}`), items),
		async () => await bare(items),
	];
	const speeds: number[][] = sides.map(() => []);
	for (let round = -1; round < ROUNDS; round++) {
		for (const [index, side] of sides.entries()) {
			const speed = await perSecond(items, side);
			if (round >= 0) speeds[index]?.push(speed);
		}
	}
	const [mine = [], node = [], undici = []] = speeds;
	const name = items === 1 ? 'requests, one at a time' : `requests, ${items} side by side`;
	const row = (beside: string, other: number[], bar: string): Row => {
		// Each round has its own ratio: what else the machine does in it slows all sides
		const ratio = median(mine.map((speed, round) => speed / (other[round] ?? NaN)));
		return {
			name,
			own: `${amount(median(mine))}/s`,
			beside,
			other: `${amount(median(other))}/s`,
			ratio: ratio.toFixed(2),
			bar,
		};
	};
	return [
		row("n8n's HTTP Request node", node, items === 1 ? '>= 0.9' : '>= 1'),
		row('bare undici, as many connections', undici, ''),
	];
}

async function mostInFlight(node: NodeUnderTest): Promise<number> {
	const answer = async () => {
		server.send('most');
		return ((await once(server, 'message')) as [number])[0];
	};
	await answer();
	await inEngine(node, 64);
	return await answer();
}

const rows = [...(await compare(1)), ...(await compare(AT_ONCE))];
const [most, mostOfTheirs] = [
	await mostInFlight(slow),
	await mostInFlight(theirs(`${url}/slow${DEVICE}`)),
];
rows.push({
	name: '64 items: most requests in flight',
	own: String(most),
	beside: "n8n's HTTP Request node",
	other: String(mostOfTheirs),
	ratio: String(most),
	bar: `<= ${AT_ONCE}`,
});
finish(rows);
server.disconnect();
