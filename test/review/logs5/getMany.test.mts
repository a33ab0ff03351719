import { expect, it } from 'vitest';
import { compare, endWorlds, Log, startWorld, unique } from './service.mts';

endWorlds();

it('a connection that is lost after some lines, and filters drop them all', async () => {
	const world = await startWorld(async (call) => {
		call.open();
		call.send(...unique(20));
		await call.wait(50);
		call.response.destroy();
	});
	const run = await world.runGetMany({ options: { include: 'nothing' } });
	const { message } = run.data.resultData.error ?? {};
	expect([run.status, message]).toEqual(['error', expect.stringContaining('lost')]);
});

it('a web page that the service sends as plain text', async () => {
	const world = await startWorld((call) => {
		call.open('text/plain');
		call.response.end('<!DOCTYPE html>\n<html>\n<body>502</body>\n</html>\n');
	});
	expect((await world.runGetMany()).status).toBe('error');
});

it('the log of a container that starts again between two pages', async () => {
	const log = new Log(...unique(100));
	let answers = 0;
	const world = await startWorld((call) => {
		if (answers++ === 1) log.restart(...unique(80, 0, 'second'));
		call.open();
		const from = call.offset ?? 0;
		call.send(...log.lines.slice(from, from + 50));
		call.response.end();
	});
	const lines = (await world.getMany()).map(({ line }) => String(line));
	const { foreign, repeated } = compare(log.written, lines);
	expect({ foreign, repeated }).toEqual({ foreign: [], repeated: 0 });
});

it('a character that two chunks split, CR LF and LF mixed, and a last line without an end', async () => {
	const bytes = Buffer.from('data: é🙂1\r\n\r\ndata: 日本2\n\ndata: three\r\n\ndata: 4 🙂');
	const world = await startWorld(async (call) => {
		call.open();
		for (const byte of bytes) {
			call.response.write(Buffer.from([byte]));
			await call.wait(5);
		}
		call.response.end();
	});
	const lines = (await world.getMany()).map(({ line }) => line);
	expect(lines).toEqual(['é🙂1', '日本2', 'three', '4 🙂']);
});

it('no connection is left behind after Max Wait', async () => {
	const world = await startWorld((call) => {
		call.open();
		call.send('one');
	});
	await world.getMany({ maxWaitSeconds: 2 });
	await world.clock.pass(1_000);
	expect([world.open.size, world.sockets.size]).toEqual([0, 0]);
});
