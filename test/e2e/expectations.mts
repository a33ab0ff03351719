import { OWN_KEY } from '../engine/sshKey.mts';
import { HOUR } from '../sandbox/compute/money.mts';
import { like, type Expectation } from './expectation.mts';
import { ragExpectations } from './expectations-rag.mts';
import { clockBehind, deploy } from './service.mts';

const GONE = like(/^(termination requested|destroyed)$/);

/** What each example of examples/ must do in a real n8n. An example that is not listed here fails */
export const expectations: Record<string, Expectation> = {
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
				nodes: {
					'Expires Soon': [{ sample: true, resource_private_name: 'training' }],
					'Ask Me': 1,
					'Approved?': 1,
					'Let It End': 1,
				},
			},
			{
				trigger: 'Expires Soon',
				pins: { 'Ask Me': [{ json: { data: { approved: true } } }] },
				nodes: {
					'Expires Soon': 1,
					'Ask Me': 1,
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
			await deploy(sandbox, 'keep-alive', 2, OWN_KEY.publicKey);
			sandbox.clock.advance(60_000);
		},
		executions: [
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
		deployments: [{ resource_private_name: 'keep-alive', state: 'destroyed' }],
	},
	'long-job': {
		options: () => ({ ssh: true }),
		executions: [
			{
				trigger: 'Start',
				nodes: {
					Start: 1,
					'Start the Job': [{ state: 'running', job_key: 'long-job' }],
					'Wait a Minute': 1,
					Collect: [{ state: 'finished', exit_code: 0, destroyed: true, verified: true }],
					'Still Running?': 1,
					'Use the Result Here': [{ state: 'finished' }],
				},
			},
		],
		deployments: [{ resource_private_name: like(/^long-job-start-/), state: 'destroyed' }],
	},
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
					'Tell Me Here': [{ name: 'H200' }],
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
	...ragExpectations,
};
