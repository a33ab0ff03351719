import { parse } from 'node-html-parser';
import { extractText, getDocumentProxy } from 'unpdf';

/** The text of a file, read by its extension; undefined when the content does not match it. */
export async function textOf(bytes: Buffer, type: string): Promise<string | undefined> {
	switch (type) {
		case 'html':
		case 'htm':
			return textOfHtml(bytes.toString('utf8'));
		case 'pdf':
			return await textOfPdf(bytes);
		default:
			return bytes.toString('utf8');
	}
}

/** The visible text of a page; each block is a paragraph. */
function textOfHtml(html: string): string {
	const root = parse(html);
	for (const hidden of root.querySelectorAll('head, script, style')) hidden.remove();
	return root.structuredText.replaceAll('\n', '\n\n');
}

/** The text of a PDF; each page is a paragraph. */
async function textOfPdf(bytes: Buffer): Promise<string | undefined> {
	try {
		const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
		return (await extractText(pdf)).text.join('\n\n');
	} catch {
		return undefined;
	}
}
