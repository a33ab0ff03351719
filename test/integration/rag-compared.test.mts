import { expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, rag } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';

const fixture = useFixture();
const MIB = 1024 * 1024;

it.each([
	['1 MiB', MIB, false],
	['more', MIB + 1, null],
])('a document of %s without a hash is compared, or not', async (_, bytes, changed) => {
	const file = fileItem('a.txt', 'x'.repeat(bytes));
	const create = async () =>
		onlyJson(
			await fixture.engine.runItems(
				rag('document', 'create', {
					source: 'file',
					binaryPropertyName: 'data',
					additionalFields: { runWithOrchestration: false },
					options: { ifExists: 'skip' },
				}),
				[file],
			),
		);
	await create();
	for (const document of fixture.sandbox.library.documents.values()) document.metadata = {};
	expect(await create()).toMatchObject({ existing: true, content_changed: changed });
});
