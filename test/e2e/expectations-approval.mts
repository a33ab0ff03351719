import type { ChatHabits } from '../sandbox/index.mts';
import { like, type Expectation } from './expectation.mts';

const request = (name: string) => ({
	'When a GPU Is Requested': [{ json: { Name: name, Hours: 2 } }],
});

/** A model that deploys once, says what became of it, and leaves the reply to the chat */
const deployingModel: NonNullable<ChatHabits['model']> = ({ messages, tools = [] }) => {
	const result = messages.findLast(({ role }) => role === 'tool');
	const tool = tools.find(({ function: { name } }) => /deploy/i.test(name));
	if (result || !tool)
		return { content: `The tool says: ${JSON.stringify(result?.content)}`, finish: 'stop' };
	// The schema of a tool behind a review has the parameters of the tool in an object
	const wanted = { toolParameters: { name: 'from-agent', hours: 2, gpu_memory: 24 } };
	const called = { name: tool.function.name, arguments: JSON.stringify(wanted) };
	const call = { id: 'call_deploy', type: 'function' as const, function: called };
	return { content: null, calls: [call], finish: 'tool_calls' };
};

const order = {
	'When a Message Is Sent': [
		{ json: { sessionId: '1', action: 'sendMessage', chatInput: 'Deploy a VM for two hours' } },
	],
};

/** What the examples that ask a person must do in a real n8n */
export const approvalExpectations: Record<string, Expectation> = {
	'agent-with-approval': {
		prepare: async (sandbox) => sandbox.adopt({ habits: { model: deployingModel } }),
		executions: [
			{
				trigger: 'When a Message Is Sent',
				pins: order,
				answers: [{ link: /approved=false/ }],
				waitsAt: 'Reply',
				nodes: {
					'When a Message Is Sent': 1,
					'Simple Memory': 0,
					'Compute Chat Model': 0,
					'Human Review': 0,
					'AI Agent': [{ output: like(/rejected the tool call/) }],
					Reply: 1,
				},
			},
			{
				trigger: 'When a Message Is Sent',
				pins: order,
				answers: [{ link: /approved=true/ }],
				waitsAt: 'Reply',
				nodes: {
					'When a Message Is Sent': 1,
					'Simple Memory': 0,
					'Compute Chat Model': 0,
					'Human Review': 0,
					Deploy: 0,
					'AI Agent': [{ output: like(/deployment_id/) }],
					Reply: 1,
				},
			},
		],
		deployments: [{ resource_private_name: 'from-agent' }],
	},
	'approve-before-deploy': {
		executions: [
			{
				trigger: 'When a GPU Is Requested',
				pins: request('declined'),
				answers: [{ form: ['Decline'] }, { form: [] }],
				nodes: {
					'When a GPU Is Requested': 1,
					'Check the Price': [{ dry_run: true, total_price: 0.58 }],
					Approve: [{ Decision: 'Decline' }],
					'Approved?': 1,
					'Not Deployed': 1,
				},
			},
			{
				trigger: 'When a GPU Is Requested',
				pins: request('approved'),
				answers: [{ form: ['Approve'] }, { form: [] }],
				nodes: {
					'When a GPU Is Requested': 1,
					'Check the Price': [{ dry_run: true }],
					Approve: [{ Decision: 'Approve' }],
					'Approved?': 1,
					Deploy: [{ resource_private_name: 'approved', total_price: 0.58 }],
					Deployed: 1,
				},
			},
		],
		deployments: [{ resource_private_name: 'approved' }],
	},
	'expiry-alert': {
		prepare: async (sandbox) => {
			sandbox.addResident({ name: 'training', hours: 2, hoursAgo: 1.5 });
		},
		executions: [
			{
				trigger: 'Expires Soon',
				answers: [{ form: ['Let it end'] }],
				nodes: {
					'Expires Soon': [{ sample: true, resource_private_name: 'training' }],
					Message: [{ text: like(/training in \d+ minutes/), answer_at: like(/^http/) }],
					'Wait for an Answer': [{ Decision: 'Let it end' }],
					'Approved?': 1,
				},
			},
			{
				trigger: 'Expires Soon',
				answers: [{ form: ['Extend'] }],
				nodes: {
					'Expires Soon': 1,
					Message: 1,
					'Wait for an Answer': [{ Decision: 'Extend' }],
					'Approved?': 1,
					'Those Deployments': 1,
					'One by One': [{ resource_private_name: 'training' }],
					Extend: [{ added_hours: 2 }],
				},
			},
		],
		deployments: [],
	},
};
