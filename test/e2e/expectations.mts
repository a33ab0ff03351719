import { OWN_KEY } from '../engine/sshKey.mts';
import { HOUR } from '../sandbox/compute/money.mts';
import type { ChatHabits } from '../sandbox/index.mts';
import { like, type Expectation } from './expectation.mts';
import { ragExpectations } from './expectations-rag.mts';
import { clockBehind, deploy } from './service.mts';

const request = (name: string) => ({
	'When a GPU Is Requested': [{ json: { Name: name, Hours: 2 } }],
});

const GONE = like(/^(termination requested|destroyed)$/);

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

/** What each example of examples/ must do in a real n8n. An example that is not listed here fails */
export const expectations: Record<string, Expectation> = {
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
	'budget-guard': {
		executions: [
			{
				trigger: 'Before Buying',
				nodes: {
					'Before Buying': 1,
					'Spending of the Month': [{ paid: 0, is_complete: true }],
					'Within Budget?': 1,
					'Deploy Cheapest': [{ dry_run: true }],
				},
			},
			{
				trigger: 'Before Buying',
				pins: { 'Spending of the Month': [{ json: { paid: 120, is_complete: true } }] },
				nodes: {
					'Before Buying': 1,
					'Spending of the Month': 1,
					'Within Budget?': 1,
					'Over Budget': 0,
				},
				error: /^Nothing was bought\. The deployments of this month have cost 120\.$/,
			},
		],
		deployments: [],
	},
	'deploy-extend-destroy': {
		executions: [
			{
				trigger: 'Start',
				nodes: {
					Start: 1,
					'Find Offers': 5,
					'Get Price': 5,
					Deploy: [{ resource_private_name: 'quick-start', deployment_id: like(/./) }],
					'Wait Until Running': [{ status: 'running', expires_at: like(/Z$/) }],
					Extend: [{ expires_at: like(/Z$/) }],
					Destroy: [{ deleted: true, verified: true }],
					'Get Bill': [{ status: 'destroyed' }],
				},
			},
		],
		deployments: [{ resource_private_name: 'quick-start', state: 'destroyed', extensions: [1] }],
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
	'inference-endpoint': {
		executions: [
			{
				trigger: 'Start',
				nodes: {
					Start: 1,
					Deploy: [{ resource_private_name: like(/^inference-endpoint-/), total_price: 0.34 }],
					'Wait Until It Answers': [
						{ status: 'running', reached: true, public_url: like(/^http/) },
					],
					Ask: [{ object: 'chat.completion' }],
					Answer: [{ answer: like(/^An answer to 1 messages from vllm\/vllm-openai/) }],
					Destroy: [{ deleted: true, verified: true }],
				},
			},
		],
		deployments: [{ resource_private_name: like(/^inference-endpoint-/), state: 'destroyed' }],
	},
	'keep-alive-while-busy': {
		options: () => ({ ssh: true }),
		prepare: async (sandbox) => {
			for (const offer of sandbox.hardware) offer.price = 1;
			await deploy(sandbox, 'keep-alive', 2, OWN_KEY.publicKey);
			sandbox.clock.advance(60_000);
		},
		executions: [
			{
				trigger: 'Every 30 Minutes',
				pins: { 'Is It Busy': [{ json: { stdout: 'busy\n', exit_code: 0 } }] },
				nodes: {
					'Every 30 Minutes': 1,
					'Get Deployment': [{ status: 'running' }],
					'Is It Busy': 1,
					'Busy?': 1,
					'Extend Within the Budget': [{ added_hours: 1 }],
				},
			},
			{
				trigger: 'Every 30 Minutes',
				nodes: {
					'Every 30 Minutes': 1,
					'Get Deployment': [{ status: 'running' }],
					'Is It Busy': [{ stdout: 'idle\n', exit_code: 0 }],
					'Busy?': 1,
					Destroy: [{ deleted: true, verified: true }],
				},
			},
		],
		deployments: [{ resource_private_name: 'keep-alive', state: 'destroyed', extensions: [1] }],
	},
	'long-job': {
		options: () => ({ ssh: true }),
		executions: [
			{
				trigger: 'Start',
				nodes: {
					Start: 1,
					'Start the Job': [{ state: like(/^(running|finished)$/), job_key: 'long-job' }],
					'Wait a Minute': 1,
					Collect: [{ state: 'finished', exit_code: 0, destroyed: true, verified: true }],
					'Still Running?': 1,
					Result: [{ state: 'finished', summary: like(/^Job long-job: finished, exit code 0/) }],
				},
			},
		],
		deployments: [{ resource_private_name: like(/^long-job-start-/), state: 'destroyed' }],
	},
	...ragExpectations,
	'train-on-a-gpu': {
		options: () => ({ ssh: true }),
		executions: [
			{
				trigger: 'Start',
				nodes: {
					Start: 1,
					Train: [
						{ exit_code: 0, destroyed: true, verified: true, files: [{ path: 'model.json' }] },
					],
				},
			},
		],
		deployments: [{ resource_private_name: like(/^train-on-a-gpu-run-/), state: 'destroyed' }],
	},
	'nightly-training': {
		options: () => ({ ssh: true }),
		executions: [
			{
				trigger: 'Every Night',
				nodes: {
					'Every Night': 1,
					'Deploy Cheapest': [
						{ resource_private_name: like(/^nightly-training-/), deployment_id: like(/./) },
					],
					'Wait for SSH': [{ status: 'running' }],
					'Get Machines': [{ ssh_access: like(/@/) }],
					'Train Here': [{ exit_code: 0, stdout: like(/loss/) }],
					Destroy: [{ deleted: true, verified: true }],
				},
			},
		],
		deployments: [{ resource_private_name: like(/^nightly-training-/), state: 'destroyed' }],
	},
	'price-watch': {
		executions: [
			{
				trigger: 'Cheap Enough',
				nodes: {
					'Cheap Enough': [{ sample: true, name: 'H200', hourly_price: 3.29 }],
					Message: [{ text: like(/^H200 in \S+ costs \$3\.29 an hour$/) }],
					'Make the Table': [{ name: 'gpu_prices' }],
					'Each Offer': 1,
					'One by One': [{ name: 'H200' }],
					'Keep the Price': [{ gpu: 'H200', price: 3.29 }],
				},
			},
		],
		deployments: [],
	},
	'wait-loop': {
		// Longer than the first look takes, so that it does wait
		options: () => ({ startupMs: 3_000 }),
		executions: [
			{
				trigger: 'Start',
				nodes: {
					Start: 1,
					Deploy: [{ resource_private_name: like(/^wait-loop-/) }],
					'Running Yet': [{ reached: false }, { reached: true, status: 'running' }],
					'If Reached': [{ reached: false }, { reached: true }],
					Wait: [{ reached: false }],
					Destroy: [{ deleted: true }],
				},
			},
		],
		deployments: [{ resource_private_name: like(/^wait-loop-/), state: GONE }],
	},
	'weekend-guard': {
		options: () => ({ clock: clockBehind(13) }),
		prepare: async (sandbox) => {
			await deploy(sandbox, 'forgotten', 100);
			sandbox.clock.advance(13 * HOUR);
			await deploy(sandbox, 'young', 100);
		},
		executions: [
			{
				trigger: 'Every Hour',
				nodes: {
					'Every Hour': 1,
					'Find Old Machines': [{ resource_private_name: 'forgotten', status: 'running' }],
					Destroy: [{ deleted: true, verified: true }],
				},
			},
		],
		deployments: [
			{ resource_private_name: 'forgotten', state: 'destroyed' },
			{ resource_private_name: 'young', state: 'running' },
		],
	},
};
