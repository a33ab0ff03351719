import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { CONTAINER, runningDeployment } from '../engine/logs.mts';
import { cloud } from '../sandbox/testing/client.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';
import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { loadWorlds } from '../worlds/loadWorlds.mts';
import { logLaws } from '../worlds/laws/logs.mts';
import { LogContainer } from '../worlds/logContainer.mts';

/** Each world of the logs serves as it says, and its books say what a client could have got. */
const [sandbox] = await useSandbox((started) => cloud(started, 'caas'));
const worlds = await loadWorlds<LogWorld>('logs');

function start(name: string): LogContainer {
	const world = worlds.find((one) => one.name === name);
	if (!world) throw new Error(`There is no world ${name}`);
	return new LogContainer(sandbox, world, runningDeployment(sandbox), CONTAINER);
}

const numbered = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => `line ${from + index}`);

async function connect(offset: number): Promise<IncomingMessage> {
	const base = `${sandbox.url}/enterprise/v1/svc-cloud/caas/deployment`;
	const url = `${base}/${runningDeployment(sandbox)}/log/${CONTAINER}?offset=${offset}`;
	const [response] = (await once(
		get(url, { headers: { 'x-api-key': sandbox.keys.apiKey } }),
		'response',
	)) as [IncomingMessage];
	return response.setEncoding('utf8');
}

/** The text of a stream until it ends or breaks. */
async function textOf(response: IncomingMessage): Promise<string> {
	let text = '';
	response.on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
	await new Promise((resolve) => response.once('close', resolve));
	return text;
}

const linesOf = (text: string) => text.match(/line \d+/g) ?? [];

it('every relaxation names a law', () => {
	const laws = logLaws.map(({ name }) => name);
	for (const { relaxed = [] } of worlds)
		for (const { law, why } of relaxed) {
			expect(laws).toContain(law);
			expect(why).not.toBe('');
		}
});

it('an offset at the end is refused until the log has grown', async () => {
	const container = start('offset at the end refused: 416');
	container.write('first');
	expect((await connect(1)).statusCode).toBe(416);
	container.write('more');
	const response = await connect(1);
	container.finish();
	expect(await textOf(response)).toBe('id: 1\ndata: more\n\n');
});

describe('of 150 entries, an offset brings the ones from', () => {
	it.each([
		['offset honoured (default)', 120, 120],
		['offset inclusive', 120, 119],
		['offset one-based', 120, 119],
		['offset one-based', 0, 0],
		['offset exclusive', 120, 121],
		['offset ignored', 120, 0],
		['ring buffer of 100', 30, 80],
		['ring buffer of 100', 120, 150],
		['last 50 lines only', 120, 100],
		['live only', 120, 150],
		['event IDs as offsets', 119, 120],
		['stream ends after each answer', 120, 120],
	])('%s: %d', async (name, offset, first) => {
		const container = start(name);
		numbered(150).forEach((line) => container.write(line));
		const response = await connect(offset);
		if (name !== 'stream ends after each answer') container.finish();
		expect(linesOf(await textOf(response))).toEqual(numbered(150 - first, first));
	});
});

describe('the books offer', () => {
	it('what is kept at a connection and what is written during it, and nothing else', async () => {
		const container = start('live only');
		container.write('before');
		const response = await connect(0);
		container.write('during');
		container.connections.forEach((connection) => connection.end());
		await textOf(response);
		container.write('after');
		expect(container.books()).toEqual({
			written: ['before', 'during', 'after'],
			offered: ['during'],
		});
	});

	it('no line that broke off in the middle and is not kept', async () => {
		const container = start('live only');
		const response = await connect(0);
		const text = textOf(response);
		container.writeHalf('a line that breaks off');
		expect(await text).toBe('id: 0\ndata: a line');
		expect(response.complete).toBe(false);
		expect(container.books().offered).toEqual([]);
	});

	it('all lives of a container', async () => {
		const container = start('restart with the same first lines');
		const text = textOf(await connect(0));
		container.write('old');
		container.restart();
		container.write('new');
		expect(await text).toContain('data: old');
		expect(container.books().offered.filter((line) => /old|new/.test(line))).toEqual([
			'old',
			'new',
		]);
	});
});

it('comments go on when a source is dead', async () => {
	const container = start('keep-alives hide a dead source');
	const text = textOf(await connect(0));
	const [connection] = container.connections;
	connection?.stall();
	container.write('never seen');
	sandbox.clock.advance(500);
	connection?.end();
	expect(await text).toBe(': keep-alive\n\n');
	expect(container.books().offered).toEqual(['never seen']);
});
