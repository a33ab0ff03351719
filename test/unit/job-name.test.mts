import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import {
	defaultJobKey,
	isNameOfJob,
	jobIdOf,
	markedName,
	readJobKey,
	runsOf,
} from '../../nodes/Vmaas/resources/job/jobName.ts';
import { jobBench } from './job-bench.mts';
import { form, message } from './parameters-form.mts';

/** The key of a job in this workflow that has none of its own. */
function keyIn(workflow: IDataObject, name = 'Node', instance = 'n8n'): string {
	const context = { ...jobBench().context(), product: VMAAS };
	Object.assign(context.functions, {
		getWorkflow: () => workflow,
		getInstanceId: () => instance,
		getNode: () => ({ name }),
	});
	return defaultJobKey(context);
}

describe('a job without a key', () => {
	const workflow = { id: '7', name: 'Workflow' };

	it('has the same one in each execution, also after its workflow was renamed', () => {
		expect(keyIn({ id: '7', name: 'Renamed' })).toBe(keyIn(workflow));
	});

	it('shares it with no other workflow, node or n8n', () => {
		const keys = [
			keyIn(workflow),
			keyIn({ id: '8', name: 'Workflow' }),
			keyIn(workflow, 'Node!'),
			keyIn(workflow, 'Node', 'another n8n'),
			// Not saved yet
			keyIn({ name: 'Workflow' }),
			keyIn({ name: 'Another' }),
		];
		expect(new Set(keys).size).toBe(6);
		for (const key of keys) expect(key).toMatch(/^Node-[0-9a-f]{8}$/);
	});

	it.each([
		['My (first) job', /^My-first-job-[0-9a-f]{8}$/],
		['(Train)', /^Train-[0-9a-f]{8}$/],
		['A node whose name is very long', /^A-node-whose-name-is-[0-9a-f]{8}$/],
		['訓練', /^job-[0-9a-f]{8}$/],
	])('is named after its node "%s"', (name, key) => {
		expect(keyIn(workflow, name)).toMatch(key);
	});
});

describe('the key of a form', () => {
	it.each(['a', 'nightly-training', 'v1.2_b', 'x'.repeat(40)])('is %s', (key) => {
		expect(readJobKey(form(key))).toBe(key);
	});

	it.each(['-a', '.a', 'a b', 'a/b', 'x'.repeat(41)])('is not %s', (key) => {
		expect(message(() => readJobKey(form(key)))).toContain(`got "${key}"`);
	});
});

it('the ID of a job is what makes its name unique', () => {
	expect(jobIdOf('my-job-run-0123456789')).toBe('0123456789');
});

describe('the name of a job', () => {
	const name = markedName('Train-start-0123456');

	it.each([
		['whole', name, true],
		['in lower case', name.toLowerCase(), true],
		['cut', name.slice(0, -1), false],
		['without its ID', name.slice(0, -11), false],
		['of another key with the same ID', name.replace('Train', 'Other'), false],
		['of another job', markedName('Train-start-1123456'), false],
		['of all', 'GPU cluster', false],
		['the ID alone', jobIdOf(name), false],
	])('%s: %s', (_, shown, isIt) => {
		expect(isNameOfJob(shown, jobIdOf(name))).toBe(isIt);
	});
});

describe('deployments of a job', () => {
	const own = markedName('Train-run-0123456');
	const found = (name: string | undefined, { key = 'Train', status = 'running' } = {}) => {
		const { certain, uncertain } = runsOf([{ name, status }], key);
		return certain.length > 0 ? 'certain' : uncertain.length > 0 ? 'uncertain' : 'none';
	};

	it.each([
		['its own', own, 'certain'],
		['its own in lower case', own.toLowerCase(), 'certain'],
		['its own, cut within the digits', own.slice(0, 15), 'uncertain'],
		['one that a person has dated', 'train-run-2026112215', 'none'],
		['one of a key that begins alike', markedName('train-run-run-0123456'), 'none'],
		['one that Start has begun', markedName('train-start-0123456'), 'none'],
		['with a letter among its digits', markedName('train-run-012345g'), 'none'],
		['with a letter before its digits', markedName('train-run-g123456'), 'none'],
		['one whose name is not shown', undefined, 'none'],
	])('%s: %s is %s', (_, name, expected) => {
		expect(found(name)).toBe(expected);
	});

	it.each([
		['running', 'certain', 'uncertain'],
		['of a word that nobody knows', 'certain', 'uncertain'],
		['termination requested', 'none', 'none'],
		['completed', 'none', 'none'],
	])('that are %s', (status, whole, cut) => {
		expect(found(own, { status })).toBe(whole);
		expect(found(own.slice(0, 15), { status })).toBe(cut);
	});
});
