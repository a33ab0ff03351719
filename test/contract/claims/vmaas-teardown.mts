import type { Page } from './page.mts';

const I = 'integration';
const LAW = 'worlds/laws/compute.mts';
const EXAMPLES = 'integration/examples.test.mts';

/** The part of the claims in `vmaas.mts` that is about SSH, the end of deployments, and spending. */
export const vmaasTeardown: Page['claims'] = {
	'Run Command, Upload File and Download File of VM use SSH, with the private key of the credential Compute SSH API.':
		[
			`${I}/ssh-commands.test.mts > returns the output, the exit code and where it ran`,
			`${I}/ssh-files.test.mts > 5 MiB up and down`,
		],
	'Leave the user name empty to log in as the user that the service shows.': [
		`${I}/ssh-errors.test.mts > a user of its own`,
	],
	"n8n's test of the credential reads the key; it asks no VM.": [
		`${I}/ssh-errors.test.mts > is told, and not shown`,
	],
	'The node derives the public key and adds it as `n8n-ssh-credential`; SSH Keys may be empty.': [
		`${I}/ssh-errors.test.mts > it logs in, without a key in the form`,
		`${I}/ssh-errors.test.mts > beside those of the form, and once`,
	],
	'Wait For with Running and Reachable by SSH, then Run Command.': [
		`${EXAMPLES} > deploys the cheapest, waits for SSH, runs a command, destroys it`,
	],
	"Keys: RSA, ECDSA and Ed25519, in OpenSSH's own format, PEM or PKCS #8, with or without a passphrase.":
		[
			'sshd/keys.test.mts > logs in, and its public key is the one of ssh-keygen',
			'sshd/keys.test.mts > Ed25519 in PKCS #8',
		],
	'Line ends may be `\\n`, of Windows, or lost.': [
		`${I}/ssh-errors.test.mts > with \\n in place of line ends`,
		`${I}/ssh-errors.test.mts > with Windows line ends`,
		`${I}/ssh-errors.test.mts > in one line`,
	],
	"The server is not verified: n8n's SSH client checks no host key, so whoever can redirect your connection to the VM can answer in its place.":
		['sshd/sshd.test.mts > runs a command with folder, environment and input'],
	'Your private key never leaves n8n, but commands, files and output would be theirs.': [
		'sshd/sshd.test.mts > neither key nor passphrase are in its log or in that of n8n',
	],
	'Which VM: leave VM empty if the deployment has only one.': [
		`${I}/ssh-commands.test.mts > returns the output, the exit code and where it ran`,
	],
	'With several, the error names them.': [
		`${I}/ssh-commands.test.mts > several: the error names them, and one can be chosen`,
	],
	'Working Directory, Environment: set by the shell of the user before the command, in quotes; it must be a POSIX shell such as `sh` or `bash`.':
		[
			`${I}/ssh-commands.test.mts > passes folder, environment and input as they are`,
			'unit/ssh-access.test.mts > quotes what a shell would read',
		],
	'Processes on the VM can see the values.': [
		'sshd/sshd.test.mts > runs a command with folder, environment and input',
	],
	'Output: `stdout`, `stderr`, `exit_code`, `signal`, `seconds`, the size of both in bytes, and where it ran.':
		[
			`${I}/ssh-commands.test.mts > returns the output, the exit code and where it ran`,
			'contract/output-schemas.test.mts > lists each field that it puts out',
		],
	'Of long output the end is kept, up to Max Output Bytes; `stdout_truncated` and `stderr_truncated` say if something is missing.':
		[
			`${I}/ssh-commands.test.mts > keeps the tail of a long output, with whole characters`,
			`${I}/ssh-commands.test.mts > 100 MB of output fit into what is kept`,
		],
	'What a command leaves in the background does not hold the node: five seconds after the last output of a command that has ended, and after a minute at the latest, it goes on.':
		[
			`${I}/ssh-commands.test.mts > ends although something in the background holds its output`,
			'sshd/sshd.test.mts > what is left in the background does not hold the node',
			'review/jobs/commands.test.mts > that leaves something that writes without end: its end is told, soon',
		],
	'Failures: another exit code than 0 is an error with the end of `stderr`, or an item, see On Non-Zero Exit.':
		[
			`${I}/ssh-commands.test.mts > a non-zero exit is an error with the exit code and the tail of stderr`,
			`${I}/ssh-commands.test.mts > a non-zero exit or a signal is an output where the form says so`,
		],
	'After Timeout, a lost connection or a cancelled execution the outcome is unknown: the node closes the channel of the command, and the command may go on running on the VM.':
		[
			`${I}/ssh-commands.test.mts > timeout: the outcome is unknown`,
			`${I}/ssh-commands.test.mts > the connection is lost midway: the outcome is unknown`,
		],
	'Sent once: Retry On Fail does not run a command again that was sent, whatever became of it.': [
		`${I}/ssh-commands.test.mts > Retry On Fail does not repeat a command that failed`,
		`${I}/ssh-commands.test.mts > Retry On Fail does not repeat a command whose outcome is unknown`,
	],
	'It does where the login failed.': [
		`${I}/ssh-commands.test.mts > Retry On Fail runs it once the VM answers`,
	],
	'Files have 100 MiB at most.': [
		'unit/files.test.mts > The file a.txt must have at most 100 MiB',
		`${I}/job-files.test.mts > one above 100 MiB`,
	],
	'Paths begin in the home folder; `~/` may be in front.': [
		`${I}/ssh-files.test.mts > 5 MiB up and down have the same checksum`,
	],
	'Upload File writes another name and renames it once the server shows all bytes, so a half file is never at the path; `sha256` is that of the bytes that were sent.':
		[
			`${I}/ssh-files.test.mts > cut midway: nothing is at the path, and the error says so`,
			`${I}/ssh-files.test.mts > 5 MiB up and down have the same checksum`,
		],
	'File Mode sets permissions, Create Folders creates the folders of the path.': [
		`${I}/ssh-files.test.mts > replaces a file, with the mode that was chosen`,
		`${I}/ssh-files.test.mts > 5 MiB up and down have the same checksum`,
	],
	'A download is in memory until n8n has stored it; its `sha256` is that of what came.': [
		`${I}/ssh-files.test.mts > 5 MiB up and down have the same checksum`,
	],
	'AI agents: Run Command and Upload File are refused unless a person adds Allow AI Agents and turns it on.':
		[
			`${I}/ssh-commands.test.mts > must not run commands`,
			`${I}/ssh-commands.test.mts > may where a person has allowed it`,
		],
	'An expression cannot.': [`${I}/ssh-commands.test.mts > not where an expression allows it`],
	'Verify, on unless you turn it off, waits until the details or the list show the end.': [
		`${I}/destroy.test.mts > Verify, which is on by default: polls until it has ended`,
		`${I}/destroy-gone.test.mts > details that are unknown: the list tells`,
	],
	'Without it, the node looks once.': [
		`${I}/destroy-answers.test.mts > Verify off: says what one look shows`,
	],
	'If the service refuses the request (409, 422), fails (5xx) or cuts the connection, the node looks and asks again until Verify Timeout is over, also with Verify off; asking again does no harm.':
		[
			'review/money3/destroy.test.mts > %s for 70 seconds, and ends the bill',
			'review/money3/destroy.test.mts > %s with Verify off, until the service takes it',
			'contract/extend-destroy.test.mts > [destroy.idempotent]',
		],
	'Only then the refusal is an error.': [
		'review/money3/destroy.test.mts > %s is told after Verify Timeout',
	],
	'Denied access (401, 403) and a rate limit that opens later are errors at once.': [
		'review/money3/destroy.test.mts > %i is told at once',
		'review/money3/destroy.test.mts > a limit that opens after Verify Timeout is told at once, with its end',
	],
	'A service may show nothing of a deployment that has ended.': [
		`${I}/destroy-gone.test.mts > a service that forgets what has ended: gone after a minute`,
	],
	'If it took the request and shows others, one that is older than two minutes counts as destroyed if a look 20 seconds later does not find it either.':
		[
			`${I}/destroy-gone.test.mts > a service that forgets what has ended, and shows others: gone at a second look`,
			'review/money4/hidden.test.mts > is hidden for %i seconds and runs on is not called ended',
		],
	'Otherwise the node looks for a minute, even if Verify Timeout is shorter, since a service may show nothing for some seconds.':
		[
			`${I}/destroy-gone.test.mts > a service that forgets what has ended: gone after a minute`,
			`${I}/destroy-gone.test.mts > not so soon if it is too young to be in every copy of the list`,
		],
	'One that it did not take is not called destroyed within its first two minutes.': [
		'review/money5/copies.test.mts > also to a DELETE: no end is made up (by %s)',
	],
	'Of several IDs, names or items, all are asked to end first.': [
		'review/money4/many.test.mts > of a list in one item',
		'review/money4/many.test.mts > of an item each',
		'review/money4/many.test.mts > of names',
	],
	'Then the node waits for their ends, 5 side by side, so that one that the service refuses does not keep the others running.':
		[
			'review/money4/many.test.mts > and the second is busy for half a minute: it is told again soon',
		],
	'The node looks for two minutes for an ID or a name that the service has never shown, since it may be new.':
		[
			`${I}/destroy-gone.test.mts > an ID that was never seen is looked for for two minutes, then an error`,
		],
	'Then If Not Found decides: an error, which names a deployment that you may have meant, or an item with `deleted: null` and `reason: "not found"`.':
		[
			`${I}/destroy-gone.test.mts > the name of a deployment in place of its ID: the error names its ID`,
			`${I}/destroy-gone.test.mts > If Not Found = Return an Item`,
			`${I}/destroy-names.test.mts > none: it is looked for, then the error names similar ones`,
		],
	'`deleted: null` with `accepted: true` means that the service took the request, but its end was not seen: with Verify off, or where a service has neither details nor a list.':
		[
			`${I}/destroy-gone.test.mts > without Verify, what no longer shows is accepted and not deleted`,
			`${I}/destroy-answers.test.mts > the bare contract (%d to details and list): accepted, not deleted`,
		],
	'By name, a deployment of this name that has ended counts as destroyed (`already_gone: true`) after two minutes: a younger one may not be listed yet.':
		[`${I}/destroy-names.test.mts > a second teardown is a success that names what has ended`],
	'There is no wait if this execution has deployed and destroyed it.': [
		`${I}/destroy-answers.test.mts > the bare contract: a second teardown in an execution is no error`,
	],
	'By name, an execution that has deployed this name, or tried to, only takes its own: one that was there before, is another size or showed after a refusal is an error.':
		[
			`${I}/untrue-answers.test.mts > one that was there before is left alone`,
			`${I}/untrue-answers.test.mts > one of another size, after a deploy that was lost, is left alone`,
			`${I}/untrue-answers.test.mts > one of the same size that shows after a no is left alone`,
		],
	'So is each where it has tried in vain.': [
		'review/money9/schedules.test.mts > does not destroy what another one deploys %s',
	],
	'A retry by n8n destroys what the first try meant, though a newer one may have the name by then.':
		[
			'unit/destroy-each.test.mts > by the names %j is the one that the first try meant, though a newer one has its name',
		],
	"If one of several IDs fails and the node continues on error, the failed items come first, so that n8n's Retry On Fail sees them.":
		[
			`${I}/destroy.test.mts > several IDs with On Error = Continue: Retry On Fail tries what failed again`,
		],
	'It destroys all of them again, which does no harm.': [
		'contract/extend-destroy.test.mts > [destroy.idempotent]',
	],
	'What the execution has bought under such a name counts whatever the list shows.': [
		'review/money5/slowlists.test.mts > is destroyed by Destroy Many of the same execution, or it says that it was not',
		'review/money5/own.test.mts > lists it in a dry run, with what its details show',
	],
	'Destroy Many only lists until you turn Dry Run off.': [
		`${I}/destroy-many.test.mts > a dry run, the default, destroys nothing`,
	],
	'Names are compared as the list shows them; case and whitespace are significant.': [
		`${I}/destroy-many.test.mts > whitespace in the prefix is significant`,
		`${I}/destroy-many.test.mts > names that differ in case alone are told`,
	],
	'Match is a prefix or the exact name.': [
		`${I}/destroy-many.test.mts > Match = Exact: that name and no longer one`,
		`${I}/destroy-many.test.mts > destroys by prefix`,
	],
	'What Limit leaves over is a last item with `deleted: false`, `reason: "limit"`, `left_over` and `deployment_ids`.':
		[`${I}/destroy-many.test.mts > a hint with the number above the limit`],
	'If no name matches, but one does in another case or cut off, the only item has `reason: "similar name"`.':
		[`${I}/destroy-many.test.mts > names that differ in case alone are told`],
	'An AI agent can call Destroy Many for a dry run alone, and Destroy for one deployment, unless a person adds Allow AI Agents and turns it on.':
		[
			`${I}/destroy-many.test.mts > is refused, but for a dry run`,
			'review/money5/agents.test.mts > destroys several by %s where a person allows it',
		],
	'Nor can an expression allow it.': [
		`${I}/destroy-many.test.mts > is done where a person allows it, and not the model`,
	],
	'Older Than takes the time at which a deployment was created (ISO 8601, without a zone in UTC, or seconds or milliseconds since 1970), then that of its start, and returns `age_hours`.':
		[
			`${I}/deployment-filters.test.mts > the age is read from`,
			`${I}/deployment-filters.test.mts > a time without a zone is UTC`,
		],
	'Minutes served are used only where there is no such time, divided by the GPUs, and to check that a time without a zone is UTC: where they differ, the age counts as unknown up to 14 hours.':
		[
			'review/money/clocks.test.mts > at %i hours destroy no young machine',
			`${I}/deployment-filters.test.mts > the date counts, and not minutes that are summed over GPUs`,
		],
	'A deployment whose age cannot be read comes with `age_hours: null` and `deployment_id: null`, so that a Destroy that follows cannot take it for an old one; its `id` is as the service sent it.':
		[
			`${I}/deployment-filters.test.mts > is seen, but not taken for an old one`,
			`${EXAMPLES} > tells of a deployment whose age cannot be read`,
		],
	'Lists are complete, or the operation ends with an error: a list whose entries move while it is read is read again.':
		[
			`${LAW} > lists are complete`,
			`${I}/pages-complete.test.mts > is an error where it stays incomplete`,
		],
	'Adds up what deployments have cost, from the amounts in their details: `paid` (after refunds), `remaining_value` (of the paid hours that are left) and `cost_per_hour` (of those that run), in all, by day of creation or by deployment, filtered by name prefix and time of creation.':
		[
			`${I}/spending.test.mts > equals the books: paid after refunds`,
			`${I}/spending.test.mts > by day and by deployment; a period counts what was created in it`,
		],
	'The amounts are those that the service shows, which names no currency for them.': [
		`${I}/spending.test.mts > equals the books: paid after refunds`,
	],
	'Only deployments that the list shows are counted: some services leave out those that have ended.':
		['review/money/rounds.test.mts > is not in the spending either, and this is said'],
	'An extension counts on the day of creation, since its own day is not shown.': [
		`${I}/spending.test.mts > by day and by deployment`,
	],
	'Each deployment is a request for its details, 5 at once, unless the list shows its amount; Max Deployments (500) limits them.':
		[`${I}/spending.test.mts > asks for no details where the list shows amounts`],
	'What is not known is never taken for 0: `unread`, `unknown_paid`, `unknown_cost_per_hour` and `undated` count it, and `is_complete` is then false.':
		[
			`${I}/spending.test.mts > what cannot be read is counted and said, and never 0 in silence`,
			'worlds/compute-spending.test.mts > the sum is that of the books',
		],
	'The cost of an hour is what was paid, divided by the hours that were paid for.': [
		'unit/running-cost.test.mts > what a deployment costs an hour',
	],
	'Some services count minutes for each GPU or VM.': [
		'unit/running-cost.test.mts > 8 GPUs, minutes of all of them',
	],
	'With several GPUs or VMs, it takes some minutes until that shows, and up to about an hour if the service shows no start time; until then the cost of an hour is unknown.':
		[
			'unit/running-cost.test.mts > is not a fraction of it where %s',
			'unit/running-cost.test.mts > minutes that are late look like those of fewer',
			'unit/running-cost.test.mts > it has only just begun',
		],
	'It is also unknown if the service shows no minutes.': [
		'unit/running-cost.test.mts > is not a fraction of it where %s',
		`${I}/spending.test.mts > what cannot be read is counted and said`,
	],
	'By day, deployments without a known date are in the group `day: null`, and each day counts them as `undated`.':
		[`${I}/running-cost.test.mts > no day is complete while something may be of any day`],
	'A limit in Safety of Deploy and Deploy Cheapest, and of Deploy in Compute CaaS.': [
		`${I}/spending.test.mts > holds for Deploy Cheapest and for containers`,
	],
	'It is the highest cost per hour, in usdc, of everything that runs in the account together with this deployment: VMs and containers, whoever has deployed them.':
		[`${I}/spending.test.mts > counts what runs, VMs and containers, and the purchase itself`],
	'It is checked right before the request is sent.': [
		`${I}/running-cost.test.mts > counts what was bought after the list was asked for`,
	],
	'If something runs whose price is unknown, or a list of VMs or containers cannot be read, nothing is deployed.':
		[
			`${I}/spending.test.mts > nothing is bought, and the error says why`,
			`${I}/spending.test.mts > the list of containers cannot be read`,
		],
	'The error says what.': [`${I}/spending.test.mts > nothing is bought, and the error says why`],
	'What this process of n8n has just bought counts at once: of two deployments at the same time, the second one sees the first.':
		[`${I}/spending.test.mts > of two at once, one is bought, though the list is behind`],
};
