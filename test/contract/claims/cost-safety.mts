import type { Page } from './page.mts';

const I = 'integration';
const LAW = 'worlds/laws/compute.mts';
const FOUND = `${I}/deploy-lost-answers.test.mts > found by name, and deployed once`;
const UNKNOWN = `${I}/deploy-lost-answers.test.mts > not found in time: "outcome unknown" with the name`;
const UNCLEAR = `${I}/deploy-lost-answers.test.mts > is unclear: the deployment is found by its name`;
const RETRIED = `${I}/execute-retry.test.mts`;
const RETRY = 'e2e/retry-button.test.mts';
const SAME_NAME = `${I}/unknown-outcome-deploy.test.mts`;
const IDENTITY = 'review/money3/identity.test.mts';
const LATE = `${SAME_NAME} > a tool call long after a deploy that never showed deploys`;

const claims: Page['claims'] = {
	"A deployment costs money each hour, the service cannot recognize a request that it gets twice, n8n's Retry On Fail runs a whole node again, and any answer can get lost.":
		[
			`${I}/sandbox-vmaas-deployments.test.mts > is not idempotent`,
			'contract/extend-destroy.test.mts > [extend.not-idempotent]',
		],
	'Maximum Price and Maximum Hourly Price are compared with the price, fees included, right before the purchase.':
		[
			`${LAW} > no bill above a limit`,
			'sandbox/worlds/compute/oddities.mts > fees that the list does not show',
			`${I}/untrue-answers.test.mts > of the next offer is read again`,
		],
	'With a limit, nothing is bought if this price cannot be read.': [
		`${I}/deploy.test.mts > nothing is deployed under a price limit`,
		`${I}/extend.test.mts > cannot be read under a price limit`,
	],
	'There is no limit until you set one.': [
		'contract/forms.test.mts > shows its price limits, empty',
	],
	'A node buys once for each input item.': [
		`${I}/deploy.test.mts > a second item of the same name`,
	],
	'Without it, a second item of the same name is an error, which names what the first one has bought.':
		[`${I}/deploy.test.mts > a second item of the same name`],
	'What you chose is what is bought.': [`${LAW} > what was ordered is bought`],
	'If a hardware comes in several sizes, the node does not guess: the error names the sizes.': [
		`${I}/sizes.test.mts > several sizes there are an error that names them`,
	],
	'Deploy Cheapest checks its filters on the very offer that it buys.': [
		`${I}/cheapest-filters.test.mts > the offer that passes is bought, not the cheaper one`,
	],
	'If a deployment of that name exists, Deploy stops with an error.': [
		`${I}/deploy.test.mts > If Name Exists = Error, the default`,
	],
	'If Name Exists and Unique Name change that.': [
		`${I}/deploy.test.mts > If Name Exists = Use Existing, Deploy Anyway`,
		`${I}/deploy.test.mts > a unique name is that of this execution`,
	],
	'What this execution has just bought counts even where the list does not show it yet, and so do purchases under way in the same n8n process.':
		[
			`${LAW} > no wish is bought twice`,
			'worlds/scenarios/names.mts > two items, one name',
			'worlds/scenarios/names.mts > two executions at once',
		],
	'A list that is empty is read twice.': [
		'integration/deploy.test.mts > where one copy of the service has no deployments',
		'integration/destroy-many.test.mts > where one copy of the service has no deployments',
	],
	'All items are checked first.': [
		`${I}/operation.test.mts > starts only where every item is valid`,
	],
	'If one item is not valid, nothing is sent for any of them.': [
		`${I}/operation.test.mts > starts only where every item is valid`,
	],
	'With On Error set to Continue, only that item is left out.': [
		`${I}/execute.test.mts > an invalid item with On Error = Continue: only that item is left out`,
	],
	'Dry Run makes the same checks, returns the price, and buys nothing.': [
		`${I}/deploy.test.mts > a dry run returns the request and the price`,
		`${I}/deploy-names.test.mts > a dry run: the same error, the same item`,
	],
	'A person can be asked first: see Approval.': [
		'e2e/expectations-approval.mts > approve-before-deploy',
		'e2e/expectations-approval.mts > agent-with-approval',
	],
	'Deploy and Extend are sent once.': [
		'contract/vms.test.mts > [deploy.once]',
		`${I}/extend.test.mts > found in the details, and extended once`,
	],
	'Only a request that never left n8n is sent again.': [
		`${I}/deploy-lost-answers.test.mts > a connection that is refused: tried again`,
		'unit/retry.test.mts > ifUnsent: a lost answer is final',
	],
	'After a lost or unclear answer (a redirect, a web page, a 200 that says no), the node looks for two minutes: for a new deployment of that name and size, or for the added hours.':
		[
			UNCLEAR,
			`${I}/deploy-lost-answers.test.mts > a 502 HTML page after the work`,
			`${I}/deploy-lost-answers.test.mts > a 200 that says no`,
			`${I}/extend.test.mts > a 2xx that the details do not show in time`,
			`${I}/untrue-answers.test.mts > of another size, after a deploy that was lost`,
		],
	'If it finds them, the item has `recovered: true`.': [FOUND, UNCLEAR],
	'If not, the error says "outcome unknown", with the name and what to check.': [
		UNKNOWN,
		`${I}/extend.test.mts > a lost request without effect: "outcome unknown"`,
	],
	'If the service refuses and the deployment appears all the same, the outcome is unknown, too.': [
		`${I}/untrue-answers.test.mts > to a deploy: not sent again, and not taken for this one either`,
	],
	'Only the same name is yours.': [`${IDENTITY} > the equal name is ours`],
	"A new deployment whose name is only similar, or that differs from the order, may be a colleague's: it is never passed on.":
		[
			`${IDENTITY} > is not ours by a name`,
			`${IDENTITY} > a lost answer is an unknown outcome`,
			`${IDENTITY} > is unclear: nothing is bought again`,
		],
	'The outcome is then unknown, and the error names it with its ID.': [
		`${IDENTITY} > is not ours by a name`,
		`${IDENTITY} > is unclear: nothing is bought again`,
	],
	'What another execution of the same n8n process has bought is never taken for it.': [
		`${IDENTITY} > is not the lost one of this execution`,
	],
	'Each request is noted in the execution before it is sent.': [
		`${I}/tool.test.mts > a retry reconciles first, although n8n gives it another run index`,
		`${I}/deploy-lost-answers.test.mts > Retry of the failed execution in n8n finds the deployment`,
	],
	'A retry by n8n or by an AI agent finds the note and does not send it again.': [
		UNKNOWN,
		`${SAME_NAME} > a repeated tool call deploys nothing while the outcome is unknown`,
	],
	'Items that succeeded are not run again.': [
		`${RETRIED} > only the refused deploy is sent twice`,
		`${RETRIED} > the other four are not deployed again`,
	],
	'If what they bought has ended in the meantime, that is an error.': [
		`${RETRIED} > what an earlier try bought has failed meanwhile`,
	],
	'Another item or node that wants the same name or deployment looks first, too.': [
		`${SAME_NAME} > another item finds the deployment`,
		`${I}/unknown-outcome-extend.test.mts > another item finds the extension`,
		'worlds/scenarios/names.mts > two nodes, one name',
	],
	'While an outcome is unknown, nothing is sent for that name for a quarter of an hour, and later as long as something shows that may be it.':
		[
			`${IDENTITY} > is unclear: nothing is bought again`,
			`${SAME_NAME} > another item of the same name sends nothing while the outcome is unknown`,
			LATE,
		],
	"Retry in n8n's list of executions starts from what n8n has saved.": [
		`${RETRY} > of an execution that was half done`,
	],
	'That has the notes of an execution that failed or timed out, but not those of one that a person stopped, or of what an earlier retry has bought.':
		[
			`${RETRY} > of an execution that was half done`,
			`${RETRY} > of an execution that timed out`,
			`${RETRY} > of an execution that a person stopped`,
		],
	'There only the name protects: with Unique Name, another one is bought.': [
		`${RETRY} > of an execution that a person stopped`,
	],
	'An error names what may be running.': [`${LAW} > errors say what may bill`],
	'If item 4 fails, the error names the deployments of items 1 to 3.': [
		`${I}/execute.test.mts > the third of five gets a 422: the error names the two deployments`,
	],
	'A stopped execution ends at once.': [
		`${I}/cancel.test.mts > Stop, at any moment, ends the execution at once`,
	],
	"What it has bought is in n8n's log, with name and ID; of a purchase that was under way, the name.":
		[
			`${I}/cancel.test.mts > the items that were done: name and ID`,
			`${I}/cancel.test.mts > a deploy in flight: its name`,
		],
	'Destroy asks again until Verify Timeout is over if the service does not take the request, waits until the end is seen, and goes on with the other IDs if one fails.':
		[
			`${I}/destroy.test.mts > is asked again within Verify Timeout`,
			`${I}/destroy.test.mts > Verify, which is on by default`,
			`${I}/destroy.test.mts > several IDs: all are tried where one fails`,
		],
	'A 404 alone is no proof of an end: the node looks for two minutes for an ID that the service has never shown, and then reports an error.':
		[
			`${I}/destroy-gone.test.mts > an ID that was never seen is looked for for two minutes, then an error`,
		],
	'Duration (Hours) is paid in advance.': [
		`${I}/destroy.test.mts > what is not used after the first hour is refunded`,
	],
	'At its end the deployment ends, unless it was extended.': [
		`${I}/sandbox-vmaas-deployments.test.mts > go from requested to running to completed on the clock`,
	],
	'The service never refunds the first hour of a deployment.': [
		'contract/extend-destroy.test.mts > [first_hour.never]',
	],
	'After it, the exact time is charged.': ['contract/extend-destroy.test.mts > [first_hour.after]'],
	'An agent can buy only under a price limit that is fixed in the form, not by an expression: without one, its calls of Deploy, Deploy Cheapest, Extend and jobs are refused.':
		[
			`${I}/agent-limit.test.mts > without a price limit`,
			`${I}/agent-limit.test.mts > with a limit that the model chooses`,
			`${I}/agent-limit.test.mts > an extension without a limit is refused`,
			`${I}/job-run.test.mts > no price limit`,
		],
	'The service may carry out a request long after it failed to answer.': [
		`${I}/deploy-lost-answers.test.mts > a deployment that appears later is found by the retry`,
		`${I}/extend.test.mts > an extension that takes effect later is found by the retry`,
	],
	'The deployment then appears after the error, which warns of this.': [UNKNOWN],
	'The example weekend-guard destroys it after twelve hours.': [
		`${I}/examples.test.mts > destroys what is older than twelve hours`,
	],
	'If it takes more than a quarter of an hour, another item or call of the same execution may have bought a second one.':
		[LATE],
};

const instructions = [
	'After a list, turn on Execute Once in its settings.',
	'This is what the nodes do about it.',
	'Price limits.',
	'Names.',
	'Approval.',
	'Retries look first.',
	'Leave Unique Name off for it.',
];

export const costSafety: Page = { file: 'docs/cost-safety.md', claims, instructions };
