import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeExecutionData } from 'n8n-workflow';
import { fileItem, type Sandbox } from './run.mts';

/** How a saved workflow is run; most need nothing of this. */
export interface Case {
	/** What the service has before. Its requests are not recorded. */
	before?: (sandbox: Sandbox) => Promise<void>;
	/** Its executions, one after the other: the trigger that starts one, where there are several, and what it brings. */
	executions?: Array<{ start?: string; items?: INodeExecutionData[] }>;
	/** How many items its trigger delivers; it is activated, and not run. */
	follows?: number;
	/** Reads that are what the workflow is for: they must still be sent, with the same filters. */
	asks?: RegExp;
	/** What differs from run to run, and its replacement. */
	volatile?: Array<[RegExp, string]>;
}

const KEY =
	'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGk4pZDaIei5shtCoeMCuXiUcyd82DvBJuCALXACjhB example';

/** Deployments `frozen-1`, `frozen-2`, … that run. */
function running(count: number): (sandbox: Sandbox) => Promise<void> {
	return async ({ url, keys, clock }) => {
		for (let number = 1; number <= count; number++) {
			const response = await fetch(`${url}/enterprise/v1/svc-cloud/vmaas/deploy`, {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'x-api-key': keys.apiKey },
				body: JSON.stringify({
					resource_private_name: `frozen-${number}`,
					hardware_id: 7,
					gpus_per_vm: 1,
					location_ids: ['us-west-2'],
					duration_hours: 48,
					ssh_keys: { laptop: KEY },
				}),
			});
			if (!response.ok) throw new Error(`The sandbox did not deploy: ${await response.text()}`);
		}
		clock.advance(60_000);
	};
}

const note = fileItem('note.md', '# Billing\n\nThe first hour is never refunded.', 'text/markdown');
const other = fileItem('other.txt', 'Machines are destroyed at the end.').binary?.data;
const today: [RegExp, string] = [/\d{4}-\d\d-\d\d(?=")/g, '<today>'];
const question: INodeExecutionData[] = [{ json: { chatInput: 'Is the first hour refunded?' } }];

function handbook(field: string): INodeExecutionData[] {
	const file = path.resolve(import.meta.dirname, '../../../examples/documents/billing.md');
	const { binary } = fileItem('billing.md', readFileSync(file), 'text/markdown');
	return binary?.data ? [{ json: {}, binary: { [field]: binary.data } }] : [];
}

export const cases: Record<string, Case> = {
	'caas-log': { asks: /\/log\// },
	'caas-read': { asks: /caas/ },
	'chat-lists': { asks: /models|agents/ },
	// The filters of the list decide what is bought
	'example-price-watch': { asks: /hardware/ },
	'example-rag-ask-with-fallback': { executions: [{ items: question }] },
	'example-rag-from-files': {
		executions: [
			{ start: 'When a Document Is Dropped In', items: handbook('Document') },
			{ start: 'When a Question Is Asked', items: question },
		],
		volatile: [today],
	},
	'example-rag-nightly-reindex': { executions: [{ items: handbook('data') }], volatile: [today] },
	'example-weekend-guard': {
		before: async (sandbox) => {
			await running(2)(sandbox);
			sandbox.clock.advance(13 * 3_600_000);
		},
	},
	explorer: { asks: /devices/ },
	'rag-document-file': {
		executions: [{ items: [{ ...note, ...(other && { binary: { ...note.binary, other } }) }] }],
	},
	'rag-chunks': { asks: /chunks/ },
	'rag-collections': { asks: /collections/ },
	'rag-conversations': { asks: /conversations/ },
	'rag-documents': { asks: /documents/ },
	'rag-graphs': { asks: /graphs/ },
	'rag-prompts': { asks: /prompts/ },
	'rag-system': { asks: /system|users|indices|health/ },
	'trigger-defaults': { follows: 48, asks: /\/log\// },
	'trigger-offset': { follows: 1, asks: /\/log\// },
	'trigger-options': { follows: 16, asks: /\/log\// },
	'vmaas-deploy-cheapest': { asks: /hardware/ },
	'vmaas-deploy-unique-name': { volatile: [[/(frozen-unique-)[^"]+/g, '$1<suffix>']] },
	'vmaas-destroy': { before: running(2) },
	'vmaas-destroy-many': { before: running(4) },
	'vmaas-destroy-several': { before: running(3) },
	'vmaas-extend': { before: running(1) },
	'vmaas-read': { before: running(1), asks: /vmaas/ },
	'vmaas-wait-for': { before: running(1) },
};
