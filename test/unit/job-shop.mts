import type { IDataObject } from 'n8n-workflow';
import { VMAAS, type ProductContext } from '../../nodes/marketplace/product.ts';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { jobBench, type Bench, type Said } from './job-bench.mts';

/** A service that sells one VM, on which a job runs. */
export interface Shop extends Bench {
	/** The bodies of the requests to deploy. */
	readonly sold: IDataObject[];
	/** The IDs of what was sold, each another one in this process, which remembers them. */
	readonly ids: string[];
	/** The execution of all its contexts: a name that was bought is remembered, too. */
	readonly executionId: string;
}

let shops = 0;
let sales = 0;

/** What it shows of what was bought. */
export const CHOSEN = {
	hardware_id: 1,
	hardware_name: 'H100',
	location: 'US',
	gpus_per_vm: 1,
	duration_hours: 2,
	total_price: 2,
	hourly_price: 1,
	currency: 'usdc',
};

const OFFER = { deploy_id: 1, name: 'H100', num_cards: 1, price: 1, location: 'US' };

/** @param shown what the details show of what was bought, besides ID and name */
export function shopOf(changes: Partial<Bench> = {}, shown: IDataObject = {}): Shop {
	const sold: IDataObject[] = [];
	const ids: string[] = [];
	const bench = jobBench({
		details: undefined,
		instead(request, body) {
			if (request.endsWith('/hardware')) return [200, { data: { hardware: [OFFER] } }];
			if (request.endsWith('/price')) return [200, { data: { total_cost_usdc: 2 } }];
			if (!request.endsWith('/deploy')) return undefined;
			const order = JSON.parse(String(body)) as IDataObject;
			sold.push(order);
			const { resource_private_name: name } = order;
			const id = `dep-${++sales}`;
			ids.push(id);
			bench.details = { deployment_id: id, name, status: 'running', ...shown };
			return [200, { data: { deployment_id: id } }];
		},
		...changes,
	});
	return Object.assign(bench, { sold, ids, executionId: `execution ${++shops}` });
}

/** A context whose journal is that of the execution: another one of the same shop is a retry. */
export function jobContext(shop: Shop, itemIndex = 0): ProductContext {
	const context = shop.context(itemIndex);
	Object.assign(context.functions, {
		getExecutionId: () => shop.executionId,
		getInputData: () => [],
		addExecutionHints: () => undefined,
	});
	return { ...context, product: VMAAS, journal: openJournals(context.functions)(itemIndex) };
}

/** A VM that does what it is told, and says this of its job. */
export const working =
	(look: () => Said, found: Said = FOUND_NOTHING) =>
	(script: string) => {
		if (script.includes('echo complete')) return look();
		return script.includes('count=0') ? found : { exitCode: 0 };
	};

const FOUND_NOTHING: Said = { stdout: 'count 0\0', exitCode: 0 };

export const destroyedBy = ({ requests }: Bench) =>
	requests.filter((one) => one.startsWith('DELETE')).length;
