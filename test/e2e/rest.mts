import { randomUUID } from 'node:crypto';
import { rememberSecrets } from '../engine/secrets.mts';
import { packageName } from './manifest.mts';
import { owner } from './owner.mts';
import { until } from './until.mts';

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
	options?: Array<
		Partial<NodeProperty> & { name: string; value?: unknown; values?: NodeProperty[] }
	>;
	typeOptions?: { multipleValues?: boolean; loadOptionsMethod?: string };
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
	pinData?: Record<string, unknown>;
}

/** What a node did in a run, as n8n's own API tells it */
export interface NodeRun {
	executionStatus?: string;
	error?: { message: string; description?: string | null };
	data?: { main?: Array<Array<{ json: Record<string, unknown> }> | null> };
	metadata?: { resumeFormUrl?: string };
}

export interface Execution {
	id: string;
	status: string;
	workflowId: string;
	data?: {
		resultData: {
			error?: { message: string };
			lastNodeExecuted?: string;
			runData: Record<string, NodeRun[]>;
		};
	};
}

/** A test run of n8n: the averages of its metrics over all rows of its table */
export interface Evaluation {
	status: string;
	finalResult?: string;
	metrics?: Record<string, number> | null;
	/** One for each row */
	testCaseExecutions?: object[];
}

export interface ExecutionQuery {
	workflowId?: string;
	status?: 'success' | 'error' | 'canceled' | 'crashed' | 'running' | 'waiting';
	includeData?: 'true';
}

/** The package's nodes, without the tools for AI agents that n8n makes of some of them */
export async function ownNodeTypes(rest: Rest): Promise<NodeTypeDescription[]> {
	const types = await rest.nodeTypes();
	return types.filter(({ name }) => name.startsWith(`${packageName}.`) && !name.endsWith('Tool'));
}

const ACTIVATION_MS = 60_000;

const DAY_SECONDS = 86_400;

export class Rest {
	#cookie: string;

	#apiKey = '';

	/** @param session the cookie of somebody who is logged in already; it outlives a restart of n8n */
	constructor(
		readonly url: string,
		session = '',
	) {
		this.#cookie = session;
	}

	/** The cookie of the one who is logged in. n8n allows only a few logins a minute */
	get session(): string {
		return this.#cookie;
	}

	/** Creates the owner's account, and logs in as the owner */
	async setUpOwner(person = owner): Promise<void> {
		const response = await this.#send('POST', '/rest/owner/setup', person);
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

	async createCredential(
		type: string,
		data: Record<string, unknown>,
		name = type,
	): Promise<string> {
		rememberSecrets(name, data);
		const { id } = await this.#data<{ id: string }>('/rest/credentials', { name, type, data });
		return id;
	}

	/** Saves the credential and lets n8n test it, as its form does */
	async testCredential(type: string, data: Record<string, unknown>): Promise<TestResult> {
		const id = await this.createCredential(type, data);
		return await this.#data('/rest/credentials/test', {
			credentials: { id, name: type, type, data },
		});
	}

	async createWorkflow(draft: WorkflowDraft): Promise<string> {
		const { id } = await this.#data<{ id: string }>('/rest/workflows', { settings: {}, ...draft });
		return id;
	}

	/** As the editor's "Execute workflow" button at one trigger does */
	async run(workflowId: string, trigger: string): Promise<string> {
		const answer = await this.#data<{ executionId?: string }>(`/rest/workflows/${workflowId}/run`, {
			triggerToStartFrom: { name: trigger },
		});
		if (answer.executionId === undefined)
			throw new Error(`n8n did not start at "${trigger}": ${JSON.stringify(answer)}`);
		return answer.executionId;
	}

	/** Activates the workflow as it was saved last, and waits until its triggers listen */
	async activate(workflowId: string): Promise<void> {
		await this.#public('POST', `/workflows/${workflowId}/activate`);
		const path = `/rest/workflows/${workflowId}/publication-status`;
		await until(
			'the workflow is active',
			async () => {
				const { data } = await this.#json<{ data: { status: string } }>(path);
				if (data.status !== 'published' && data.status !== 'in_progress')
					throw new Error(`the workflow is not active: ${JSON.stringify(data)}`);
				return data.status === 'published';
			},
			ACTIVATION_MS,
		);
	}

	async deactivate(workflowId: string): Promise<void> {
		await this.#public('POST', `/workflows/${workflowId}/deactivate`);
	}

	async execution(id: string): Promise<Execution> {
		return await this.#public('GET', `/executions/${id}?includeData=true`);
	}

	/** As the button of the Evaluations tab does. Returns the ID of the evaluation */
	async startEvaluation(workflowId: string): Promise<string> {
		const path = `/rest/workflows/${workflowId}/test-runs/new`;
		const response = await this.#send('POST', path, {});
		const { testRunId } = (await response.json()) as { testRunId: string };
		return testRunId;
	}

	async evaluation(workflowId: string, testRunId: string): Promise<Evaluation> {
		const path = `/rest/workflows/${workflowId}/test-runs/${testRunId}`;
		const { data } = await this.#json<{ data: Evaluation }>(path);
		return data;
	}

	/** As a person who stops an execution */
	async stop(executionId: string): Promise<void> {
		await this.#public('POST', `/executions/${executionId}/stop`);
	}

	/** As the button Retry in the list of executions. Returns how the new execution has ended */
	async retry(executionId: string): Promise<string> {
		const path = `/rest/executions/${executionId}/retry`;
		const { status } = await this.#data<{ status: string }>(path, { loadWorkflow: false });
		return status;
	}

	/** Every execution that fits, all pages */
	async executions(query: ExecutionQuery = {}): Promise<Execution[]> {
		const found: Execution[] = [];
		let cursor: string | null = '';
		while (cursor !== null) {
			const asked = new URLSearchParams({
				limit: '250',
				...query,
				...(cursor !== '' && { cursor }),
			});
			const page: { data: Execution[]; nextCursor: string | null } = await this.#public(
				'GET',
				`/executions?${asked}`,
			);
			found.push(...page.data);
			cursor = page.nextCursor;
		}
		return found;
	}

	/** n8n's public API, with a key that is made on first use */
	async #public<T>(method: string, path: string, body?: unknown): Promise<T> {
		if (this.#apiKey === '') {
			const scopes = await this.#json<{ data: string[] }>('/rest/api-keys/scopes');
			const expiresAt = Math.floor(Date.now() / 1000) + DAY_SECONDS;
			const made = await this.#data<{ rawApiKey: string }>('/rest/api-keys', {
				label: randomUUID(),
				scopes: scopes.data,
				expiresAt,
			});
			this.#apiKey = made.rawApiKey;
		}
		const response = await this.#send(method, `/api/v1${path}`, body);
		return (await response.json()) as T;
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
			// n8n closes connections that wait, and a busy one does so just when the next request comes
			headers: {
				connection: 'close',
				'content-type': 'application/json',
				cookie: this.#cookie,
				'x-n8n-api-key': this.#apiKey,
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		if (!response.ok) {
			throw new Error(
				`n8n answered ${response.status} to ${method} ${path}: ${await response.text()}`,
			);
		}
		return response;
	}
}
