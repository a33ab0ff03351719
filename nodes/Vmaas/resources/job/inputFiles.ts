import type { IBinaryData } from 'n8n-workflow';
import type { OperationContext } from '../../../shared/operation/context';
import type { Files } from '../../../shared/operation/operation';
import type { Parameters } from '../../../shared/operation/parameters';

/** A file of the input item, and its name in the work folder. */
export interface InputFile {
	name: string;
	file: IBinaryData;
}

/**
 * The files in the input fields that a parameter names.
 * @throws where a field has no file, or two have one name
 */
export function readInputFiles(parameters: Parameters, files: Files, name: string): InputFile[] {
	const seen = new Set<string>();
	return parameters.texts(name).map((field) => {
		const file = files(field);
		if (!file)
			return parameters.fail(
				name,
				`must name fields with files, but the item has no file in "${field}"`,
				'Add a node that outputs a file before this one, and enter the name of its output field.',
			);
		const fileName = (file.fileName ?? field).split(/[/\\]/).at(-1)!.trim();
		if (/^\.{0,2}$/.test(fileName) || /\p{Cc}/u.test(fileName))
			parameters.fail(name, `must name files with a name, but the one in "${field}" has none`);
		if (seen.has(fileName))
			parameters.fail(name, `must name files with different names, got "${fileName}" twice`);
		seen.add(fileName);
		return { name: fileName, file };
	});
}

/** The content of a file; each call reads it from its beginning. */
export async function inputStream(
	{ functions: { helpers }, itemIndex }: OperationContext,
	{ file }: InputFile,
): Promise<AsyncIterable<Uint8Array>> {
	if (file.id) return await helpers.getBinaryStream(file.id);
	const content = await helpers.getBinaryDataBuffer(itemIndex, file);
	return (async function* () {
		yield content;
	})();
}
