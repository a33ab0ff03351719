/** The one file that needs n8n's SDK for AI nodes at run time: the SDK is a preview, and an older n8n does not have it. */
export { getParametersJsonSchema, supplyModel } from '@n8n/ai-node-sdk';
