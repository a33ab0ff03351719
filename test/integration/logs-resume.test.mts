import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { useFixture } from '../engine/fixture.mts';
import { LOG_PATH, logRequests, numbered, openLog } from '../engine/logs.mts';
import { eventually } from '../engine/wait.mts';
import type { ResumeHabits } from '../sandbox/index.mts';

const fixture = useFixture({ time: 'immediate' });

describe('after a disconnect', () => {
	it.each<[string, IDataObject, ResumeHabits]>([
		['an offset in entries', {}, {}],
		['an offset in bytes', { offsetUnit: 'bytes' }, { unit: 'bytes' }],
		['the ID of the last event', { offsetUnit: 'eventId' }, { unit: 'eventId' }],
		['a service that ignores the offset', {}, { ignoresOffset: true }],
		['a service without offset', { offsetUnit: 'none' }, { ignoresOffset: true }],
		['a service that sends the last entries again', {}, { repeats: 5 }],
	])('continues at the committed offset: %s', async (_, options, resume) => {
		const log = openLog(fixture.sandbox);
		log.resume = resume;
		log.append('stdout', ...numbered(40));
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 500 });
		fixture.follow({ options });
		await fixture.trigger.activate();
		await fixture.delivered(40);
		log.append('stdout', ...numbered(10, 40));
		await fixture.delivered(50);
		expect(fixture.trigger.lines).toEqual(numbered(50));
	});

	it('a service that ignores the offset, and a log too short to show it: no line is lost or repeated', async () => {
		const log = openLog(fixture.sandbox, 'lines');
		log.resume = { ignoresOffset: true };
		const lines = ['tick', 'tick', ...numbered(8)];
		await fixture.follow().activate();
		for (const [from, to] of [
			[0, 2],
			[2, 5],
			[5, 10],
		]) {
			await eventually('a connection', () => log.connections.size === 1);
			log.append('stdout', ...lines.slice(from, to));
			await fixture.delivered(to ?? 0);
			for (const connection of log.connections) connection.break();
		}
		expect(fixture.trigger.lines).toEqual(lines);
	});

	it('a log of equal lines loses none', async () => {
		const log = openLog(fixture.sandbox, 'lines');
		log.append('stdout', ...Array.from({ length: 30 }, () => 'tick'));
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 42 });
		await fixture.follow().activate();
		await fixture.delivered(30);
		expect(fixture.trigger.lines).toHaveLength(30);
	});

	it('an offset in bytes counts the bytes of multi-byte characters', async () => {
		const log = openLog(fixture.sandbox, 'lines');
		log.resume = { unit: 'bytes' };
		const lines = numbered(20).map((line) => `${line} ü€🚀`);
		log.append('stdout', ...lines);
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 101 });
		await fixture.follow({ options: { offsetUnit: 'bytes' } }).activate();
		await fixture.delivered(20);
		expect(fixture.trigger.lines).toEqual(lines);
	});
});

describe('Start From', () => {
	it('Now: only lines written after the activation', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(500));
		await fixture.follow({ startFrom: 'now' }).activate();
		log.append('stdout', 'first', 'second');
		await fixture.delivered(2);
		expect(fixture.trigger.items.map(({ line, offset }) => [line, offset])).toEqual([
			['first', 500],
			['second', 501],
		]);
	});

	it('Newest Lines: as many of those that the log has, and not again when n8n restarts', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(500));
		await fixture.follow({ startFrom: 'newest', newestLines: 3 }).activate();
		await fixture.delivered(3);
		log.append('stdout', 'line 500');
		await fixture.delivered(4);
		await fixture.idle();
		await fixture.trigger.deactivate();
		await fixture.trigger.activate('init');
		log.append('stdout', 'line 501');
		await fixture.delivered(5);
		expect(fixture.trigger.items.map(({ line, offset }) => [line, offset])).toEqual(
			numbered(5, 497).map((line, index) => [line, 497 + index]),
		);
	});

	it.each<[string, ResumeHabits, string | undefined]>([
		['entries', {}, '15'],
		['entries', { ignoresOffset: true }, '15'],
		['none', { ignoresOffset: true }, undefined],
	])(
		'Offset: lines from that offset on, with the unit %s, at a service with %j',
		async (offsetUnit, resume, requested) => {
			const log = openLog(fixture.sandbox);
			log.resume = resume;
			log.append('stdout', ...numbered(20));
			await fixture.follow({ startFrom: 'offset', offset: 15, options: { offsetUnit } }).activate();
			await fixture.delivered(5);
			expect(fixture.trigger.items.map(({ line, offset }) => [line, offset])).toEqual(
				numbered(5, 15).map((line, index) => [line, 15 + index]),
			);
			const offsets = logRequests(fixture.sandbox).map(({ query }) => query.offset?.[0]);
			// Others were requested to learn whether it is honoured
			expect(offsets.findLast((offset) => offset !== '0')).toBe(requested);
		},
	);

	it('Beginning: again with each activation by a person, but not when n8n restarts', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(3));
		await fixture.follow({ startFrom: 'beginning' }).activate();
		await fixture.delivered(3);
		await fixture.trigger.deactivate();
		await fixture.trigger.activate('init');
		log.append('stdout', 'line 3');
		await fixture.delivered(4);
		expect(fixture.trigger.lines).toEqual(numbered(4));
		await fixture.trigger.deactivate();
		await fixture.trigger.activate('activate');
		await fixture.delivered(8);
		expect(fixture.trigger.lines).toEqual([...numbered(4), ...numbered(4)]);
	});
});
