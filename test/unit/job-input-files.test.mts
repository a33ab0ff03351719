import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import { inputStream, readInputFiles } from '../../nodes/Vmaas/resources/job/inputFiles.ts';
import { jobBench } from './job-bench.mts';
import { form, message } from './parameters-form.mts';

const file = (fileName?: string, id?: string) => ({ fileName, id }) as unknown as IBinaryData;

/** The files of an item in these fields; the form names all of them. */
const filesOf = (fields: Record<string, IBinaryData>, named = Object.keys(fields)) =>
	readInputFiles(form(named), (field) => fields[field], 'x');

describe('the input files of a job', () => {
	it('have the names of the files, or of their fields', () => {
		const fields = { a: file('in.csv'), b: file(' a b.txt '), data: file() };
		expect(filesOf(fields)).toEqual([
			{ name: 'in.csv', file: fields.a },
			{ name: 'a b.txt', file: fields.b },
			{ name: 'data', file: fields.data },
		]);
	});

	it.each(['/etc/passwd', '../../passwd', 'C:\\Windows\\passwd'])(
		'lie in the folder of the command, whatever %s says',
		(name) => {
			expect(filesOf({ a: file(name) })).toMatchObject([{ name: 'passwd' }]);
		},
	);

	it.each(['', ' ', '.', '..', 'a/', 'a/..', 'a\tb', 'a\u0000'])(
		'are an error with the name %j',
		(name) => {
			expect(message(() => filesOf({ a: file(name) }))).toBe(
				'My Field must name files with a name, but the one in "a" has none',
			);
		},
	);

	it.each(['.a', '...'])('may be called %s', (name) => {
		expect(filesOf({ a: file(name) })).toMatchObject([{ name }]);
	});

	it('are an error where two have one name', () => {
		expect(message(() => filesOf({ a: file('x/in.csv'), b: file('in.csv') }))).toBe(
			'My Field must name files with different names, got "in.csv" twice',
		);
	});

	it('are an error where a field has none, with what to do', () => {
		const work = () => filesOf({ a: file('in.csv') }, ['a', 'data']);
		expect(message(work)).toBe(
			'My Field must name fields with files, but the item has no file in "data"',
		);
		expect(work).toThrow(
			expect.objectContaining({
				description:
					'Add a node that outputs a file before this one, and enter the name of its output field.',
			}) as Error,
		);
	});
});

describe('the content of an input file', () => {
	const context: OperationContext = jobBench().context(2);
	Object.assign(context.functions.helpers, {
		getBinaryStream: async (id: string) =>
			await Promise.resolve(Readable.from([Buffer.from(`stored ${id}`)])),
		getBinaryDataBuffer: async (itemIndex: number, { fileName }: IBinaryData) =>
			await Promise.resolve(Buffer.from(`${fileName} of item ${itemIndex}`)),
	});
	const contentOf = async (one: IBinaryData) => {
		const stream = await inputStream(context, { name: 'a', file: one });
		return Buffer.concat(await Readable.from(stream).toArray()).toString();
	};

	it('is read from where n8n has stored it', async () => {
		expect(await contentOf(file('a', '7'))).toBe('stored 7');
	});

	it('is read from the item where n8n keeps it in memory', async () => {
		expect(await contentOf(file('a'))).toBe('a of item 2');
	});
});
