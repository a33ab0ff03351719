import { HOUR } from '../sandbox/compute/money.mts';
import type { Sandbox, SandboxOptions } from '../sandbox/index.mts';
import type { Start } from './example.mts';
import type { Expected } from './matches.mts';
import { addDocument, clockBehind, deployMachine, handbookFiles } from './service.mts';

/** One start of an example, from one of its triggers */
export interface ExpectedRun extends Start {
	/** The items that each node hands on: how many, or what they show. A node that is not named must not run */
	nodes: Record<string, number | Expected[]>;
}

export interface Expectation {
	/** How this service behaves */
	settings?: () => SandboxOptions;
	/** What is there before the example runs */
	prepare?: (sandbox: Sandbox) => Promise<void>;
	runs: ExpectedRun[];
	/** Every machine that was bought, afterwards */
	machines: Expected[];
}

const HANDBOOK = handbookFiles();

const question = (text: string) => ({
	'When a Question Is Asked': [
		{ json: { sessionId: '1', action: 'sendMessage', chatInput: text } },
	],
});

const GONE = /^(termination requested|destroyed)$/;

/** What each example of examples/ must do in a real n8n. An example that is not named here fails */
export const expectations: Record<string, Expectation> = {
	'deploy-extend-destroy': {
		runs: [
			{
				trigger: 'Start',
				nodes: {
					Start: 1,
					'Find Offers': 5,
					'Get Price': 5,
					Deploy: [{ resource_private_name: 'quick-start', deployment_id: /./ }],
					'Wait Until Running': [{ status: 'running', expires_at: /Z$/ }],
					Extend: [{ expires_at: /Z$/ }],
					Destroy: [{ deleted: true, verified: true }],
					'Get Bill': [{ status: 'destroyed' }],
				},
			},
		],
		machines: [{ resource_private_name: 'quick-start', state: 'destroyed', extensions: [1] }],
	},
	'nightly-training': {
		runs: [
			{
				trigger: 'Every Night',
				nodes: {
					'Every Night': 1,
					'Deploy Cheapest': [{ resource_private_name: 'nightly-training', deployment_id: /./ }],
					'Wait for SSH': [{ status: 'running' }],
					'Get Machines': [{ ssh_access: /@/ }],
					'Train Here': [{ ssh_access: /@/ }],
					Destroy: [{ deleted: true, verified: true }],
				},
			},
		],
		machines: [{ resource_private_name: 'nightly-training', state: 'destroyed' }],
	},
	'price-watch': {
		runs: [
			{
				trigger: 'Every Hour',
				nodes: {
					'Every Hour': 1,
					'Cheapest Within My Limit': [{ dry_run: true }],
					'Tell Me Here': [{ dry_run: true, hardware_name: 'H200', hourly_price: 3.29 }],
				},
			},
		],
		machines: [],
	},
	'rag-ask-with-fallback': {
		prepare: async (sandbox) => await addDocument(sandbox, 'The first hour is never refunded.'),
		runs: [
			{
				trigger: 'When a Question Is Asked',
				pins: question('Is the first hour refunded?'),
				nodes: {
					'When a Question Is Asked': 1,
					'Ask Our Documents': [{ found: true, answer: /first hour/ }],
					Reply: [{ output: /first hour/ }],
				},
			},
			{
				trigger: 'When a Question Is Asked',
				pins: question('Zebras?'),
				nodes: {
					'When a Question Is Asked': 1,
					'Ask Our Documents': 1,
					'Ask the Web': [{ generated_answer: /./ }],
					'Reply from the Web': [{ output: /^Not from our documents: ./ }],
				},
			},
		],
		machines: [],
	},
	'rag-from-files': {
		runs: [
			{
				trigger: 'When a Document Is Dropped In',
				pins: {
					'When a Document Is Dropped In': HANDBOOK.map((file) => ({
						json: {},
						binary: { Document: file },
					})),
				},
				nodes: {
					'When a Document Is Dropped In': HANDBOOK.length,
					Ingest: HANDBOOK.map(() => ({ document_id: /./, ingestion_status: 'success' })),
					Collection: HANDBOOK.length,
					'Add to Collection': HANDBOOK.length,
				},
			},
			{
				trigger: 'When a Question Is Asked',
				pins: question('Is the first hour refunded?'),
				nodes: {
					'When a Question Is Asked': 1,
					'Find Collection': [{ name: 'handbook' }],
					Ask: [{ found: true, answer: /Is the first hour refunded/ }],
					Reply: [{ output: /billing\.md/ }],
				},
			},
		],
		machines: [],
	},
	'rag-nightly-reindex': {
		runs: [
			{
				trigger: 'Every Night',
				// Which folders n8n may read is up to the one who runs it
				pins: { 'Read Folder': HANDBOOK.map((data) => ({ json: {}, binary: { data } })) },
				nodes: {
					'Every Night': 1,
					'Read Folder': HANDBOOK.length,
					'Ingest Again': HANDBOOK.map(() => ({ ingestion_status: 'success' })),
					Done: HANDBOOK.length,
				},
			},
		],
		machines: [],
	},
	'wait-loop': {
		// Longer than the first look takes, so that it does wait
		settings: () => ({ startupMs: 3_000 }),
		runs: [
			{
				trigger: 'Start',
				nodes: {
					Start: 1,
					Deploy: [{ resource_private_name: 'wait-loop' }],
					'Running Yet': [{ reached: false }, { reached: true, status: 'running' }],
					'If Reached': [{ reached: false }, { reached: true }],
					Wait: [{ reached: false }],
					Destroy: [{ deleted: true }],
				},
			},
		],
		machines: [{ resource_private_name: 'wait-loop', state: GONE }],
	},
	'weekend-guard': {
		settings: () => ({ clock: clockBehind(13) }),
		prepare: async (sandbox) => {
			await deployMachine(sandbox, 'forgotten', 100);
			sandbox.clock.advance(13 * HOUR);
			await deployMachine(sandbox, 'young', 100);
		},
		runs: [
			{
				trigger: 'Every Hour',
				nodes: {
					'Every Hour': 1,
					'Find Old Machines': [{ resource_private_name: 'forgotten', status: 'running' }],
					Destroy: [{ deleted: true, verified: true }],
				},
			},
		],
		machines: [
			{ resource_private_name: 'forgotten', state: 'destroyed' },
			{ resource_private_name: 'young', state: 'running' },
		],
	},
};
