import type { IDataObject } from 'n8n-workflow';
import { RETRY } from '../../engine/nodes.mts';
import { UNREADABLE } from '../../sandbox/worlds/retrieval/r2r/store.mts';
import type { RetrievalScenario } from '../retrievalRecord.mts';

const WAIT = { waitUntilIngested: true, timeout: 600 };
const CHANGED = { ...WAIT, ifExists: 'replaceIfChanged' };
const REPLACE = { ...WAIT, ifExists: 'replace' };

/** A folder that is ingested each night. */
const documents: RetrievalScenario = {
	name: 'documents',
	async play(scene) {
		const file = { identity: 'folder/a.txt', fileName: 'a.txt' };
		for (const content of ['one', 'one', 'two', 'two', 'three']) {
			await scene.ingest('replace if changed', {
				...file,
				content: `Version ${content}.`,
				options: CHANGED,
			});
			await scene.pause();
		}
		const { identity, fileName } = { identity: 'other', fileName: 'other.txt' };
		for (const content of ['Ruled ONE', 'Ruled ONE', 'Ruled TWO', 'Ruled THREE.'])
			await scene.ingest('skip', {
				identity,
				fileName,
				content,
				options: { ...WAIT, ifExists: 'skip' },
			});
		const rows = await scene.run('list documents', ['document', 'getAll'], { returnAll: true });
		// A part of a list must be refused
		if (!rows) return;
		scene.record.lists.push({
			what: 'documents',
			shown: rows.map(({ title }) => String(title)).sort(),
			wanted: [...scene.server.store.shown().map(({ title }) => title)].sort(),
		});
	},
};

/** Replace as a saved workflow has it, with a version that cannot be ingested. */
const replaced: RetrievalScenario = {
	name: 'replaced',
	async play(scene) {
		const file = { identity: 'a.txt', fileName: 'a.txt' };
		for (const content of ['Version one.', 'Version two.', 'Version three.']) {
			await scene.ingest('replace', { ...file, content, options: REPLACE });
			await scene.pause();
		}
		await scene.ingest('create', {
			...file,
			content: UNREADABLE,
			mayFail: true,
			options: REPLACE,
			settings: RETRY,
		});
		await scene.pause();
		await scene.ingest('create', { ...file, content: UNREADABLE, mayFail: true, options: CHANGED });
		await scene.pause();
		await scene.ingest('replace', { ...file, content: 'Version four.', options: REPLACE });
	},
};

/** A form that everybody can use, and a document of somebody else. */
const people: RetrievalScenario = {
	name: 'people',
	async play(scene) {
		scene.addStranger('invoice.txt', 'The invoice of a stranger.');
		const byContent = { ...WAIT, ifExists: 'skip', identity: 'content' };
		await scene.ingest('create among namesakes', {
			identity: 'customer A',
			fileName: 'invoice.txt',
			content: 'Invoice of A.',
			options: byContent,
		});
		await scene.ingest('create among namesakes', {
			identity: 'customer B',
			fileName: 'invoice.txt',
			content: 'Invoice of B.',
			options: byContent,
		});
		for (const customer of ['C', 'D', 'C'])
			await scene.ingest('create among namesakes', {
				identity: `path ${customer}`,
				fileName: 'invoice.txt',
				content: `Invoice of ${customer}, ${String(scene.record.ingestions.length)}.`,
				options: { ...REPLACE, identity: 'key', documentKey: `${customer}/invoice.txt` },
			});
		await scene.ingest('create among namesakes', {
			identity: 'by name',
			fileName: 'invoice.txt',
			content: 'Invoice by name.',
			options: REPLACE,
		});
	},
};

/** An answer is lost; n8n tries again. */
const lost: RetrievalScenario = {
	name: 'lost',
	async play(scene) {
		for (const [fileName, options] of [
			['plain.txt', WAIT],
			['replaced.txt', REPLACE],
		] as Array<[string, IDataObject]>)
			await scene.ingest('find a lost create', {
				identity: fileName,
				fileName,
				content: 'Once.',
				options,
				settings: RETRY,
			});
		scene.server.store.habits.lostCreates = 1;
		await scene.ingest('replace', {
			identity: 'replaced.txt',
			fileName: 'replaced.txt',
			content: 'Twice.',
			options: REPLACE,
			settings: RETRY,
		});
	},
};

/** An answer is lost, of an engine that may choose another ID than was asked for. */
const lostOnce: RetrievalScenario = {
	name: 'lost once',
	async play(scene) {
		const created = [
			['plain.txt', WAIT],
			['skipped.txt', { ...WAIT, ifExists: 'skip' }],
			['changed.txt', CHANGED],
			['replaced.txt', REPLACE],
			[undefined, WAIT],
		] as Array<[string | undefined, IDataObject]>;
		for (const [fileName, options] of created) {
			scene.server.store.habits.lostCreates = 1;
			await scene.ingest('find a lost create', {
				identity: fileName ?? 'text',
				fileName,
				content: `Once: ${fileName ?? 'text'}.`,
				options,
				settings: RETRY,
			});
		}
	},
};

/** A document of somebody else has the name. */
const taken: RetrievalScenario = {
	name: 'taken',
	async play(scene) {
		const file = { identity: 'a.txt', fileName: 'a.txt' };
		scene.addStranger('a.txt', 'The text of a stranger.');
		for (const options of [REPLACE, CHANGED, { ...WAIT, ifExists: 'skip' }])
			await scene.ingest('create among namesakes', { ...file, content: 'Mine.', options });
	},
};

/** Names, chunk sizes and other fields of a new document. */
const titles: RetrievalScenario = {
	name: 'titles',
	async play(scene) {
		await scene.ingest('create with a title', {
			identity: 'report',
			fileName: 'r.txt',
			content: 'A report.',
			additionalFields: { title: 'Q3 report' },
			options: WAIT,
		});
		await scene.ingest('create with a title', {
			identity: 'metadata',
			fileName: 'm.txt',
			content: 'By metadata.',
			additionalFields: { metadataJson: '{"title": "Release 1.2"}' },
			options: WAIT,
		});
		await scene.ingest('create with a title', {
			identity: 'text',
			content: 'A text with a title.',
			additionalFields: { title: 'My text' },
			options: WAIT,
		});
		await scene.ingest('create with small chunks', {
			identity: 'chunks',
			fileName: 'c.txt',
			content: 'Small chunks.',
			additionalFields: { chunkSize: 200 },
			options: WAIT,
		});
		const shown = scene.server.store.shown().map(({ title }) => title);
		scene.record.lists.push({
			what: 'titles',
			shown: shown.sort(),
			wanted: ['My text', 'Q3 report.txt', 'Release 1.2.txt', 'c.txt'],
		});
	},
};

export const documentScenarios = [documents, replaced, people, lost, lostOnce, taken, titles];
