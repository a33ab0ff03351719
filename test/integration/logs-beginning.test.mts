import { describe, expect, it } from 'vitest';
import { Beginning } from '../../nodes/CaasLogsTrigger/beginning.ts';
import type { Settings } from '../../nodes/CaasLogsTrigger/settings.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { entryOf } from '../../nodes/shared/stream/event.ts';
import { text, useApi } from '../engine/api.mts';

const fixture = useApi();

const LOG = { deploymentId: 'd', containerId: 'c', stream: 'stdout' } as const;
const SETTINGS = {
	offsetParameter: 'offset',
	offsetUnit: 'entries',
	format: 'auto',
	largestLine: 8,
};

/** How the log is begun, of which the entry with the ID 1 came first from the offset 0. */
function inDoubt(more: Partial<Settings> = {}): Beginning {
	const one = new Beginning(LOG, { ...SETTINGS, ...more } as Settings);
	one.look({ ...entryOf('a', 2), lastEventId: '1', hasOwnId: true }, BEGINNING);
	return one;
}

const events = (...ids: string[]) =>
	text(ids.map((id) => `id: ${id}\ndata: line ${id}\n\n`).join(''), 200, {
		'content-type': 'text/event-stream',
	});
const offsets = () =>
	fixture.received.map(({ url }) => new URL(url, 'http://service').searchParams.get('offset'));

describe('entries may be missing before the first one', () => {
	it.each([
		['and are, so that the offset 0 is omitted', '0', true],
		['and are not', '1', false],
	])('%s', async (_, id, isMore) => {
		fixture.answers = [events(id, '2')];
		const one = inDoubt();
		expect(await one.check(await fixture.api())).toBe(isMore);
		expect(one.isInDoubt).toBe(false);
		expect(one.settingsFor(BEGINNING).offsetUnit).toBe(isMore ? 'none' : 'entries');
		expect(offsets()).toEqual([null]);
	});
});

describe('the first entries of a log', () => {
	const first = async (one: Beginning) =>
		await one.first(await fixture.api(), { ...BEGINNING, entries: 9 }, async () => undefined);

	const same = events('0', '1');
	it.each([
		['the same come from the next offset, and beyond the end: it is ignored', same, same, true],
		[
			'others come from the next one: it is honoured, and they may come again',
			events('7', '8'),
			same,
			false,
		],
		['fewer come from the next one, where the log ends', events('0'), same, true],
		['none do', text(''), same, true],
		['none come from beyond the end: those at the offset were dropped', same, text(''), false],
		['others do', same, events('7'), false],
		['that is refused', same, text('', 416), false],
	])('%s', async (_, next, far, isIgnored) => {
		fixture.answers = [same, next, far];
		expect(await first(inDoubt())).toHaveLength(isIgnored ? 2 : 0);
	});

	it('no others are read where they are equal', async () => {
		fixture.answers = [
			text('data: a\n\ndata: a\n\n', 200, { 'content-type': 'text/event-stream' }),
		];
		expect(await first(inDoubt())).toHaveLength(2);
		expect(offsets()).toEqual(['0']);
	});

	it('are read from the offset 0, or without one where the service refuses it', async () => {
		fixture.answers = [events('0', '1')];
		const one = inDoubt();
		const read = async () => (await first(one)).map(({ data }) => data);
		expect(await read()).toEqual(['line 0', 'line 1']);
		one.omitOffset(BEGINNING);
		expect(await read()).toEqual(['line 0', 'line 1']);
		expect(offsets()).toEqual(['0', '10', '1000000009', null, '10', '1000000009']);
	});

	it('are read in the format of the settings, up to the largest line', async () => {
		fixture.answers = [text('data: a\n\nlonger than that\n')];
		const entries = await first(inDoubt({ format: 'lines' }));
		expect(entries.map(({ data, truncated }) => [data, truncated])).toEqual([
			['data: a', false],
			['', false],
			['longer t', true],
		]);
	});
});
