import type { Page } from './page.mts';

const EXPECTED = 'e2e/expectations-approval.mts';
const ASKED = 'unit/examples.test.mts';
const LIMIT = 'integration/agent-limit.test.mts';
const MANY = 'integration/destroy-many.test.mts > is refused, but for a dry run';
const MCP = 'e2e/mcp.test.mts > buys within the price limit of the tool, and nothing without one';
const COMMANDS = 'integration/ssh-commands.test.mts > must not run commands';

const claims: Page['claims'] = {
	'A price limit stops what is too expensive.': [
		'integration/deploy.test.mts > above the maximum price: an error',
	],
	'With an approval, nothing is bought until a person has said yes.': [
		`${EXPECTED} > approve-before-deploy`,
		`${EXPECTED} > agent-with-approval`,
	],
	'Three examples show how, without an account at another service.': [
		`${EXPECTED} > approve-before-deploy`,
		`${EXPECTED} > expiry-alert`,
		`${EXPECTED} > agent-with-approval`,
	],
	'approve-before-deploy: a form asks for a name and hours, Deploy Cheapest with Dry Run finds the offer and its price, a second form page asks, and Deploy buys this offer.':
		[`${EXPECTED} > approve-before-deploy`],
	'Its Maximum Price is the price that was approved, so a price that rises meanwhile is refused.': [
		`${ASKED} > approve-before-deploy buys for the price that was approved at most`,
		'integration/deploy.test.mts > above the maximum price: an error',
	],
	'expiry-alert asks in the same way before it extends a deployment: a Wait node shows a form, and no answer within 30 minutes is a no.':
		[
			`${EXPECTED} > expiry-alert`,
			`${ASKED} > expiry-alert takes no answer within 30 minutes for a no`,
		],
	"agent-with-approval: an AI Agent with n8n's Human Review between it and the tool that deploys.":
		[`${EXPECTED} > agent-with-approval`],
	'When the model calls the tool, n8n stops, shows the values that the model has chosen, and runs the tool only after Approve.':
		[
			`${EXPECTED} > agent-with-approval`,
			`${ASKED} > agent-with-approval shows the values that the model has chosen`,
		],
	'After Decline, the model is told that it was rejected.': [`${EXPECTED} > agent-with-approval`],
	'A review does not replace the limit.': [`${LIMIT} > without a price limit`],
	'Deploy, Deploy Cheapest, Extend and jobs of an agent are refused without a fixed price limit in the form of the tool, approved or not.':
		[
			`${LIMIT} > with a limit that the model chooses`,
			`${LIMIT} > an extension without a limit is refused`,
			'integration/job-run.test.mts > no price limit',
		],
	'Tools that only read, such as Hardware > Get Many and Price > Get, need no review.': [
		`${LIMIT} > reads need no limit`,
	],
	'Fix a price limit in each tool that buys: as for an agent of n8n, it is refused without one, and Destroy Many and Run Command need Allow AI Agents.':
		[MCP, `${LIMIT} > without a price limit`, MANY, COMMANDS],
	'The agent, the forms and the MCP server are executed by the tests, in n8n 2.41.1.': [
		'e2e/examples.test.mts > executes from each of its triggers',
		MCP,
	],
	"n8n's MCP Server Trigger offers nodes as tools to an MCP client, such as an AI assistant on your computer.":
		[MCP],
};

const instructions = [
	'To ask somebody who is not at the form, put Slack, Gmail, Telegram or another node of n8n with Send and Wait for Response in place of the second page.',
	'Connect the tool to the review, and the review to the agent.',
	'There is a review for each node that can send and wait: Chat, Slack, Gmail, Microsoft Teams, Telegram, e-mail and others.',
	'In the editor, click the plus on the line between agent and tool, or choose it among the tools, under Human in the Loop.',
	'The one for Chat needs a Chat Trigger whose Response Mode is Using Response Nodes, and a Chat node that sends the reply.',
	'Add MCP Server Trigger and choose an Authentication other than None: whoever has the address could use your tools.',
	'Connect Compute VMaaS, Compute CaaS, Compute Explorer, Compute Chat Completion or Compute RAG to its Tools, one node for each operation.',
	'Let the model fill in a field with the button at its right, and fix the others.',
	'Publish the workflow and give the client the production URL.',
	"n8n's Human Review connects to AI agents only, not to the MCP Server Trigger.",
	'To have a person approve what an MCP client orders, give it a Call n8n Sub-Workflow Tool in place of Deploy, with a workflow that asks first.',
	'That the Human Review does not connect to that trigger was read in the source of that version.',
];

export const approval: Page = { file: 'docs/approval.md', claims, instructions };
