import type { IDataObject } from 'n8n-workflow';
import { isFile, isRecord, show } from '../shared/guards';
import { operationError } from '../shared/http/errors';
import type { OperationContext } from '../shared/operation/context';
import type { Message } from './messages';

/** The limits of a request (beyond-the-spec.md section 5): JPEG, PNG, WEBP or GIF, at most 20 MB each, at most 10. */
const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
const MAX_BYTES = 20 * 1024 * 1024;
const MAX_IMAGES = 10;

/**
 * The messages as the request takes them, with their images as parts of the content.
 * @param detail level of detail at which the model processes the images
 * @throws an error for a binary field that is missing, or for images beyond the limits of a request, also those of messages
 * in JSON
 */
export async function withImages(
	context: OperationContext,
	messages: Message[],
	detail?: string,
): Promise<IDataObject[]> {
	const sent: IDataObject[] = [];
	for (const { body, images } of messages) {
		if (images.length === 0) {
			sent.push(body);
			continue;
		}
		const parts: IDataObject[] = body.content === '' ? [] : [{ type: 'text', text: body.content }];
		for (const image of images) {
			const url = 'url' in image ? image.url : await readBinary(context, image.binaryField);
			parts.push({ type: 'image_url', image_url: { url, ...(detail && { detail }) } });
		}
		sent.push({ ...body, content: parts });
	}
	const normalized = sent.map(normalizeImageUrls);
	checkImages(context, normalized);
	return normalized;
}

/** Gives the data URLs of a message the media types that the service knows. */
function normalizeImageUrls(message: IDataObject): IDataObject {
	if (!Array.isArray(message.content)) return message;
	const content = message.content.map((part: unknown) => {
		if (!isRecord(part) || part.type !== 'image_url') return part;
		const { image_url: image } = part;
		return {
			...part,
			image_url: isRecord(image) ? { ...image, url: normalizeUrl(image.url) } : normalizeUrl(image),
		};
	});
	return { ...message, content: content as IDataObject[] };
}

function normalizeUrl(url: unknown): unknown {
	if (typeof url !== 'string' || !/^data:/i.test(url)) return url;
	const comma = url.indexOf(',');
	const type = url.slice('data:'.length, comma);
	const encoding = /;\s*base64$/i.test(type) ? ';base64' : '';
	return `data:${normalizeType(type)}${encoding}${url.slice(comma)}`;
}

function checkImages(context: OperationContext, messages: IDataObject[]): void {
	const parts = messages
		.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isRecord) : []))
		.filter(({ type }) => type === 'image_url');
	if (parts.length > MAX_IMAGES)
		fail(context, `A request may contain at most ${MAX_IMAGES} images, got ${parts.length}`);
	for (const { image_url: image } of parts) {
		const url = isRecord(image) ? image.url : image;
		if (typeof url !== 'string' || !/^(https?:\/\/|data:)/i.test(url))
			fail(context, `An image URL must start with https://, http:// or data:, got ${show(url)}`);
		if (!url.startsWith('data:')) continue;
		const [, type = '', data = ''] = /^data:([^;,]*)(?:;base64)?,(.*)$/s.exec(url) ?? [];
		const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='));
		checkImage(context, 'An image', type, Math.floor((data.length * 3) / 4) - padding);
	}
}

function checkImage(context: OperationContext, name: string, type: string, bytes: number): void {
	if (!MEDIA_TYPES.includes(type))
		fail(context, `${name} must be JPEG, PNG, WEBP or GIF, got ${show(type || undefined)}`);
	if (bytes > MAX_BYTES)
		fail(context, `${name} may have at most 20 MB, got ${(bytes / 1024 / 1024).toFixed(1)} MB`);
}

/** The image of a binary field as a data URL. */
async function readBinary(context: OperationContext, binaryField: string): Promise<string> {
	const { helpers } = context.functions;
	const file = helpers.assertBinaryData(context.itemIndex, binaryField);
	if (!isFile(file)) fail(context, `There is no file in the binary field ${show(binaryField)}`);
	const type = normalizeType(file.mimeType);
	const bytes = await helpers.getBinaryDataBuffer(context.itemIndex, binaryField);
	checkImage(context, `The image in the binary field ${binaryField}`, type, bytes.byteLength);
	return `data:${type};base64,${bytes.toString('base64')}`;
}

/** Many nodes write `image/jpg` or add parameters; some set no media type, although n8n's type requires one. */
function normalizeType(type: string | undefined): string {
	return (type ?? '')
		.replace(/;.*/s, '')
		.trim()
		.toLowerCase()
		.replace(/^image\/jpg$/, 'image/jpeg');
}

function fail(context: OperationContext, problem: string): never {
	throw operationError(context.functions.getNode(), problem, { itemIndex: context.itemIndex });
}
