import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import type { Relaxation } from '../sandbox/worlds/world.mts';
import { loadWorlds } from './loadWorlds.mts';
import { describeMixes } from './mix.mts';
import { logs } from './playLog.mts';

const STOP_WHILE_SEARCHED: Relaxation = {
	law: 'no line comes twice',
	scenario: 'numbered',
	why: 'A stop while a gateway refuses offsets: what short answers have shown of the log meanwhile is delivered',
};

/** Without what contradicts itself, or what no client can tell apart. */
function possible(mix: LogWorld): LogWorld | undefined {
	const { format, contentType, resume = {}, stream = {}, outage, interruptions = [] } = mix;
	// Of some bytes nobody can tell in which of several ways the service answers, and what comes before a stop is delivered
	if (interruptions.some(({ kind }) => kind === 'short')) return undefined;
	// Bare lines have no comments and no IDs
	if (format === 'lines' && (stream.keepAliveMs || resume.unit === 'eventId')) return undefined;
	// `data:` lines that a blank line ends only where a comment comes are one event by the standard, and several by their look
	if (format === 'dataLines' && stream.keepAliveMs) return undefined;
	// Of an answer that is declared as events and has nothing but lines like fields of them, nobody knows that it has none
	const beginsAnywhere = stream.endsWhenIdle === true || resume.keeps === 0;
	if (format === 'lines' && contentType === 'text/event-stream' && beginsAnywhere) return undefined;
	// Where an answer has room for little, only the offset tells where it begins, and lines may be dropped before they are read
	const { ignoresOffset, repeats, keeps } = resume;
	const isCertain = !ignoresOffset && repeats === undefined && keeps === undefined;
	const isShort = stream.longestAnswer !== undefined;
	if (isShort && !isCertain) return undefined;
	if (isShort && outage) return { ...mix, relaxed: [...(mix.relaxed ?? []), STOP_WHILE_SEARCHED] };
	// A service that keeps nothing and has nothing new sends the same
	if (resume.keeps === 0 && outage?.status === 200) return undefined;
	return mix;
}

describeMixes(
	logs,
	await loadWorlds<LogWorld>('logs'),
	[{ name: 'numbered', line: (number) => `line ${number}` }],
	50,
	possible,
);
