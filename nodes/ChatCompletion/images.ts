import type { IDataObject } from 'n8n-workflow';
import type { Message } from './messages';
import { isRecord, show } from '../shared/guards';
import { operationError } from '../shared/http/errors';
import type { OperationContext } from '../shared/operation/context';

/** A picture of a message: at an address (or as a data URL), or in a binary field of the input item. */
export interface Picture {
	url?: string;
	field?: string;
}

/** What a request may hold (beyond-the-spec.md section 5): JPEG, PNG, WEBP or GIF, at most 20 MB each, at most 10. */
const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
const LARGEST_BYTES = 20 * 1024 * 1024;
const MOST_PICTURES = 10;

/**
 * The messages as the request takes them: pictures become parts beside the text.
 * @param detail how closely the model is to look at them
 */
export async function withPictures(
	context: OperationContext,
	messages: Message[],
	detail?: string,
): Promise<IDataObject[]> {
	const sent: IDataObject[] = [];
	for (const { body, pictures } of messages) {
		if (pictures.length === 0) {
			sent.push(body);
			continue;
		}
		const parts: IDataObject[] = body.content === '' ? [] : [{ type: 'text', text: body.content }];
		for (const { url, field } of pictures) {
			const address = field === undefined ? String(url) : await dataUrl(context, field);
			parts.push({ type: 'image_url', image_url: { url: address, ...(detail && { detail }) } });
		}
		sent.push({ ...body, content: parts });
	}
	const plain = sent.map(withPlainUrls);
	checkPictures(context, plain);
	return plain;
}

/** Their data URLs name the type as the service knows it. */
function withPlainUrls(message: IDataObject): IDataObject {
	if (!Array.isArray(message.content)) return message;
	const content = message.content.map((part: unknown) => {
		if (!isRecord(part) || part.type !== 'image_url') return part;
		const { image_url: image } = part;
		return {
			...part,
			image_url: isRecord(image) ? { ...image, url: plainUrl(image.url) } : plainUrl(image),
		};
	});
	return { ...message, content: content as IDataObject[] };
}

function plainUrl(url: unknown): unknown {
	if (typeof url !== 'string' || !/^data:/i.test(url)) return url;
	const comma = url.indexOf(',');
	const head = url.slice('data:'.length, comma);
	return `data:${plainType(head)}${/;\s*base64$/i.test(head) ? ';base64' : ''}${url.slice(comma)}`;
}

/** The limits hold for pictures of every origin, those in JSON messages too. */
function checkPictures(context: OperationContext, messages: IDataObject[]): void {
	const parts = messages
		.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isRecord) : []))
		.filter(({ type }) => type === 'image_url');
	if (parts.length > MOST_PICTURES)
		fail(context, `A request may hold at most ${MOST_PICTURES} images, got ${parts.length}`);
	for (const { image_url: image } of parts) {
		const url = isRecord(image) ? image.url : image;
		if (typeof url !== 'string' || !/^(https?:\/\/|data:)/i.test(url))
			fail(context, `An image URL must start with https://, http:// or data:, got ${show(url)}`);
		if (!url.startsWith('data:')) continue;
		const [, type = '', data = ''] = /^data:([^;,]*)(?:;base64)?,(.*)$/s.exec(url) ?? [];
		const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='));
		checkPicture(context, 'An image', type, Math.floor((data.length * 3) / 4) - padding);
	}
}

function checkPicture(context: OperationContext, name: string, type: string, bytes: number): void {
	if (!TYPES.includes(type))
		fail(context, `${name} must be JPEG, PNG, WEBP or GIF, got ${show(type || undefined)}`);
	if (bytes > LARGEST_BYTES)
		fail(context, `${name} may have at most 20 MB, got ${(bytes / 1024 / 1024).toFixed(1)} MB`);
}

async function dataUrl(context: OperationContext, field: string): Promise<string> {
	const { helpers } = context.functions;
	const type = plainType(helpers.assertBinaryData(context.itemIndex, field).mimeType);
	const bytes = await helpers.getBinaryDataBuffer(context.itemIndex, field);
	checkPicture(context, `The image in the binary field ${field}`, type, bytes.byteLength);
	return `data:${type};base64,${bytes.toString('base64')}`;
}

/** Many nodes write `image/jpg` or add parameters, and some write no type, whatever n8n's own type says. */
function plainType(type: string | undefined): string {
	return (type ?? '')
		.replace(/;.*/s, '')
		.trim()
		.toLowerCase()
		.replace(/^image\/jpg$/, 'image/jpeg');
}

function fail(context: OperationContext, problem: string): never {
	throw operationError(context.functions.getNode(), problem, { itemIndex: context.itemIndex });
}
