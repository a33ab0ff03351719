import { guarantees } from './logs-trigger-guarantees.mts';
import type { Page } from './page.mts';

const I = 'integration';
const WORLDS = 'sandbox/worlds/logs';
const LOST = 'worlds/laws/logs.mts > no line is lost';

const claims: Page['claims'] = {
	'Follows the logs of containers while they are written and starts an execution for each batch of lines.':
		['contract/log.test.mts > [log.chunked]', `${I}/logs.test.mts > becomes items, in order`],
	'It reconnects by itself and resumes at its committed offset after a restart of n8n.': [
		LOST,
		'e2e/logs-trigger.test.mts > also after a disconnect and a restart of n8n',
	],
	'Credentials: Compute Marketplace API and, by default, Compute Marketplace Token API, as the service describes its log stream.':
		['contract/log.test.mts > [log.headers] Authorization'],
	'Under Authentication you can choose OAuth2 in place of the token, or the API key alone.': [
		'contract/log.test.mts > [log.headers.oauth2]',
		`${I}/logs-activation.test.mts > sends the API key alone`,
	],
	'Deployment, Container Names or IDs | The logs to follow. Each log has an offset of its own': [
		`${I}/logs-activation.test.mts > no container`,
		'worlds/logs-crowd.test.mts > 100 containers',
	],
	'Trigger On | Standard output, standard error or both': ['contract/log.test.mts > [log.stream]'],
	'Start From | Where it left off, the beginning, the Newest Lines, now, or an Offset': [
		`${I}/logs-resume.test.mts > Beginning: again`,
		`${I}/logs-resume.test.mts > Now: only lines`,
		`${I}/logs-resume.test.mts > Offset: lines from that offset on`,
	],
	'Batch | How many lines, how many bytes and how much time an execution gets': [
		`${I}/logs.test.mts > becomes items, in order, in batches`,
	],
	'Start From counts when you activate the workflow.': [
		`${I}/logs-resume.test.mts > but not when n8n restarts`,
	],
	'When n8n restarts, the trigger always resumes at its committed offset.': [
		`${I}/logs-resume.test.mts > but not when n8n restarts`,
		`${I}/logs-gaps.test.mts > what is written while n8n is down comes`,
	],
	'An Offset is sent to the service and, with the Offset Unit Entries, the answer is compared with the beginning of the log.':
		[`${I}/logs-resume.test.mts > Offset: lines from that offset on`],
	'Lines are left out by their number only where the service ignores the offset, or with the Offset Unit None.':
		[
			`${I}/logs-resume.test.mts > Offset: lines from that offset on`,
			'unit/log-overlap.test.mts > from a start offset on',
		],
	'For Now and Newest Lines, the lines that a log has are those that come before a second of silence, or, if it is never silent, in the first ten seconds.':
		[
			'unit/log-reader.test.mts > after a second of silence',
			'unit/log-reader.test.mts > are known after ten seconds where lines come all the time',
		],
	'Where the service sends the log in pages with the same number of lines, all pages count.': [
		'review/logs8/newest.test.mts > a log that is silent meanwhile',
	],
	'A log that you no longer choose keeps its offset for 7 days, so that it continues if you choose it again.':
		[
			`${I}/logs-gaps.test.mts > continues at its offset, in another process too`,
			`${I}/logs-gaps.test.mts > seven days later starts over`,
		],
	'Of more than 50 such logs, the oldest are forgotten.': [
		`${I}/logs-gaps.test.mts > only the latest 50 are kept`,
	],
	'When you execute the trigger in the editor, it returns the first batch within 30 seconds and commits nothing.':
		[
			`${I}/logs-deactivation.test.mts > commits nothing`,
			`${I}/logs-deactivation.test.mts > throws where no line comes in time`,
		],
	'There, Where It Left Off shows the newest lines, up to Max Entries.': [
		`${I}/logs-deactivation.test.mts > shows the newest lines, where the active workflow would resume`,
	],
	'An execution starts after Max Entries lines, Max Bytes or Max Wait, whichever comes first.': [
		`${I}/logs.test.mts > becomes items, in order, in batches`,
		`${I}/logs.test.mts > has no more bytes than Max Bytes`,
	],
	'A line that is longer than Max Bytes has an execution of its own.': [
		`${I}/logs.test.mts > a longer line comes alone`,
	],
	'While as many executions are in flight as Max Executions in Flight allows, reading pauses.': [
		`${I}/logs-delivery.test.mts > no more batches are in flight`,
	],
	'Delivery, Give Up After | When a batch is committed, see below': [
		`${I}/logs-delivery.test.mts > every execution counts`,
		`${I}/logs-delivery.test.mts > successful executions count`,
		`${I}/logs-delivery.test.mts > immediately: no execution is waited for`,
	],
	'Max Executions in Flight | Allows several executions at once, for all logs together. They may end in another order':
		[`${I}/logs-delivery.test.mts > no more batches are in flight`],
	'Max Executions per Minute | Drops the lines of further executions; the next item counts them in `held_back`':
		[`${I}/logs-executions.test.mts > above Max Executions per Minute`],
	'Include, Exclude, Level, JSON Only | Which lines start an execution': [
		`${I}/logs-filters.test.mts > include without case`,
		`${I}/logs-filters.test.mts > exclude`,
		`${I}/logs-filters.test.mts > level error and above`,
		`${I}/logs-filters.test.mts > JSON only`,
	],
	'Context Lines | How many lines around a match to add': [
		`${I}/logs-filters.test.mts > context lines come before and after a match`,
	],
	'Stop On | Follows a container up to the first line that matches': [
		`${I}/logs-ends.test.mts > a line to stop at ends %s`,
	],
	'Join Multi-Line Entries | Joins stack traces and indented lines, see below': [
		'unit/log-multiLine.test.mts > joining lines to entries',
	],
	'Group Equal Lines | One item for the equal lines of a batch, with `count` and `last_offset`': [
		`${I}/logs-filters.test.mts > Group Equal Lines`,
	],
	'Extract Timestamp | Adds the time of a line as `timestamp`, in UTC; `null` if it has none': [
		`${I}/logs-filters.test.mts > Extract Timestamp`,
	],
	'Remove Colors | Removes color codes from the lines': [
		`${I}/logs-filters.test.mts > are removed where Remove Colors says so`,
		`${I}/logs-filters.test.mts > stay in the line`,
	],
	'Idle Timeout | Reconnects after this many seconds without a line. 0 disables': [
		`${I}/logs-ends.test.mts > a half-open connection is replaced after the idle timeout`,
		`${WORLDS}/keep-alive.mts > keep-alives hide a dead source`,
	],
	'Output | One item for each line, or one for each batch': [
		'contract/log.test.mts > one item per line',
		`${I}/logs-filters.test.mts > Output = Batch: one item per batch`,
	],
	'Connection Events | Also starts an execution when a connection opens or is lost, or a log ends':
		[
			`${I}/logs-ends.test.mts > Connection Events: an item when`,
			`${I}/logs-ends.test.mts > the last line without a line feed comes too`,
			`${I}/logs-ends.test.mts > a line to stop at ends %s`,
		],
	'Format | Whether the service sends bare lines or server-sent events': [
		'unit/decoder-format.test.mts > that is set is not detected',
		`${I}/logs.test.mts > is not detected where the option sets it`,
	],
	'Max Line Length | Truncates longer lines and marks them with `truncated`': [
		`${I}/logs-filters.test.mts > a line above the limit is cut and marked`,
		'unit/decoder-limits.test.mts > the largest entry',
	],
	'Offset Parameter, Offset Unit | How the service resumes. It does not document this': [
		'contract/log.test.mts > [log.offset.name]',
		`${I}/logs-resume.test.mts > an offset in bytes`,
	],
	'Patterns see the whole line, without its colors.': [
		`${WORLDS}/colours.mts > coloured lines`,
		'unit/log-colours.test.mts > removing colours',
	],
	'The time that they take grows in proportion to its length, whatever the pattern.': [
		'unit/regex-steps.test.mts > twice the text, twice the steps',
	],
	'Events of the types `ping`, `heartbeat` and `keepalive` are no lines.': [
		`${I}/logs.test.mts > events that keep the connection alive are no lines`,
	],
	'Level looks for the level of a line in a JSON field (`level`, `severity`, `log.level` and the like), in the priority of syslog (`<3>`), in `level=`, in the first letter as glog writes it (`E0721`), and then for a level word in the first 120 characters: in capitals, in brackets, before a colon or at the start of the line.':
		['unit/log-level.test.mts > the level of a line'],
	'A traceback is an error, a panic is fatal, and a name such as `my-error-service` is no level.': [
		'unit/log-level.test.mts > the level of a line',
	],
	'A line without a level is dropped.': [`${I}/logs-filters.test.mts > level info and above`],
	'Group Equal Lines takes lines as equal that differ only in numbers, IDs, times and quoted text.':
		['unit/log-grouping.test.mts > does not depend on what differs'],
	'Extract Timestamp reads a time in the first 64 characters of a line, or in a JSON field such as `time` or `timestamp`.':
		['unit/log-timestamp.test.mts > the time of a line'],
	'A time without a zone is taken for UTC.': ['unit/log-timestamp.test.mts > the time of a line'],
	'Join Multi-Line Entries joins indented lines and the stack traces of Java, Python and Go with the line before them.':
		['unit/log-multiLine.test.mts > joining lines to entries'],
	'With First Line of an Entry, every line that does not match it continues the entry before it.': [
		'unit/log-multiLine.test.mts > with a pattern of first lines goes by that alone',
	],
	'Patterns and Level then see the whole entry.': [
		`${I}/logs-filters.test.mts > brings all of a traceback`,
	],
	'An entry is complete when the next one begins, and at the latest after Max Wait.': [
		`${I}/logs-filters.test.mts > brings all of a traceback`,
		`${I}/logs-filters.test.mts > an entry that no line follows is complete after Max Wait`,
	],
	'It has at most 500 lines and Max Line Length characters.': [
		`${I}/logs-filters.test.mts > an entry has at most 500 lines`,
		`${I}/logs-filters.test.mts > an entry has at most as many characters as Max Line Length`,
	],
	...guarantees,
};

export const logsTrigger: Page = { file: 'docs/logs-trigger.md', claims };
