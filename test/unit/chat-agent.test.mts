import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { agent } from '../../nodes/ChatCompletion/resources/agent.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { Body, type Answered } from './log-parts.mts';
import { contextOf } from './rag-parts.mts';
import { Answers, formOf, outcomeOf } from './rag-service.mts';

/** Runs an operation of agents with a form of these values. */
async function run(name: string, values: IDataObject, ...answers: Answered[]) {
	const operation = agent.operations.find(({ value }) => value === name) as Operation;
	const documents = new Answers(...answers);
	const input = operation.input(formOf(operation, values), () => undefined);
	const work = operation.run(await contextOf({ documents }), input);
	const result = await outcomeOf(work);
	return { items: result.value, error: result.error, asked: documents.asked, sent: documents.sent };
}

describe('the agents of a service', () => {
	const AGENTS = { json: { agents: { a: { name: 'A' }, b: 'B', c: { name: 'C' } } } };

	it('are listed with their keys, as many as Limit', async () => {
		const { items, asked } = await run('getAll', { returnAll: false, limit: 2 }, AGENTS);
		expect(items).toEqual([
			{ agent_key: 'a', name: 'A' },
			{ agent_key: 'b', name: 'B' },
		]);
		expect(asked).toEqual(['GET /api/v1/agents']);
	});

	it('are all listed with Return All', async () => {
		const { items } = await run('getAll', { returnAll: true, limit: 2 }, AGENTS);
		expect(items).toHaveLength(3);
	});
});

describe('the run of an agent', () => {
	const form = { agentName: 'a', objective: ' text\n', task: 'arguments' };

	it('sends the text as it is, and returns the result as it is', async () => {
		const options = { moreAgents: ['b', 'c'], persona: '{"role": "clerk"}' };
		const result = { json: { output: 'x' } };
		const { items, asked, sent } = await run('run', { ...form, options }, result);
		expect(asked).toEqual(['POST /api/v1/workflows/run']);
		expect(sent).toEqual([
			{ objective: ' text\n', agent_names: ['a', 'b', 'c'], persona: { role: 'clerk' } },
		]);
		expect(items).toEqual([{ output: 'x' }]);
	});

	it.each<[Answered, unknown]>([
		[{ json: ['x'] }, ['x']],
		[{ body: new Body().write('done', undefined) }, 'done'],
	])('gives a result that is no object a name: %j', async (answer, result) => {
		expect((await run('run', form, answer)).items).toEqual([{ result }]);
	});

	it('is an error where its result breaks off', async () => {
		const { error } = await run('run', form, {
			body: new Body().write('{"output": "x', undefined),
		});
		expect(error?.message).toBe('The result of the agent ended early: its JSON is cut off');
		expect(error?.context.known).toEqual({ partial: '{"output": "x' });
	});

	it('is not sent again after an error, since it may be billed', async () => {
		const { error, asked } = await run('run', form, { status: 500, json: {} }, { json: {} });
		expect(error?.message).toBe('Server error (500)');
		expect(asked).toHaveLength(1);
	});
});
