import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, RETRY } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { AT_ONCE, CREATE, documentsOf, REPLACE } from './documents.mts';

const fixture = useFixture();
const { createFrom, stored, uploads } = documentsOf(fixture);
const OWN = '11111111-2222-4333-8444-555555555555';

/** A file that n8n no longer has once something has happened. */
function goneAfter(hasHappened: () => boolean): INodeExecutionData {
	const id = { get: () => (hasHappened() ? 'filesystem-v2:gone' : undefined) };
	const { binary } = fileItem('a.txt', 'two');
	const data = Object.defineProperty({ ...binary?.data }, 'id', id) as IBinaryData;
	return { json: {}, binary: { data } };
}
const GONE = 'No binary data manager found for: filesystem-v2';

describe('replace by a file that is gone', () => {
	const create = async (item: INodeExecutionData, fields: IDataObject, settings = {}) =>
		await createFrom(
			[item],
			{ additionalFields: { ...AT_ONCE.additionalFields, ...fields }, options: REPLACE },
			settings,
		);
	const earlier = async (fields = {}) =>
		onlyJson(await create(fileItem('a.txt', 'one'), fields)).document_id;

	it('after it was compared: the error says that the earlier document is still there', async () => {
		const id = await earlier();
		const item = goneAfter(() => fixture.sent('GET', /download$/).length > 0);
		const error = errorOf(await create(item, {}));
		expect([error.message, error.description]).toEqual([
			GONE,
			'The earlier document is still there.',
		]);
		expect((await stored()).map((one) => one.id)).toEqual([id]);
	});

	it('in the next try: the error says that the earlier document was deleted', async () => {
		await earlier({ documentId: OWN });
		fixture.sandbox.faults.add({ match: CREATE, ...errorForms.empty(403) });
		const item = goneAfter(() => uploads().length === 2);
		const error = errorOf(await create(item, { documentId: OWN }, RETRY));
		expect(error.message).toBe(`${GONE}. The earlier document was deleted already`);
		expect(error.context.known).toEqual({ document_id: OWN, replaced_deleted: OWN });
	});
});
