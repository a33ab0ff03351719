import { isRecord } from '../shared/guards';

type Fields = Record<string, unknown>;

/** As much of a LangChain chat model as n8n's agent and chains call to reach the service. */
interface LangChainModel {
	_generate(messages: Fields[], ...rest: unknown[]): unknown;
	_streamResponseChunks(messages: Fields[], ...rest: unknown[]): unknown;
	bindTools(...tools: unknown[]): LangChainModel;
}

/**
 * Makes a model of n8n's SDK read the images that n8n's agent sends: the SDK drops blocks of the type `image_url`, and loses the
 * media type of those of LangChain's older form. It makes a new model when tools are bound, so that one is changed too.
 * @param model is changed
 */
export function withBlocks(model: unknown): unknown {
	const adapter = model as LangChainModel;
	if (typeof adapter._generate !== 'function') return model;
	const generate = adapter._generate.bind(adapter);
	const stream = adapter._streamResponseChunks.bind(adapter);
	const bindTools = adapter.bindTools.bind(adapter);
	adapter._generate = (messages, ...rest) => generate(messages.map(readBlocks), ...rest);
	adapter._streamResponseChunks = (messages, ...rest) => stream(messages.map(readBlocks), ...rest);
	adapter.bindTools = (...tools) => withBlocks(bindTools(...tools)) as LangChainModel;
	return adapter;
}

/**
 * The blocks of a message in the form that the SDK reads. Of an assistant's earlier messages the text is enough: blocks of another
 * model's thoughts or tool calls are dropped there. The result of a tool is text.
 */
function readBlocks(message: Fields): Fields {
	const { content, type } = message;
	if (!Array.isArray(content) || type === 'ai') return message;
	const copy = Object.create(Object.getPrototypeOf(message) as object) as Fields;
	return Object.assign(copy, message, {
		content: content.map(type === 'tool' ? toText : readBlock),
	});
}

function toText(block: unknown): unknown {
	return isRecord(block) && block.type === 'text'
		? block
		: { type: 'text', text: JSON.stringify(block) };
}

/** A block in the form that the SDK reads as a file. */
function readBlock(block: unknown): unknown {
	if (!isRecord(block)) return block;
	if (typeof block.text === 'string') return { type: 'text', text: block.text };
	const { image_url: image, data, metadata } = block;
	const { url = block.url, detail } = isRecord(image) ? image : { url: image ?? block.url };
	const [, dataType, dataText] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(String(url)) ?? [];
	const isImage = block.type === 'image' || block.type === 'image_url';
	const type = dataType ?? block.mime_type ?? block.mimeType;
	return {
		type: 'file',
		mimeType:
			type ?? (isImage && url !== undefined ? undefined : `a block of the type ${block.type}`),
		data: dataText ?? data,
		metadata: { ...(isRecord(metadata) && metadata), ...(detail !== undefined && { detail }) },
		...(dataType === undefined && url !== undefined && { url }),
	};
}
