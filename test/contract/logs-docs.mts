const I = 'integration';
const WORLDS = 'sandbox/worlds/logs';
const LOST = 'worlds/laws/logs.mts > no line is lost';
const TWICE = 'worlds/laws/logs.mts > no line comes twice';
const SILENT = 'worlds/laws/logs.mts > it is never silent';
const RELAXED = 'unit/worlds-logs.test.mts > every relaxation names a law';

/**
 * Each sentence of docs/logs-trigger.md with what shows it: `file below test > part of a title`. A law is tested in every world, and
 * `test/sandbox/worlds` says why one is relaxed.
 */
export const promises: Record<string, string[]> = {
	'Follows the logs of containers while they are written and starts an execution for each batch of lines.':
		['contract/log.test.mts > [log.chunked]', `${I}/logs.test.mts > becomes items, in order`],
	'It reconnects by itself and resumes at its committed offset after a restart of n8n.': [
		LOST,
		'e2e/logs-trigger.test.mts > also across a restart of n8n',
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
	'When you execute the trigger in the editor, it returns the first batch within 30 seconds and commits nothing.':
		[
			`${I}/logs-deactivation.test.mts > commits nothing`,
			`${I}/logs-deactivation.test.mts > throws where no line comes in time`,
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
		`${I}/logs-ends.test.mts > a line to stop at ends both streams`,
	],
	'Join Multi-Line Entries | Joins stack traces and indented lines, see below': [
		'unit/log-multiLine.test.mts > joining lines to entries',
	],
	'Idle Timeout | Reconnects after this many seconds without a line. 0 disables': [
		`${I}/logs-ends.test.mts > a half-open connection is replaced after the idle timeout`,
		`${WORLDS}/keep-alive.mts > keep-alives hide a dead source`,
	],
	'Output | One item for each line, or one for each batch': [
		'contract/log.test.mts > one item per line',
		`${I}/logs-filters.test.mts > Output = Batch: one item per batch`,
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
	'Lines are delivered at least once, unless you choose Immediately.': [
		LOST,
		`${I}/logs-delivery.test.mts > immediately: no execution is waited for`,
	],
	'If no execution was in flight for some seconds before the kill, nothing is repeated.': [
		'worlds/logs-killed.test.mts > killed when idle',
		TWICE,
	],
	'The trigger finds where it stopped by the last 32 lines, even if the service counts its offset from 1, ignores it, or sends only its last lines.':
		[
			LOST,
			TWICE,
			`${WORLDS}/one-based.mts > offset one-based`,
			`${WORLDS}/ignored.mts > offset ignored`,
			`${WORLDS}/last-lines.mts > last 50 lines only`,
		],
	'If those lines are not in the log any more, the container has started a new log, which is delivered from its start.':
		[
			`${WORLDS}/restart.mts > restart with the same first lines`,
			`${I}/logs-rotation.test.mts > the new log is read from its start`,
		],
	'Equal lines: in a log of equal lines, some may be repeated where the service does not honor the offset.':
		[RELAXED, `${WORLDS}/ignored.mts > offset ignored`],
	'One may be missing where it begins one entry later than requested.': [
		RELAXED,
		`${WORLDS}/exclusive.mts > offset exclusive`,
	],
	'A new log of equal lines looks like the old one.': [
		RELAXED,
		`${WORLDS}/restart.mts > restart with the same first lines`,
	],
	'New lines only: what a service does not keep is lost if it is written while there is no connection.':
		[
			`${WORLDS}/live-only.mts > live only`,
			'unit/worlds-logs.test.mts > what is kept at a connection and what is written during it',
		],
	'A log is over when its deployment has ended and further connections bring nothing new.': [
		SILENT,
		`${I}/logs-gaps.test.mts > what is written before the deployment is asked for its state still comes`,
	],
	'A 404 is no end.': [LOST, `${WORLDS}/gateway.mts > gateway: `],
	'While a log cannot be reached, the trigger keeps trying.': [SILENT],
	'The pauses double from 1 second to 30, with jitter, and are at least as long as `Retry-After` asks, up to an hour.':
		[
			`${I}/logs-pauses.test.mts > double from one second to thirty, with jitter`,
			`${I}/logs-pauses.test.mts > Retry-After as a date`,
		],
	'All logs of a trigger together send at most 10 requests a second.': [
		'worlds/laws/logs.mts > at most 10 requests a second',
		'worlds/logs-crowd.test.mts > 100 containers',
	],
	'One log that cannot be reached does not stop the others.': [
		`${I}/logs-ends.test.mts > one that is not found does not stop the others`,
		`${I}/logs-ends.test.mts > one that the account may not read (403) does not stop the others`,
	],
	"n8n's list of executions shows one failed execution for each outage, even if it affects several logs.":
		[
			`${I}/logs-ends.test.mts > an outage is reported once, and no line is lost`,
			`${I}/logs-pauses.test.mts > is reported once for all logs`,
		],
	'`Authentication failed (401)` | Renew the key or token in the credential': [
		`${I}/logs-activation.test.mts > throws the error of the service`,
	],
	'`Not found (404): …` | Choose a deployment and container that exist': [
		`${I}/logs-activation.test.mts > throws the error of the service`,
	],
	'`The … log of container … cannot be reached: …` | Nothing, if it is an outage. If the container was replaced, choose the new one':
		[
			`${I}/logs-ends.test.mts > an outage is reported once, and no line is lost`,
			`${I}/logs-pauses.test.mts > is reported once for all logs`,
		],
	'`No line was received within 30 seconds` | In the editor: the container writes nothing, or the filters drop all lines':
		[`${I}/logs-deactivation.test.mts > throws where no line comes in time`],
	'`The two credentials of this node must belong to the same service: …` | Enter the same base URL and service segment in both':
		[`${I}/logs-activation.test.mts > another service`],
	'One execution for each batch of errors, with three lines before and after each.': [
		'e2e/pages.test.mts > executes as it is',
	],
	'Choose your deployment and container, or replace `YOUR-DEPLOYMENT` and `YOUR-CONTAINER`, then activate the workflow.':
		['e2e/pages.test.mts > executes as it is'],
};

/** Sentences that no test shows yet, with what one must show. A sentence moves to `promises` with its test. */
export const unproven: Record<string, string> = {
	'There, Where It Left Off shows the newest lines, up to Max Entries.':
		'a manual execution of a log with more lines than Max Entries returns exactly the newest ones, also after an activation that committed',
	'An execution starts after Max Entries lines, Max Bytes or Max Wait, whichever comes first.':
		'a batch each that ends by Max Entries, by Max Bytes (UTF-8, counted in bytes) and by Max Wait',
	'A line that is longer than Max Bytes has an execution of its own.':
		'short, long, short: three executions, nothing lost, the long line whole',
	'Max Executions per Minute | Drops the lines of further executions; the next item counts them in `held_back`':
		'with 2 a minute, the third batch starts nothing, the first item a minute later has held_back with its lines, and a restart does not deliver them',
	'Group Equal Lines | One item for the equal lines of a batch, with `count` and `last_offset`':
		'through the node: equal errors of a batch are one item with both fields, of two batches two',
	'Extract Timestamp | Adds the time of a line as `timestamp`, in UTC; `null` if it has none':
		'through the node: a line with a zone, a line without a time',
	'Remove Colors | Removes color codes from the lines':
		'through the node: line without escapes where it is on, with them where it is off',
	'Connection Events | Also starts an execution when a connection opens or is lost, or a log ends':
		'the items connected, disconnected (with a reason), finished, and stopped with Stop On',
	'Patterns and Level then see the whole entry.':
		'Include on a word in the last line of a joined traceback keeps all of it; Level takes that of the first line',
	'An entry is complete when the next one begins, and at the latest after Max Wait.':
		'a traceback comes as one item when the next line comes, and after Max Wait where none does',
	'It has at most 500 lines and Max Line Length characters.':
		'501 indented lines are two entries; so are lines that are longer together than Max Line Length; none is lost',
	'After a stop or a kill of n8n, some may be repeated:':
		'a kill with an execution in flight: its lines come again, and no others',
	'When Execution Ends | Has ended, failed, timed out or was stopped by a person | Executions longer than 10 s may be repeated | Batches in flight may be repeated':
		'each of the four outcomes commits; a stop with an execution of up to 10 s repeats nothing; a kill repeats the batch in flight',
	'When Execution Succeeds | Has succeeded or was stopped by a person | Executions longer than 10 s may be repeated | Batches in flight may be repeated':
		'success and a stop by a person commit; a failure and a timeout do not',
	'Immediately | Is about to start | Batches in flight may be lost | Batches in flight may be lost':
		'a kill during an execution: its lines do not come again',
	'With When Execution Succeeds, a batch that failed is repeated after 1 second, then after pauses that double up to 5 minutes.':
		'the pauses between the executions of a batch that always fails, ten of them',
	'Meanwhile its own log waits, and the others go on.':
		'two containers and one execution in flight: while a batch of one is repeated, all lines of the other come, and later ones of the first do not',
	'Give Up After skips it after so many failures and leaves a failed execution that names it.':
		'with 3, the fourth execution is of the next batch, and one failed execution has the message and the offset',
	'When n8n stops or the workflow is deactivated, the trigger waits up to 10 seconds for executions in flight.':
		'closeFunction resolves when an execution of 3 s ends, after 10 s when it does not, and after 10 s for two triggers together',
	'After a kill, each log is repeated from its first batch that was not committed.':
		'what comes after a kill begins with the first line of the lowest batch in flight',
	'With Max Executions in Flight above 1, that includes later batches whose executions had ended.':
		'three batches, the first still runs at the kill: all three come again',
	"The offsets are part of the workflow's static data, which n8n saves as a whole.":
		'in a real n8n: static data has node:<name> of the trigger beside what a Code node keeps',
	'A save by the trigger can overwrite what another node wrote there, and the other way round, so let other nodes keep their data elsewhere, for example in a data table.':
		'in a real n8n: a Code node that counts in static data beside the trigger loses counts, and no log line is lost',
	'n8n has no other way to save offsets while no execution starts, so its log shows the warning "Scheduled execution skipped: duplicate deduplication key", which is no error.':
		'in a real n8n: that line is in its log a second after the last execution, and no execution was started',
	'After the next activation or restart, a log that is over is requested again.':
		'a log that was over, activated again and restarted (init): one request each, and lines that it has since come',
	'An error that only a person can resolve, such as a rejected credential, is shown at once, others after the third attempt.':
		'a later 401 leaves a failed execution after one request; a 503 after three and not before',
	'The trigger reads the credentials again for each connection.':
		'a 401, then the credential is corrected without an activation: lines come',
	'If you activate the workflow and such an error affects all of its logs, the activation fails with that error, unless the trigger resumes where it left off.':
		'401 at the first activation throws; at a later one with Where It Left Off, and at a restart, it does not and lines come later; one of two logs that can be read is enough',
	'`A batch of the … log of container … failed … times and is skipped` | Its lines are in the failed executions before it':
		'the message of the failed execution',
};
