import { describe, expect, it } from 'vitest';
import { similarlyNamed } from '../../nodes/marketplace/similarNames.ts';

const isSimilar = (
	name: string,
	shown: string,
	{ match, others = [] }: { match?: 'prefix'; others?: string[] } = {},
) =>
	similarlyNamed(
		[shown, ...others].map((one) => ({ name: one })),
		name,
		match,
	).some((entry) => entry.name === shown);

describe('what a service may have made of a name', () => {
	it.each([
		['the same', 'job', 'job'],
		['other case', 'Job', 'jOB'],
		['a host name', 'My Job #1', 'my-job-1'],
		['characters dropped', 'My Job #1', 'myjob1'],
		['blanks alone dropped', 'My Job-1', 'MyJob-1'],
		['all but - dropped', 'my_job-1', 'myjob-1'],
		['dots alone dropped', 'job-1.2', 'job-12'],
		['an underscore for what is not ASCII', 'job (größe)', 'job_gr__e'],
		['accents dropped', 'café-1', 'cafe-1'],
		['accents in another form', 'café', 'cafe\u0301'],
		['letters dropped', 'café-1', 'caf-1'],
		['- for letters that are not ASCII', 'café-1', 'caf--1'],
		['- for one within a word', 'größe', 'gr--e'],
		['- for all letters of a word', 'job-訓練-7', 'job----7'],
		['a word dropped', 'job-訓練', 'job'],
		['trimmed', ' job- ', 'job'],
		['cut', 'nightly-training-run-eu', 'nightly-training-run'],
		['cut and trimmed', 'nightly-training-ru n-eu', 'nightly-training-ru'],
		['dropped and cut', 'nightly training run of the model', 'nightlytrainingrunof'],
		['of other characters, and cut', 'Nightly Training_Run 7', 'nightly-training-run'],
		['without a letter', '--', '--'],
		['of other letters', '訓練', '訓練'],
	])('%s: %j is %j', (_, name, shown) => {
		expect(isSimilar(name, shown)).toBe(true);
	});

	it('cut and trimmed beside one that is cut alone', () => {
		const name = 'nightly-training-of-models- 7';
		const others = ['x'.repeat(27)];
		expect(isSimilar(name, 'nightly-training-of-models', { others })).toBe(true);
		expect(isSimilar(name, 'nightly-training-of-model', { others })).toBe(false);
	});
});

describe('unrelated names', () => {
	it.each([
		['job', 'job-2'],
		['job-2', 'job'],
		['job', 'jobs'],
		['job-1-2', 'job-12'],
		['nightly-2026-11-1', 'nightly-2026-1-11'],
		['nightly-2026-11-1', 'nightly2026-11-1'],
		['myjob', 'my-job'],
		['cafe', 'café'],
		['job-訓練', 'job-推論'],
		['訓練', '推論'],
		['訓練-7', '推論-7'],
		['कि', 'की'],
		['が', 'か'],
		['日本', ''],
		['--', '-'],
		['nightly-training-run-eu', 'nightly-training'],
	])('%j is not %j', (name, shown) => {
		expect(isSimilar(name, shown)).toBe(false);
	});
});

describe('names that begin with a prefix', () => {
	it.each([
		['job-', 'JOB-1', true],
		['job-', 'job_1', true],
		['job-', 'job', false],
		['job-', 'jobber', false],
		['my-job-', 'myjob1', true],
		['my-job-', 'myjob-1', false],
		['my job-', 'myjob-1', true],
		['café', 'cafe-1', true],
		['nightly-training-run-eu-', 'nightly-training-run', true],
		['job-', 'other', false],
	])('%j: %j %s', (prefix, shown, expected) => {
		expect(isSimilar(prefix, shown, { match: 'prefix' })).toBe(expected);
	});
});
