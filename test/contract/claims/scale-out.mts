import type { Page } from './page.mts';

const CHECKS = 'nightly/queue/checks.mts';
const MAIN = 'nightly/queue/main.mts > no execution is lost and nothing is bought twice';
const FAILED = `${CHECKS} > n8n told of each of the … that did not succeed`;
const REPEATED = `${CHECKS} > asked for again, all … have succeeded`;
const ONCE = `${CHECKS} > none was bought twice`;
const LINES = `${CHECKS} > log lines were written, none was lost`;
const TWICE = `${CHECKS} > at most the batch in flight came twice`;
const CHATS = 'nightly/queue/main.mts > at most those that the killed worker had in hand';
const DEPLOY = 'integration/deploy.test.mts';

const claims: Page['claims'] = {
	'The nodes behave the same in a worker.': [MAIN],
	'An execution whose worker is gone ends as failed, with "failed to be processed too many times".':
		[FAILED],
	'Deploy and Extend are sent once in an execution, even with Retry On Fail.': [
		'integration/execute-retry.test.mts > Retry On Fail deploys nothing twice',
		'worlds/laws/compute.mts > no wish is bought twice',
	],
	'Log lines are delivered at least once.': [LINES, 'worlds/laws/logs.mts > no line is lost'],
	'With Delivery set to When Execution Succeeds, an execution that died with its worker is repeated.':
		[
			'integration/logs-executions.test.mts > crashed with its worker, delivered when it succeeds',
			LINES,
		],
	'Batches in flight may be delivered twice.': [TWICE],
	'A repeated request buys nothing twice, if the workflow is built for it, as below.': [
		REPEATED,
		ONCE,
	],
	'Extend cannot simply be repeated after a killed worker.': [
		'contract/extend-destroy.test.mts > [extend.not-idempotent]',
	],
	"It adds hours each time, and the note that protects it from n8n's retries is part of the lost execution.":
		['contract/extend-destroy.test.mts > [extend.not-idempotent]'],
	'A chat completion that was in progress is requested and paid again.': [CHATS],
	'Filter: continue only if `status` is neither `termination requested` nor `destroyed`.': [
		REPEATED,
	],
	'A job that got that far is not started again.': [ONCE],
	'Deploy with If Name Exists set to Use the Existing One: a job that already has its deployment takes that one.':
		[`${DEPLOY} > If Name Exists = Use Existing, Deploy Anyway`, ONCE],
	'One main process and two workers with ten executions each.': [MAIN],
	'By webhook: 1,000 chats, 200 executions that ingest and search a document, and 100 jobs that deploy and destroy, while the logs trigger follows a container.':
		[MAIN],
	'Executions requested | 1,300, and all of them ended': [`${CHECKS} > requests are … executions`],
	'Executions on the killed worker | 10, all reported as failed and answered with an error': [
		FAILED,
	],
	'Executions lost without a trace | 0': [`${CHECKS} > requests are … executions`],
	'Requests repeated by the caller | 10, all successful': [REPEATED],
	'Deployments bought for 100 jobs | 100; none twice, none left running': [
		ONCE,
		`${CHECKS} > none was left running`,
	],
	'Chat completions for 1,000 chats | 1,000': [CHATS],
	'Documents for 200 ingestions | 200': [`${CHECKS} > the library holds`],
	'Log lines written | 3,790; none lost, none delivered twice': [LINES, TWICE],
};

const instructions = [
	'In queue mode, n8n spreads executions over workers.',
	'This page says what happens when a worker dies, and how to build a workflow that can be requested again.',
	'n8n does not repeat an execution by itself.',
	'The trigger runs on the main process, its executions on the workers.',
	'Nothing completes what a killed worker started.',
	'A deployment that it bought keeps running until somebody destroys it.',
	'Send the request again, or let weekend-guard find it.',
	"n8n's Retry button does not help after a killed worker.",
	'What the execution knew died with the worker, and n8n 2.41 ends the retry with the same message.',
	'Send the request again instead.',
	'Check `expires_at` first.',
	'Webhook with Respond set to When Last Node Finishes, so that the caller learns of a failure and can send the request again.',
	'Compute VMaaS > Deployment > Get Many with the name of the job as Name Prefix, and Always Output Data turned on.',
	'Without this step, a worker that dies just after Destroy leads to a second purchase.',
	'Your work, then Destroy with Verify.',
	'The name must belong to the job, for example by its number: `job-{{ $json.body.number }}-`.',
	'One worker is killed (SIGKILL) after a third of the deployments.',
	'On 2 busy cores:',
	'CONTRIBUTING says how to run it (`npm run test:queue`).',
];

export const scaleOut: Page = { file: 'docs/scale-out.md', claims, instructions };
