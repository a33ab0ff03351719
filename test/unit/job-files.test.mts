import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { FileItem } from '../../nodes/shared/operation/items.ts';
import { SshError } from '../../nodes/shared/ssh/index.ts';
import { failed, folder, MOST, progressOf, vmOf } from './job-progress.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

describe('the files of a job', () => {
	const found = (...told: string[]) => ({ stdout: told.map((one) => `${one}\0`).join('') });
	const outputs = ['model.pt', '/var/log/a.log', 'logs/*', 'gone'];
	const all = () =>
		vmOf([found('0 model.pt', '1 /var/log/a.log', '2 logs/b', 'count 1')], {
			[`${folder}/model.pt`]: 'model',
			'/var/log/a.log': 'log',
			[`${folder}/logs/b`]: 'b',
		});
	const FACTS = [
		{ path: 'model.pt', bytes: 5, sha256: 'hash of model', binary: 'file_0' },
		{ path: '/var/log/a.log', bytes: 3, sha256: 'hash of log', binary: 'file_1' },
		{ path: 'logs/b', bytes: 1, sha256: 'hash of b', binary: 'file_2' },
	];

	it('are brought back, each under its name, and what a path without wildcards does not find is told', async () => {
		const { remote, done } = all();
		const progress = progressOf({ outputs });
		await progress.download(remote);
		expect(done).toEqual([
			'find files with 1696800 bytes',
			`download ${folder}/model.pt of at most ${MOST}`,
			`download /var/log/a.log of at most ${MOST}`,
			`download ${folder}/logs/b of at most ${MOST}`,
		]);
		expect(progress.facts()).toMatchObject({ files: FACTS, missing_files: ['gone'] });
		const item = progress.item({ state: 'finished' }) as FileItem;
		expect(item).toBeInstanceOf(FileItem);
		expect(item).toMatchObject({
			json: { state: 'finished' },
			binary: {
				file_0: { fileName: 'model.pt' },
				file_1: { fileName: 'a.log' },
				file_2: { fileName: 'b' },
			},
		});
	});

	it('are brought back where the connection was lost, and not again what is there', async () => {
		const { remote, done, files } = all();
		const progress = progressOf({ outputs });
		files['/var/log/a.log'] = new SshError('closed', 'lost');
		await expect(progress.download(remote)).rejects.toThrow('lost');
		files['/var/log/a.log'] = 'log';
		done.length = 0;
		await progress.download(remote);
		expect(done).toEqual([
			`download /var/log/a.log of at most ${MOST}`,
			`download ${folder}/logs/b of at most ${MOST}`,
		]);
		expect(progress.facts()).toMatchObject({ files: FACTS });
	});

	it('are missing where they are gone by the time of the download', async () => {
		const { remote, files } = all();
		delete files[`${folder}/model.pt`];
		const progress = progressOf({ outputs });
		await progress.download(remote);
		const [, log, b] = FACTS;
		expect(progress.facts()).toMatchObject({
			files: [
				{ ...log, binary: 'file_0' },
				{ ...b, binary: 'file_1' },
			],
			missing_files: ['gone', 'model.pt'],
		});
	});

	it('are an error where they cannot be read', async () => {
		const { remote, files } = all();
		files[`${folder}/model.pt`] = new SshError('sftp', 'no permission');
		await expect(progressOf({ outputs }).download(remote)).rejects.toThrow('no permission');
	});

	it('are not searched for where no pattern names one', async () => {
		const { remote, done } = vmOf();
		const progress = progressOf();
		const json: IDataObject = { state: 'finished' };
		await progress.download(remote);
		expect(done).toEqual([]);
		expect(progress.facts()).toMatchObject({ files: [], missing_files: [] });
		expect(progress.item(json)).toBe(json);
	});

	it.each([
		['as many as one pattern finds', found('0 a', 'count 101'), 101],
		[
			'as many as all patterns find together',
			found(...Array.from({ length: 102 }, (_, index) => `${index % 2} f${index}`), 'count 51'),
			102,
		],
	])('are an error where there are too many: %s', async (_, answer, count) => {
		const { remote, done } = vmOf([answer]);
		const progress = progressOf({ outputs: ['*.a', '*.b'] });
		expect(await failed(async () => await progress.download(remote))).toEqual({
			message: `${count} files match Result Files, and 100 are downloaded at most`,
			description: 'Pack them into one file at the end of the command, with tar for example.',
		});
		expect(done).toHaveLength(1);
	});

	it('are brought back where there are 100', async () => {
		const names = Array.from({ length: 100 }, (_, index) => `f${index}`);
		const { remote, files } = vmOf([found(...names.map((name) => `0 ${name}`), 'count 100')]);
		for (const name of names) files[`${folder}/${name}`] = name;
		const progress = progressOf({ outputs: ['*'] });
		await progress.download(remote);
		expect(progress.files.map(({ path }) => path)).toEqual(names);
	});
});
