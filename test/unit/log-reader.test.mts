import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Settings } from '../../nodes/CaasLogsTrigger/settings.ts';
import { followed, LINES } from './log-reader-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));

describe('the reader of a log', () => {
	it('delivers what comes, and after a lost connection what is new', async () => {
		const { connections, delivered, write, lose, ends } = followed(LINES, { maxWaitMs: 10 });
		await pass(10);
		expect(delivered).toEqual(LINES);
		await lose();
		expect(ends()).toEqual(['The connection was lost']);
		await write('seven');
		await pass(5_000);
		await write('eight');
		await pass(5_000);
		expect(delivered).toEqual([...LINES, 'seven', 'eight']);
		expect(connections).toHaveLength(2);
	});

	it('delivers at the end of a connection what is complete', async () => {
		const { delivered, lose } = followed(LINES, { maxWaitMs: 3_600_000 });
		await pass(1_000);
		expect(delivered).toEqual([]);
		await lose();
		expect(delivered).toEqual(LINES);
	});

	it.each([
		[20_000, true],
		[0, false],
	])('connects again after an idle timeout of %d ms: %s', async (idleTimeoutMs, isIdle) => {
		const { connections, ends, write } = followed(LINES, { idleTimeoutMs });
		await pass(10_000);
		await write('seven');
		await pass(19_999);
		expect(ends()).toEqual([]);
		await pass(1);
		expect(ends()).toEqual(isIdle ? ['No line for 20 seconds'] : []);
		await pass(60_000);
		expect(connections.length > 1).toBe(isIdle);
	});

	it('stops at the line to stop on', async () => {
		const stopOn = { test: (line: string) => line === 'stop' } as Settings['stopOn'];
		const { delivered, ends, write, progress, connections } = followed(LINES, { stopOn });
		await pass();
		await write('stop', 'later');
		await pass(3_600_000);
		expect(delivered).toEqual([...LINES, 'stop']);
		expect(ends()).toEqual(['disconnected', 'stopped']);
		expect(progress.hasStopped).toBe(true);
		expect(connections).toHaveLength(1);
	});

	it('takes a web page for no log', async () => {
		const { delivered, reports, service, connections } = followed(LINES);
		service.type = '';
		service.text = () => '<!doctype html>\n<html>\n';
		await pass(60_000);
		expect(delivered).toEqual([]);
		expect(connections.length).toBeGreaterThan(2);
		expect(reports).toEqual([expect.stringContaining('web page')]);
	});
});

describe('the newest lines of a log', () => {
	it.each([
		[0, []],
		[2, LINES.slice(-2)],
		[100, LINES],
	])(
		'%d of them are delivered after a second of silence, and then each that is new',
		async (newest, wanted) => {
			const { delivered, write, reader } = followed(LINES, { maxWaitMs: 1 }, { newest });
			let isCaughtUp = false;
			void reader.caughtUp.then(() => (isCaughtUp = true));
			await pass(999);
			expect([delivered, isCaughtUp]).toEqual([[], false]);
			await pass(2);
			expect([delivered, isCaughtUp]).toEqual([wanted, true]);
			await write('seven');
			await pass(1);
			expect(delivered).toEqual([...wanted, 'seven']);
		},
	);

	it('of an empty log are known after three seconds', async () => {
		const { delivered, write, reader } = followed([], { maxWaitMs: 1 }, { newest: 0 });
		let isCaughtUp = false;
		void reader.caughtUp.then(() => (isCaughtUp = true));
		await pass(2_999);
		expect(isCaughtUp).toBe(false);
		await pass(1);
		expect(isCaughtUp).toBe(true);
		await write('new');
		await pass(1);
		expect(delivered).toEqual(['new']);
	});

	it('are known after ten seconds where lines come all the time', async () => {
		const busy = followed(LINES, { maxWaitMs: 1 }, { newest: 1 });
		for (let seconds = 0; seconds < 11; seconds += 0.5) {
			await busy.write(`line ${seconds}`);
			await pass(500);
		}
		expect(busy.delivered).toEqual(['line 10', 'line 10.5']);
	});

	it('are known at the end of an answer behind which nothing comes', async () => {
		const { delivered, service } = followed(LINES, { maxWaitMs: 1 }, { newest: 1 });
		service.ends = true;
		await pass(200);
		expect(delivered).toEqual([]);
		await pass(10_000);
		expect(delivered).toEqual(['six']);
	});
});

describe('a log whose stream the service ends', () => {
	it('is over once the deployment has ended and four more looks have brought nothing', async () => {
		const { delivered, ends, service, connections } = followed(LINES, {}, { status: 'completed' });
		service.ends = true;
		await pass(3_600_000);
		expect(delivered).toEqual(LINES);
		expect(ends().at(-1)).toBe('finished');
		expect(ends().filter((end) => end === 'The service ended the stream')).toHaveLength(4);
		expect(connections).toHaveLength(5);
	});

	it('is not over while it runs', async () => {
		const { ends, service, connections } = followed(LINES);
		service.ends = true;
		await pass(600_000);
		expect(ends()).not.toContain('finished');
		expect(connections.length).toBeGreaterThan(15);
	});

	it('has a last line without an end only once it is over', async () => {
		const one = followed(LINES, {}, { status: 'completed' });
		one.service.ends = true;
		one.service.text = (rows) => rows.join('\n');
		await pass(200);
		expect(one.delivered).toEqual(LINES.slice(0, -1));
		await pass(3_600_000);
		expect(one.delivered).toEqual(LINES);
	});
});

describe('a trigger that is closed', () => {
	it('delivers nothing that the service has at the next start', async () => {
		const { follower, delivered, last, progress } = followed(LINES, { maxWaitMs: 3_600_000 });
		await pass(1_000);
		await follower.close();
		expect([delivered, last]).toEqual([[], []]);
		expect(progress.committed.offset.entries).toBe(0);
	});
});
