import { createRequire } from 'node:module';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { deployParameters } from '../engine/nodes.mts';
import { rememberSecrets } from '../engine/secrets.mts';
import { test } from './fixture.mts';
import { installation } from './install.mts';
import { packageName } from './manifest.mts';
import { connect, type WorkflowFile } from './workflow.mts';

/** What the tests use of the client of the protocol's own SDK, as n8n has it */
interface Client {
	connect(transport: object): Promise<void>;
	listTools(): Promise<{ tools: Array<{ name: string; inputSchema: object }> }>;
	callTool(call: { name: string; arguments: object }): Promise<{
		isError?: boolean;
		content: Array<{ type: string; text?: string }>;
	}>;
	close(): Promise<void>;
}

const installed = createRequire(join(installation, 'package.json'));
const { Client: McpClient } = installed('@modelcontextprotocol/sdk/client/index.js') as {
	Client: new (info: { name: string; version: string }) => Client;
};
const { StreamableHTTPClientTransport } = installed(
	'@modelcontextprotocol/sdk/client/streamableHttp.js',
) as { StreamableHTTPClientTransport: new (url: URL, options: object) => object };

const fromModel = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;

/** The page docs/approval.md as a workflow: a trigger and a node for each operation, each connected as a tool */
function toolsBehind(path: string): WorkflowFile {
	const deploy = (safety: object) => ({
		resource: 'deployment',
		operation: 'deploy',
		...deployParameters({ resourcePrivateName: fromModel('name'), safety: { ...safety } }),
	});
	const tools = Object.entries({
		Hardware: { resource: 'hardware', operation: 'getAll', returnAll: true },
		Deploy: deploy({ maxPrice: 100 }),
		Unlimited: deploy({}),
		Run: {
			resource: 'vm',
			operation: 'runCommand',
			deploymentId: { __rl: true, mode: 'id', value: fromModel('deployment') },
			command: fromModel('command'),
		},
	});
	const trigger = {
		id: randomUUID(),
		name: 'Server',
		type: '@n8n/n8n-nodes-langchain.mcpTrigger',
		typeVersion: 2.1,
		position: [0, 0],
		parameters: { authentication: 'bearerAuth', path },
		webhookId: path,
		credentials: { httpBearerAuth: { name: 'Bearer' } },
	};
	const nodes = tools.map(([name, parameters], index) => ({
		id: randomUUID(),
		name,
		type: `${packageName}.vmaasTool`,
		typeVersion: 1,
		position: [index * 200, 200],
		parameters,
		credentials: {
			computeMarketplaceApi: { name: 'Compute Marketplace' },
			...(name === 'Run' && { computeSshApi: { name: 'Compute SSH' } }),
		},
	}));
	const toServer = { ai_tool: [[{ node: 'Server', type: 'ai_tool', index: 0 }]] };
	return {
		name: 'MCP server',
		settings: { executionOrder: 'v1' },
		nodes: [trigger, ...nodes],
		connections: Object.fromEntries(tools.map(([name]) => [name, toServer])),
	};
}

test('an MCP client buys within the price limit of the tool, and nothing without one', async ({
	rest,
	sandbox,
	credentials,
	n8n,
	onTestFinished,
}) => {
	const token = randomUUID();
	rememberSecrets('httpBearerAuth', { token });
	const httpBearerAuth = await rest.createCredential('httpBearerAuth', { token });
	const path = randomUUID();
	const workflow = connect(toolsBehind(path), { ...credentials, httpBearerAuth });
	const workflowId = await rest.createWorkflow(workflow);
	await rest.activate(workflowId);
	onTestFinished(async () => await rest.deactivate(workflowId));
	const url = new URL(`${n8n.url}/mcp/${path}`);
	const stranger = new McpClient({ name: 'test', version: '1' });
	await expect(stranger.connect(new StreamableHTTPClientTransport(url, {}))).rejects.toThrow();

	const client = new McpClient({ name: 'test', version: '1' });
	const headers = { authorization: `Bearer ${token}` };
	await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
	onTestFinished(async () => await client.close());
	const { tools } = await client.listTools();
	expect(tools.map(({ name }) => name).sort()).toEqual(['Deploy', 'Hardware', 'Run', 'Unlimited']);
	const call = async (name: string, args: object = {}) => {
		const result = await client.callTool({ name, arguments: args });
		return result.content.map(({ text = '' }) => text).join('\n');
	};
	const offers = JSON.parse(await call('Hardware')) as object[];
	expect(offers).toHaveLength(sandbox.hardware.length);
	const before = sandbox.books.deployments.length;
	const bought = () => sandbox.books.deployments.slice(before);

	expect(await call('Unlimited', { name: 'unlimited' })).toContain('price limit');
	expect(bought()).toEqual([]);
	const answer = await call('Deploy', { name: 'limited' });
	expect(bought().map(({ order }) => order.name)).toEqual(['limited']);
	expect(answer).toContain(bought()[0]?.id);
	expect(await call('Run', { deployment: 'd-1', command: 'id' })).toContain('Allow AI Agents');
});
