import { openCanvas } from './browser.mts';
import { test } from './fixture.mts';
import { partOf } from './part.mts';
import { connect, exampleFiles, readExample } from './workflow.mts';

test.for(partOf(exampleFiles()))(
	'%s opens on the canvas',
	async (file, { rest, credentials, editor }) => {
		const example = connect(readExample(file), credentials);
		const id = await rest.createWorkflow(example);
		const last = example.nodes.findLast(({ type }) => !type.endsWith('.stickyNote'));
		await openCanvas(editor, id, last?.name ?? '');
		await editor.pictures.window(`canvas of ${file.replace('.json', '')}`);
	},
);
