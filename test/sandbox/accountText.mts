import type { Sandbox } from './index.mts';

/** What to type into the credentials of n8n, field by field, to use the sandbox. */
export function accountText({ url, intelligenceUrl, keys }: Sandbox): string {
	return `  Compute Marketplace API           Base URL           ${url}
                                    Service Segment    svc
                                    API Key            ${keys.apiKey}
  Compute Marketplace Token API     Base URL           ${url}
                                    Service Segment    svc
                                    Access Token       ${keys.accessToken}
  Compute Intelligence API          Base URL           ${intelligenceUrl}
                                    Retrieval Segment  rag
                                    API Key            ${keys.intelligenceKey}`;
}
