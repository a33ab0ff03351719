import { expect } from 'vitest';
import { secretsFor } from './credentials.mts';
import { ragExpectations, tableOf } from './expectations-rag.mts';
import { test } from './fixture.mts';
import { until } from './until.mts';
import { choose, connect, readExample, runWorkflow, succeeded } from './workflow.mts';

const EXAMPLE = 'rag-evaluation.json';
const [preparation] = ragExpectations['rag-evaluation']?.executions ?? [];
const LONGEST_EVALUATION_MS = 120_000;
const UNDER_WAY = new Set(['new', 'running']);

test("n8n's Evaluations tab measures ten questions: hit rate and the judge's score", async ({
	rest,
	sandbox,
	credentials,
}) => {
	if (!preparation) throw new Error('The example has no preparation');
	const workflow = readExample(EXAMPLE);
	const prepared = succeeded(await runWorkflow(rest, workflow, secretsFor(sandbox), preparation));
	const id = await rest.createWorkflow(
		choose(connect(readExample(EXAMPLE), credentials), {
			'For Each Question': { dataTableId: tableOf(prepared) },
		}),
	);
	const testRunId = await rest.startEvaluation(id);
	const run = await until(
		'the evaluation has ended',
		async () => {
			const found = await rest.evaluation(id, testRunId);
			return !UNDER_WAY.has(found.status) && found;
		},
		LONGEST_EVALUATION_MS,
	);
	expect(run).toMatchObject({ status: 'completed', finalResult: 'success' });
	const { hit, first_hit: firstHit = 0, judge = 0 } = run.metrics ?? {};
	expect(hit).toBe(1);
	// Another document of this service says the same as one of the three
	expect(firstHit).toBeGreaterThanOrEqual(0.9);
	expect(judge).toBeGreaterThanOrEqual(1);
	expect(judge).toBeLessThanOrEqual(5);
	expect(run.testCaseExecutions).toHaveLength(10);
});
