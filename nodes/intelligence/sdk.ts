/** The only file that needs n8n's SDK for AI nodes at run time: the SDK is a preview, and older versions of n8n do not have it. */
export {
	getParametersJsonSchema,
	supplyMemory,
	supplyModel,
	WindowedChatMemory,
} from '@n8n/ai-node-sdk';
