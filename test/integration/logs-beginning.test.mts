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

	it.each([
		['the same come from the next offset: it is ignored', events('0', '1'), 2],
		['others do: it is honoured, and they may come again', events('7', '8'), 0],
		['as many as there are do', events('0'), 2],
		['none do', text(''), 2],
	])('%s', async (_, next, known) => {
		fixture.answers = [events('0', '1'), next];
		expect(await first(inDoubt())).toHaveLength(known);
	});

	it('are read from the offset 0, or without one where the service refuses it', async () => {
		fixture.answers = [events('0', '1')];
		const one = inDoubt();
		const read = async () => (await first(one)).map(({ data }) => data);
		expect(await read()).toEqual(['line 0', 'line 1']);
		one.omitOffset(BEGINNING);
		expect(await read()).toEqual(['line 0', 'line 1']);
		expect(offsets()).toEqual(['0', '10', null, '10']);
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
