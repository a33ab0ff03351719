import { expect } from 'vitest';
import { like, type Expectation } from './expectation.mts';
import type { Execution } from './rest.mts';
import { addDocument, handbookFiles } from './service.mts';
import { itemsOf } from './workflow.mts';

const HANDBOOK = handbookFiles();

const question = (text: string) => ({
	'When a Question Is Asked': [
		{ json: { sessionId: '1', action: 'sendMessage', chatInput: text } },
	],
});

const SCORE = expect.toSatisfy(
	(score: unknown) => typeof score === 'number' && score >= 1 && score <= 5,
) as unknown;

/** The Data Table that an execution has made, as it is chosen from the list */
export const tableOf = (execution: Execution) => ({
	__rl: true,
	mode: 'list',
	value: itemsOf(execution, 'Make the Table')[0]?.id,
});

/** What the examples of retrieval must do in a real n8n */
export const ragExpectations: Record<string, Expectation> = {
	'rag-ask-with-fallback': {
		prepare: async (sandbox) => await addDocument(sandbox, 'The first hour is never refunded.'),
		executions: [
			{
				trigger: 'When a Question Is Asked',
				pins: question('Is the first hour refunded?'),
				nodes: {
					'When a Question Is Asked': 1,
					'Ask Our Documents': [{ found: true, answer: like(/first hour/) }],
					Reply: [{ output: like(/first hour/) }],
				},
			},
			{
				trigger: 'When a Question Is Asked',
				pins: question('Zebras?'),
				nodes: {
					'When a Question Is Asked': 1,
					'Ask Our Documents': 1,
					'Ask the Web': [{ generated_answer: like(/./) }],
					'Reply from the Web': [{ output: like(/^Not from our documents: ./) }],
				},
			},
		],
		deployments: [],
	},
	'rag-evaluation': {
		executions: [
			{
				trigger: 'Prepare',
				// Which folders n8n may read is up to the one who runs it
				pins: { 'Read Folder': HANDBOOK.map((data) => ({ json: {}, binary: { data } })) },
				nodes: {
					Prepare: 1,
					'Read Folder': HANDBOOK.length,
					Ingest: HANDBOOK.map(() => ({ ingestion_status: 'success' })),
					'Make the Table': [{ name: 'rag_questions' }],
					Questions: 1,
					'One by One': 10,
					'Keep the Question': 10,
				},
			},
			{
				trigger: 'For Each Question',
				choices: (before) => ({ 'For Each Question': { dataTableId: tableOf(before) } }),
				nodes: {
					'For Each Question': [{ question: 'Is the first hour refunded?', _rowsLeft: 9 }],
					Ask: [{ found: true, answer: like(/first hour is never refunded/i) }],
					Judge: [{ content: { score: SCORE, reason: like(/./) } }],
					Score: [{ hit: 1, first_hit: 1, judge: SCORE, sources: like(/billing\.md/) }],
					'Write Results': 1,
					Metrics: [{ hit: 1, first_hit: 1, judge: SCORE }],
				},
			},
		],
		deployments: [],
	},
	'rag-from-files': {
		executions: [
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
					Ingest: HANDBOOK.map(() => ({ document_id: like(/./), ingestion_status: 'success' })),
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
					Ask: [{ found: true, answer: like(/Is the first hour refunded/) }],
					Reply: [{ output: like(/billing\.md/) }],
				},
			},
		],
		deployments: [],
	},
	'rag-nightly-reindex': {
		executions: [
			{
				trigger: 'Every Night',
				// Which folders n8n may read is up to the one who runs it
				pins: { 'Read Folder': HANDBOOK.map((data) => ({ json: {}, binary: { data } })) },
				nodes: {
					'Every Night': 1,
					'Read Folder': HANDBOOK.length,
					'Ingest Again': HANDBOOK.map(() => ({ ingestion_status: 'success' })),
					'Delete Vanished': [{ deleted: false, reason: 'none' }],
				},
			},
		],
		deployments: [],
	},
};
