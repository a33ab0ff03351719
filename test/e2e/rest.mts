/** What the editor asks of n8n's own REST interface, as far as the end-to-end tests need it */

export interface NodeTypeDescription {
	name: string;
	displayName: string;
	version: number | number[];
	group: string[];
	inputs: unknown;
	iconUrl?: string | { light: string; dark: string };
	codex?: { categories?: string[] };
	credentials?: Array<Pick<NodeProperty, 'name' | 'displayOptions'>>;
	properties: NodeProperty[];
}

export interface NodeProperty {
	name: string;
	displayName: string;
	type: string;
	default: unknown;
	/** Choices, the fields of a collection, or the groups of a fixed collection */
	options?: Array<Partial<NodeProperty> & { name: string; value?: unknown; values?: NodeProperty[] }>;
	typeOptions?: { multipleValues?: boolean };
	displayOptions?: { show?: Record<string, unknown[]>; hide?: Record<string, unknown[]> };
}

export interface CredentialTypeDescription {
	name: string;
	displayName: string;
	documentationUrl?: string;
	iconUrl?: string | { light: string; dark: string };
	test?: unknown;
	extends?: string[];
}

export interface TestResult {
	status: 'OK' | 'Error';
	message: string;
}

export interface WorkflowDraft {
	name: string;
	nodes: unknown[];
	connections: unknown;
	settings?: unknown;
}

export const owner = {
	email: 'owner@example.com',
	firstName: 'Test',
	lastName: 'Owner',
	// For an n8n that lives for a minute on this machine only
	password: 'Only-For-A-Minute-1',
};

export class Rest {
	#cookie = '';

	constructor(readonly url: string) {}

	async setUpOwner(): Promise<void> {
		const response = await this.#send('POST', '/rest/owner/setup', owner);
		this.#cookie = response.headers
			.getSetCookie()
			.map((cookie) => cookie.split(';', 1)[0] ?? '')
			.join('; ');
	}

	nodeTypes(): Promise<NodeTypeDescription[]> {
		return this.#json('/types/nodes.json');
	}

	credentialTypes(): Promise<CredentialTypeDescription[]> {
		return this.#json('/types/credentials.json');
	}

	/** The bytes of a file that n8n serves, such as an icon */
	async file(path: string): Promise<{ type: string; text: string }> {
		const response = await this.#send('GET', path.startsWith('/') ? path : `/${path}`);
		return { type: response.headers.get('content-type') ?? '', text: await response.text() };
	}

	async createCredential(type: string, data: Record<string, unknown>, name = type): Promise<string> {
		const { id } = await this.#data<{ id: string }>('/rest/credentials', { name, type, data });
		return id;
	}

	/** Saves the credential and lets n8n test it, as its form does */
	async testCredential(type: string, data: Record<string, unknown>): Promise<TestResult> {
		const id = await this.createCredential(type, data);
		return await this.#data('/rest/credentials/test', { credentials: { id, name: type, type, data } });
	}

	async createWorkflow(draft: WorkflowDraft): Promise<string> {
		const { id } = await this.#data<{ id: string }>('/rest/workflows', { settings: {}, ...draft });
		return id;
	}

	/** Saves the workflow and publishes it, so that its triggers run */
	async publishWorkflow(draft: WorkflowDraft): Promise<string> {
		const { id, versionId } = await this.#data<{ id: string; versionId: string }>('/rest/workflows', { settings: {}, ...draft });
		await this.#data(`/rest/workflows/${id}/activate`, { versionId });
		return id;
	}

	async #data<T>(path: string, body: unknown): Promise<T> {
		const response = await this.#send('POST', path, body);
		const { data } = (await response.json()) as { data: T };
		return data;
	}

	async #json<T>(path: string): Promise<T> {
		const response = await this.#send('GET', path);
		return (await response.json()) as T;
	}

	async #send(method: string, path: string, body?: unknown): Promise<Response> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: { 'content-type': 'application/json', cookie: this.#cookie },
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		if (!response.ok) {
			throw new Error(`n8n answered ${response.status} to ${method} ${path}: ${await response.text()}`);
		}
		return response;
	}
}
