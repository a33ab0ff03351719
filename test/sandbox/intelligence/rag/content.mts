import { parse } from 'node-html-parser';
import { extractText, getDocumentProxy } from 'unpdf';

/** The text of a file, by the end of its name; undefined when the file is not what its name says. */
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

/** What a reader of the page sees, a block a paragraph. */
function textOfHtml(html: string): string {
	const root = parse(html);
	for (const hidden of root.querySelectorAll('head, script, style')) hidden.remove();
	return root.structuredText.replaceAll('\n', '\n\n');
}

/** A paragraph a page. */
async function textOfPdf(bytes: Buffer): Promise<string | undefined> {
	try {
		const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
		return (await extractText(pdf)).text.join('\n\n');
	} catch {
		return undefined;
	}
}
