import type { Page } from './page.mts';

const I = 'integration';
const WORLDS = 'sandbox/worlds/logs';
const LOST = 'worlds/laws/logs.mts > no line is lost';
const TWICE = 'worlds/laws/logs.mts > no line comes twice';
const SILENT = 'worlds/laws/logs.mts > it is never silent';
/** In a real n8n: stops, kills, and an execution that writes static data of its own. */
const RESTARTS =
	'e2e/logs-trigger-restarts.test.mts > n8n is stopped and killed with executions in flight';
const RELAXED = 'unit/worlds-logs.test.mts > every relaxation names a law';

/** The part of the claims in `logs-trigger.mts` that is about delivery, reconnecting, errors and the example. */
export const guarantees: Page['claims'] = {
	'Lines are delivered at least once, unless you choose Immediately.': [
		LOST,
		`${I}/logs-delivery.test.mts > immediately: no execution is waited for`,
	],
	'After a stop or a kill of n8n, some may be repeated:': [
		`${I}/logs-restart-killed.test.mts > everything from the first batch that was not finished comes again`,
		RESTARTS,
	],
	'When Execution Ends | Has ended, failed, timed out or was stopped by a person | Executions longer than 10 s may be repeated | Batches in flight may be repeated':
		[
			`${I}/logs-delivery.test.mts > every execution counts: one that failed is not repeated`,
			`${I}/logs-executions.test.mts > stopped by a person, the default delivery`,
			`${I}/logs-executions.test.mts > in the timeout of the workflow, the default delivery`,
			`${I}/logs-executions.test.mts > interrupted by a stop of n8n`,
			`${I}/logs-deactivation.test.mts > waits for its end, then for the save`,
			`${I}/logs-restart-killed.test.mts > everything from the first batch that was not finished comes again`,
		],
	'When Execution Succeeds | Has succeeded or was stopped by a person | Executions longer than 10 s may be repeated | Batches in flight may be repeated':
		[
			`${I}/logs-delivery.test.mts > successful executions count: one that failed is repeated`,
			`${I}/logs-executions.test.mts > stopped by a person, delivered when it succeeds`,
			`${I}/logs-executions.test.mts > in the timeout of the workflow, delivered when it succeeds`,
			`${I}/logs-executions.test.mts > crashed with its worker, delivered when it succeeds`,
			RESTARTS,
		],
	'Immediately | Is about to start | Batches in flight may be lost | Batches in flight may be lost':
		[
			`${I}/logs-delivery.test.mts > immediately: no execution is waited for, and nothing comes again`,
		],
	'With When Execution Succeeds, a batch that failed is repeated after 1 second, then after pauses that double up to 5 minutes.':
		[`${I}/logs-executions.test.mts > is repeated with pauses from one second to five minutes`],
	'Meanwhile its own log waits, and the others go on.': [
		`${I}/logs-executions.test.mts > does not stop the log of another container`,
	],
	'Give Up After skips it after so many failures and leaves a failed execution that names it.': [
		`${I}/logs-executions.test.mts > is skipped after as many failures as Give Up After says`,
	],
	'When n8n stops or the workflow is deactivated, the trigger waits up to 10 seconds for executions in flight.':
		[
			`${I}/logs-deactivation.test.mts > waits for its end, then for the save`,
			`${I}/logs-deactivation.test.mts > all triggers of a process wait for executions that hang for 10 s together`,
		],
	'A batch that still waits for Max Wait is read again at the next start, so its lines are gone if the container has started a new log by then.':
		['unit/log-reader.test.mts > delivers nothing that the service has at the next start'],
	'If you activate it again, batches whose executions still run then are repeated.': [
		`${I}/logs-executions.test.mts > hold the log until the workflow is deactivated and activated`,
	],
	'While n8n stops, its task runner stops first, so a Code node in flight fails.': [RESTARTS],
	'With When Execution Ends, the lines of an execution that failed count as delivered.': [
		`${I}/logs-delivery.test.mts > every execution counts: one that failed is not repeated`,
	],
	'After a kill, each log is repeated from its first batch that was not committed.': [
		`${I}/logs-restart-killed.test.mts > everything from the first batch that was not finished comes again`,
	],
	'With Max Executions in Flight above 1, that includes later batches whose executions had ended.':
		[
			`${I}/logs-restart-killed.test.mts > everything from the first batch that was not finished comes again`,
		],
	'If no execution was in flight for two seconds before the kill, nothing is repeated.': [
		'nightly/logs-kill/main.mts > kills two seconds after the last execution: no line came twice',
		'worlds/logs-killed.test.mts > killed when idle',
		TWICE,
	],
	"The offsets are part of the workflow's static data, which n8n saves as a whole.": [RESTARTS],
	'A save by the trigger can overwrite what another node wrote there, and the other way round, so let other nodes keep their data elsewhere, for example in a data table, and give a Compute Trigger a workflow of its own.':
		[RESTARTS],
	"Several logs triggers of a workflow keep each other's offsets.": [
		`${I}/logs-siblings.test.mts > beside a trigger of the same workflow that was published later`,
	],
	'If an execution that writes static data ends just before a kill, older batches may be repeated.':
		[RESTARTS],
	'If the static data of the node is damaged, the trigger starts over.': [
		`${I}/logs-gaps.test.mts > with offsets below zero`,
	],
	'If it is no object, n8n cannot save in it: the offsets stay in memory, and the log of n8n has a warning.':
		[`${I}/logs-gaps.test.mts > that is %s does not stop an activation, and the log is followed`],
	'A web page in place of a log is an outage as well, whatever its content type, and so is an answer that is a single JSON document where the content type is JSON or the event type is `error`: a log never is one.':
		[
			`${I}/logs-answers.test.mts > that is a web page is an outage, and no line`,
			'review/logs5/gateways.test.mts > activation: the first answer is a 200 with an error envelope',
			'unit/log-document.test.mts > an answer that is one document',
		],
	'JSON lines of a container are lines.': [
		'unit/log-document.test.mts > of JSON lines comes with the second one',
	],
	'While no execution starts, the trigger saves its offsets by asking n8n for an execution that n8n skips as a duplicate.':
		[`${I}/logs-restart.test.mts > killed when nothing was in flight for a second`],
	'If the log of n8n mentions a skipped execution, that is no error.': [
		`${I}/logs-restart.test.mts > killed when nothing was in flight for a second`,
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
	'Equal lines: in a log of equal lines, only their number tells which are new.': [
		`${WORLDS}/ignored.mts > offset ignored`,
		`${WORLDS}/ignored-polling.mts > offset ignored, stream ends after each answer`,
		`${I}/logs-equal.test.mts > at a service that honours it each line comes once`,
	],
	'So the trigger requests an offset far beyond the end a few times, to see whether the service honors it.':
		[`${I}/logs-equal.test.mts > at a service that ignores the offset each line comes once`],
	'Where the service sends only its last lines, equal lines may be repeated or missing.': [
		RELAXED,
		`${I}/logs-equal.test.mts > at a service that sends its last 50 lines they do not come without end`,
	],
	'One may be missing where it begins one entry later than requested.': [
		RELAXED,
		`${WORLDS}/exclusive.mts > offset exclusive`,
	],
	'A new log of equal lines looks like the old one.': [
		RELAXED,
		`${WORLDS}/restart.mts > restart with the same first lines`,
	],
	'Lines that are equal to the last ones and come just as a connection opens count as those of before.':
		[`${I}/logs-equal.test.mts > each line comes once: %d lines, %d times between two connections`],
	'When the trigger stops, it delivers what it has received of such a log.': [
		`${I}/logs-stops.test.mts > what it has sent is delivered`,
		`${I}/logs-stops.test.mts > with an execution that hangs: it waits no longer than 10 s`,
	],
	'It does so as well while it looks for the lines that it knows, and then those lines may be repeated.':
		[
			`${I}/logs-stops.test.mts > what it has sent is delivered`,
			`${I}/logs-stops.test.mts > what waits for its batch comes at the next start, once`,
			`${I}/logs-stops.test.mts > that was empty at first: it comes twice at worst`,
		],
	'What a first connection has brought and a batch still waits for is lost at such a service.': [
		`${I}/logs-stops.test.mts > stopped during its first connection: what waits for its batch is lost`,
	],
	'After a kill, what was not delivered is lost.': [
		`${I}/logs-stops.test.mts > killed: what waits for its batch is lost`,
	],
	'Slow services: lines that are known and come a second or more after a connection opens may be new ones.':
		[`${I}/logs-equal.test.mts > each line comes once: %d lines, %d times between two connections`],
	'So the one line of a new log is delivered again on each connection, until other lines come behind it.':
		['review/logs2/places.test.mts > a log of one line grows: '],
	'Lines of the connection: if the service begins each connection with lines of its own, such as its time, they may be delivered, and no other line is repeated but those of a new log.':
		[
			`${I}/logs-answers.test.mts > repeats no line of the log: %d of them`,
			`${I}/logs-lives.test.mts > no line of a life that begins with %d lines is lost`,
		],
	'Event IDs: if the service takes the offset 0 for the ID of an event, its first line still comes.':
		[`${I}/logs-answers.test.mts > the first line is not lost, nor repeated`],
	'New lines only: what a service does not keep is lost if it is written while there is no connection.':
		[
			`${WORLDS}/live-only.mts > live only`,
			'unit/worlds-logs.test.mts > what is kept at a connection and what is written during it',
		],
	'A log is over when its deployment has ended and further connections bring nothing new, or six in a row are refused.':
		[
			SILENT,
			`${I}/logs-ends.test.mts > is over when it was refused six times in a row`,
			`${I}/logs-gaps.test.mts > what is written before the deployment is asked for its state still comes`,
		],
	'A 404 alone is no end.': [LOST, `${WORLDS}/gateway.mts > gateway: `],
	'When n8n restarts, a log that is over is requested again.': [
		`${I}/logs-ends.test.mts > what is finished is requested again when n8n restarts`,
	],
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
	'An error that only a person can resolve, such as a rejected credential, is shown at once, others after the third attempt.':
		[
			`${I}/logs-ends.test.mts > that only a person can end is reported at once`,
			`${I}/logs-ends.test.mts > that may end by itself is reported after the third attempt`,
		],
	'The trigger reads the credentials again for each connection.': [
		`${I}/logs-gaps.test.mts > a token that is corrected is used without another activation`,
	],
	'If you activate the workflow and such an error affects all of its logs, the activation fails with that error, unless the trigger resumes where it left off.':
		[
			`${I}/logs-activation.test.mts > throws the error of the service`,
			`${I}/logs-ends.test.mts > while a credential is refused`,
			`${I}/logs-ends.test.mts > one that is not found does not stop the others`,
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
	'`A batch of the … log of container … failed … times and is skipped` | Its lines are in the failed executions before it':
		[`${I}/logs-executions.test.mts > is skipped after as many failures as Give Up After says`],
	'Nothing comes after a queued execution was stopped or deleted | Deactivate the workflow and activate it: n8n does not tell of such an end':
		[
			`${I}/logs-executions.test.mts > hold the log until the workflow is deactivated and activated`,
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
