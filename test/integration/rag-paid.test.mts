import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { rag, RETRY } from '../engine/nodes.mts';
import { jsonOf, onlyJson } from '../engine/results.mts';
import { useRetrieval } from '../engine/retrieval.mts';
import { errorForms } from '../sandbox/index.mts';

/** Answers are billed: what is sent again, and what is not. */
const { fixture } = useRetrieval();

const QUESTION = { query: '={{ $json.query }}', topK: 1, promptName: 'rag' };
const OPERATIONS: Array<[operation: string, path: RegExp, parameters: IDataObject]> = [
	['ask', /\/rag\/generate$/, QUESTION],
	['generate', /\/rag\/generate$/, { ...QUESTION, context: 'Boats.' }],
	['rag', /\/retrieval\/rag$/, QUESTION],
	['agent', /\/retrieval\/agent$/, { ...QUESTION, message: '={{ $json.query }}' }],
];
const items = ['Boats?', 'Hours?'].map((query) => ({ query }));

describe.each(OPERATIONS)('%s', (operation, path, parameters) => {
	const sent = () => fixture.sent('POST', path);

	it('is sent again twice after a 429 that names a time', async () => {
		fixture.sandbox.faults.add({ match: { path }, times: 2, ...errorForms.tooManyRequests(7) });
		onlyJson(await fixture.run(rag('retrieval', operation, parameters), items.slice(0, 1)));
		expect(fixture.time.waits.filter((ms) => ms === 7_000)).toHaveLength(2);
		expect(sent()).toHaveLength(3);
	});

	it('that was answered is not paid for again by Retry On Fail', async () => {
		fixture.sandbox.faults.add({ match: { path }, skip: 1, ...errorForms.empty(500) });
		const run = await fixture.run(rag('retrieval', operation, parameters, RETRY), items);
		expect(jsonOf(run)).toHaveLength(2);
		expect(sent()).toHaveLength(3);
	});
});
