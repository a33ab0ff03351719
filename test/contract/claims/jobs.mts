import type { Page } from './page.mts';

const RUN = 'integration/job-run.test.mts';
const FAILURES = 'integration/job-failures.test.mts';
const COLLECT = 'integration/job-collect.test.mts';
const FILES = 'integration/job-files.test.mts';
const KILLED = 'sshd/job-processes.test.mts';
const ALONE = 'integration/job-independent.test.mts';
const NAMES = 'unit/job-name.test.mts > deployments of a job';
const SCRIPTS = 'unit/job-scripts.test.mts';
const LAW = 'worlds/laws/compute.mts';
const ENDS = `${RUN} > brings output and files back, and its VM is destroyed`;
const STOPPED = `${FAILURES} > the VM is destroyed, and the log says so`;
const LEFT = `${KILLED} > the next execution ends what it left`;
const START = `${COLLECT} > returns a handle, and the VM goes on`;
const FINISHED = `${COLLECT} > of a job that has finished brings its files and destroys its VM`;
const CUT = `${FAILURES} > in mid-run: the output is complete, and the command ran once`;
const LOST = `${FAILURES} > for good: the error says so, and the VM is destroyed`;
const LONG = ['e2e/expectations.mts > long-job', 'unit/examples.test.mts > waits long enough'];
const AGENT = `${RUN} > an AI agent needs the permission of a person`;

const claims: Page['claims'] = {
	'A job is a command that runs on a VM of its own: the VM is rented for it and destroyed after it.':
		[ENDS],
	'Run | Rents the cheapest VM, runs the command, brings files back, destroys the VM. One node, for jobs shorter than an n8n execution':
		[ENDS, `${RUN} > computes a model and brings it back`],
	'Start | Rents the VM, starts the command and returns. The VM runs on': [START],
	"Collect | Looks at a job of Start. Once it has finished: brings output and files back and destroys the VM. Repeat it with n8n's Wait node":
		[FINISHED, `${COLLECT} > of a job that runs returns what it has said`, ...LONG],
	'Credentials: Compute Marketplace API and Compute SSH API.': [
		'integration/ssh-errors.test.mts > without the credential nothing is deployed',
	],
	'The public key of the SSH credential is put on the VM.': [
		'integration/ssh-errors.test.mts > it logs in, without a key in the form',
	],
	'n8n does not verify host keys.': [
		'sshd/sshd.test.mts > runs a command with folder, environment and input',
	],
	'It looks for what earlier runs of the same job have left, and ends it (see below).': [LEFT],
	'It rents the cheapest offer that passes the filters, as Deploy Cheapest does.': [
		'worlds/scenarios/jobs.mts > run a job',
		`${LAW} > what was ordered is bought`,
	],
	'A price limit is required: without Maximum Price or Maximum Hourly Price nothing is sent.': [
		`${RUN} > no price limit`,
	],
	'It waits until the VM runs a command over SSH (Wait Timeout, 15 minutes by default).': [
		`${FAILURES} > of the wait for SSH`,
		'contract/frozen/interface.test.mts > nodes: nothing is removed or changed',
	],
	'It writes the files of Input Files into an empty folder and starts the command there, detached: if the connection is cut, the command runs on, and the node connects again.':
		[ENDS, CUT],
	'The command is never started twice.': [
		CUT,
		`${SCRIPTS} > does not run where another process has its number`,
	],
	'It follows the output by its byte offset, so that nothing is lost or comes twice.': [CUT],
	'It downloads the files that match Result Files and returns them as `file_0`, `file_1` and so on.':
		[ENDS, `${SCRIPTS} > tells for each pattern what matches`],
	'It destroys the deployment and waits until its end is seen.': [ENDS],
	'It does so in every case: success, exit code, timeout, lost connection, failed upload or download, and when the execution is stopped.':
		[
			ENDS,
			`${RUN} > with an exit code: an error with its output, and its VM is destroyed`,
			`${FAILURES} > of the command`,
			LOST,
			STOPPED,
			`${FILES} > an error, and its VM is destroyed`,
		],
	'The output has `exit_code`, the end of `stdout` and `stderr`, `files`, `missing_files`, `seconds` of the command, `hours` from the purchase to the end, `total_price`, `amount_paid` as the service shows it, `deployment_id`, `resource_private_name`, `destroyed` and `verified`.':
		[ENDS, 'contract/output-schemas.test.mts > lists each field that it puts out'],
	'`verified` is `true` where the list of deployments shows that nothing else that can be of the job bills; otherwise the `hint`, or the error, says what may bill.':
		[
			'unit/job-end-unnamed.test.mts > is told beside what is new in a list that changes names',
			'review/money9/jobs.test.mts > are ended, or told, by a Run that %s',
		],
	'A list may be two minutes behind: a job that is over sooner ends its VM at once, and looks at the list until two minutes after the deploy.':
		['review/money10/late.test.mts > a Run that %s ends it, or does not call the job verified'],
	'A service without a list, or one that changes names, cannot always show it.': [
		'unit/job-end-unnamed.test.mts > shows nothing of another one',
	],
	'The command may be one line, a script for `sh`, or a script whose first line names its interpreter:':
		[`${RUN} > runs what the first line of the command names`, ENDS],
	'Variables of Environment are set as they are: `PATH` with `$PATH` in it is not expanded.': [
		ENDS,
		`${SCRIPTS} > has an exit code where its environment has another PATH`,
	],
	'You pay for the hours in Duration at most: a job extends nothing.': [
		`${LAW} > no bill above a limit`,
		`${FAILURES} > since the paid time is over: the error says so`,
	],
	'The first hour is never refunded.': ['contract/extend-destroy.test.mts > [first_hour.never]'],
	'After that, the rest is refunded when the VM is destroyed.': [
		'contract/extend-destroy.test.mts > [first_hour.after]',
	],
	'While the node waits for SSH or transfers files, the VM bills.': [
		'contract/extend-destroy.test.mts > [first_hour.after]',
	],
	'A retry of n8n (Retry On Fail) after a failure that has destroyed its VM rents another one, and pays its first hour.':
		[`${FAILURES} > runs again after a failure that has destroyed its VM`],
	'Exit code other than 0 | Destroys the VM, then an error with the end of the output. On Non-Zero Exit returns an item with the files instead':
		[
			`${RUN} > with an exit code: an error with its output, and its VM is destroyed`,
			`${RUN} > with an exit code and On Non-Zero Exit: an item with its files`,
		],
	'The command takes too long | Command Timeout, by default the paid time: destroys the VM, then an error with the output so far':
		[`${FAILURES} > of the command`, `${FAILURES} > since the paid time is over`],
	'The VM does not answer for 30 minutes, or a transfer breaks off for as long | Destroys it, then an error':
		[LOST],
	"The execution is stopped, or times out | The clean-up goes on without the execution, with a time of its own. n8n shows no output then: name, ID and end are in n8n's log":
		[STOPPED],
	'The answer to the deploy is lost | Looks for the deployment by its name, which no other has, and goes on with it or ends it':
		[
			`${FAILURES} > after a lost answer to the deploy, there is one VM`,
			'worlds/scenarios/jobs.mts > run a job, lost answers',
		],
	'The deploy is refused | Looks for its name for two minutes, since a no may follow a deploy that was made, and ends what shows. The error names what is new under other names':
		[
			'unit/job-machine.test.mts > was refused and shows later: it is ended',
			'review/money10/late.test.mts > is ended or told where names show %s',
		],
	'The end of the VM cannot be seen | Tries for 15 minutes. Then the error, or the `hint` of the item, names the deployment: it may still bill. `destroyed` is `null` and `verified` is `false`. The next run ends it first':
		[
			`${FAILURES} > after a job that ended: the item says so`,
			`${FAILURES} > after an error: its message says so, and a retry buys nothing else`,
		],
	'n8n is killed, or stops before the job ends | The command goes on until the paid hours end, or until the next execution of the same job ends it':
		[LEFT],
	'A file cannot be uploaded or downloaded | Destroys the VM, then an error. Files that do not exist are no error: `missing_files` names them':
		[`${FILES} > an error, and its VM is destroyed`, ENDS],
	'The names of the deployments of a job begin with its Job Key and end with ten characters that only a job writes: `train-run-0123456711`.':
		[ENDS, NAMES],
	'One that another execution of this n8n process works on is left alone.': [
		`${RUN} > of one key leave each other alone`,
	],
	'A living run writes a heartbeat on its VM every 20 seconds.': [
		`${SCRIPTS} > overwrites its heartbeat`,
		`${KILLED} > its run is left alone, and ends by itself`,
	],
	'If it changes within 90 seconds, another n8n process works on it: it is left alone.': [
		`${KILLED} > its run is left alone, and ends by itself`,
	],
	'If it does not change, or the VM does not answer for 30 minutes (or Wait Timeout, if that is longer), it is ended, and `ended_leftovers` in the output names it.':
		[LEFT],
	'If the VM rejects the SSH key, the service does not show it, or the service has cut its name, it is left alone.':
		[
			`${KILLED} > with another SSH key: what it left is left alone`,
			`${ALONE} > a run whose VM the service does not show is left alone, and told`,
			'unit/job-name.test.mts > its own, cut within the digits',
		],
	'`left_alone` in the output names it, with the reason.': [
		`${ALONE} > a run whose VM the service does not show is left alone, and told`,
	],
	'What Start has begun has another name (`train-start-…`), and Run never ends it.': [
		`${KILLED} > Run never ends what Start has begun`,
	],
	"Use Start, n8n's Wait node (65 seconds or more) and Collect instead: the example `long-job` loops until `state` is no longer `running`.":
		LONG,
	'`state: finished`: the output and files are in the item, and the VM is destroyed (When Finished).':
		[FINISHED, `${COLLECT} > may keep the VM of a job that has finished`],
	'`verified` is `false` with a `hint` where the service does not show the name of the job whole and lists others that have not ended: whether its deploy has made another one cannot be told then.':
		[
			'unit/job-collect.test.mts > ends alone where the service shows %s for its name, and says that a copy may be there',
		],
	'`state: running`: If Still Running returns the output so far, or destroys the VM.': [
		`${COLLECT} > of a job that runs returns what it has said, and ends nothing`,
		`${COLLECT} > may end a job that runs`,
	],
	'`state: lost`: the deployment has ended before the job, or its process was ended from outside.':
		[`${COLLECT} > of a VM that is gone says that the job is lost`],
	'Its output is gone, or as far as the VM still has it.': [
		`${COLLECT} > of a VM that is gone says that the job is lost`,
	],
	'Unless When Finished keeps it, Collect also ends what else has the name of the job.': [
		'unit/job-collect-lost.test.mts > has ended by itself: what else has the name of the job ends',
	],
	'A deployment that has ended must have had that name, too: one of another job is an error, and beside one without it, the `hint` names what may bill.':
		[
			'unit/job-collect-lost.test.mts > is that of another job: nothing is ended',
			'unit/job-collect-lost.test.mts > with the name %s does not tell whether the other one is its copy: that is told, and not ended',
		],
	'Nobody ends the VM of a Start that is never collected: it bills until its paid hours end.': [
		START,
		`${KILLED} > Run never ends what Start has begun`,
	],
	'An AI agent may use Run and Start only if a person has turned on Allow AI Agents and has set a fixed price limit.':
		[AGENT, `${RUN} > no price limit`],
	'One VM for each job.': [ENDS],
	'Result files up to 100 MiB each, 100 of them.': [
		`${FILES} > more than 100`,
		`${FILES} > one above 100 MiB`,
	],
	'The VM needs a POSIX shell with `od`, `tail`, `head` and `wc`, and SFTP for files.': [
		`${SCRIPTS} > is not started where a program is missing that its output needs`,
	],
	'One command on the cheapest VM with 24 GB of GPU memory, at most $2 per hour.': [
		'e2e/pages.test.mts > executes as it is',
	],
	'Its file comes back as `file_0`.': [ENDS],
};

const instructions = [
	'The resource Job of Compute VMaaS has three operations:',
	'n8n must be able to reach the SSH port of the VM.',
	'Leave Retry On Fail off if a failed command would fail again.',
	'The next Run with the same key looks at those that have not ended:',
	'Keys of different jobs must differ; without a key, each node of each workflow has its own.',
	"An execution of n8n that runs a command for hours holds a worker, and may be ended by n8n's execution timeout.",
	'What the command does is then up to the model.',
	'All n8n processes that share a job key must be able to reach the VMs over SSH, and use the same key.',
	'Give two nodes with the same job key the same Wait Timeout: the one with the shorter one would give up a VM that the other still waits for.',
	'More: train-on-a-gpu, long-job.',
];

export const jobs: Page = { file: 'docs/jobs.md', claims, instructions };
