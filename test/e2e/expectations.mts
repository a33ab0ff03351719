import { OWN_KEY } from '../engine/sshKey.mts';
import { HOUR } from '../sandbox/compute/money.mts';
import { like, type Expectation } from './expectation.mts';
import { approvalExpectations } from './expectations-approval.mts';
import { ragExpectations } from './expectations-rag.mts';
import { clockBehind, deploy } from './service.mts';

const GONE = like(/^(termination requested|destroyed)$/);

/** What each example of examples/ must do in a real n8n. An example that is not listed here fails */
export const expectations: Record<string, Expectation> = {
	...approvalExpectations,
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
