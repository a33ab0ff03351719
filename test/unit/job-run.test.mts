import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { FileItem } from '../../nodes/shared/operation/items.ts';
import { run } from '../../nodes/Vmaas/resources/job/run.ts';
import { jobParameters } from '../engine/nodes.mts';
import { inputOf, jobBench, outcome } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const form = (changes: IDataObject = {}) =>
	inputOf(run, jobParameters({ resultFiles: 'model.pt', ...changes }));

describe('the form of Run', () => {
	it('lets a command run as long as is paid for, and has other defaults', () => {
		expect(form()).toMatchObject({
			key: 'train',
			command: 'echo done',
			outputs: ['model.pt'],
			maxOutputBytes: 65_536,
			commandMs: 7_200_000,
			onNonZeroExit: 'error',
			waitMs: 900_000,
		});
	});

	it('takes what is chosen instead', () => {
		const options = {
			commandTimeout: 90,
			maxOutputBytes: 2_048,
			onNonZeroExit: 'output',
			waitTimeout: 60,
		};
		expect(form({ options })).toMatchObject({
			commandMs: 90_000,
			maxOutputBytes: 2_048,
			onNonZeroExit: 'output',
			waitMs: 60_000,
		});
	});
});

describe('a job that is run', () => {
	it.each([
		['its key', 'train', /^train-run-[0-9a-f]{10}$/],
		['its node, where it has no key', '', /^Node-[0-9a-f]{8}-run-[0-9a-f]{10}$/],
	])('is named after %s', async (_, jobKey, name) => {
		const context = jobBench().context();
		// Nothing is for sale
		const error = await outcome(async () => await run.run(context, form({ jobKey })));
		expect(error).toBeInstanceOf(Error);
		expect(context.known.resource_private_name).toMatch(name);
	});

	it('is not run for an AI agent unless a person allows it', async () => {
		const bench = jobBench();
		const context = bench.context();
		Object.assign(context.functions, { isToolExecution: () => true });
		const error = await outcome(async () => await run.run(context, form()));
		expect(error).toMatchObject({
			message: expect.stringMatching(
				/^Job > Run is not allowed for AI agents\. Nothing was sent\./,
			) as unknown,
		});
		expect(bench.requests).toEqual([]);
	});

	it('brings its files again in a retry for another item', async () => {
		const json = { exit_code: 0 };
		const items = [0, 1].map((index) => [new FileItem({ ...json, index }, {})]);
		const bench = jobBench({ kept: new Map(items.map((kept, index) => [`job ${index}`, kept])) });
		const again = async (index: number) => await run.again?.(bench.context(index), [json]);
		expect(await again(0)).toBe(items[0]);
		expect(await again(1)).toBe(items[1]);
		expect(await again(2)).toEqual([json]);
	});
});
