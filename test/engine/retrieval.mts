import type { IDataObject, IRun } from 'n8n-workflow';
import { beforeEach } from 'vitest';
import { useFixture, type Fixture } from './fixture.mts';
import { rag, textDocument } from './nodes.mts';
import { onlyJson } from './results.mts';

/** The documents of `useRetrieval`, with `number` 0 to 2 and `topic` in their metadata. */
export const TEXTS = [
	'The first hour is never refunded.',
	'After the first hour the exact time is charged.',
	'Boats lie in the harbour.',
] as const;

/** The fixture of a test file that asks questions about `TEXTS`. */
export interface RetrievalFixture {
	readonly fixture: Fixture;
	/** Runs an operation of the resource `retrieval`. */
	run(operation: string, parameters: IDataObject): Promise<IRun>;
	/** The body of the last request. */
	lastBody(): IDataObject;
}

/** A fixture whose service has ingested `TEXTS` before each test. */
export function useRetrieval(): RetrievalFixture {
	const fixture = useFixture();
	beforeEach(async () => {
		for (const [number, text] of TEXTS.entries()) {
			const values = [
				{ key: 'number', value: number },
				{ key: 'topic', value: number < 2 ? 'money' : 'sea' },
			];
			onlyJson(await fixture.run(textDocument(text, { metadata: { values } })));
		}
		fixture.sandbox.requests.length = 0;
	});
	return {
		fixture,
		run: async (operation, parameters) =>
			await fixture.run(rag('retrieval', operation, parameters)),
		lastBody: () => fixture.sandbox.requests.at(-1)?.body as IDataObject,
	};
}
