import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { RequestContext } from '../shared/http/request';
import type { OperationContext } from '../shared/operation/context';
import { executionStore } from '../shared/operation/flow';
import type { OutputItem } from '../shared/operation/items';
import type { Operation } from '../shared/operation/operation';

/** What the two products of the service differ in; all else about a deployment is the same (beyond-the-spec.md sections 1 and 2). */
export interface Product {
	/** Prefix of all its paths (compute-api.md "Endpoints"). */
	path: string;
	/** In notes, and before names and IDs that another product may have as well. */
	key: 'vmaas' | 'caas';
	/** What it deploys, in words: `container deployment`. */
	deployment: string;
	/** What one deployment has one or several of. */
	worker: string;
	workers: string;
	/** The service's keys for the GPUs of a worker, and for the number of workers. */
	gpusKey: string;
	workersKey: string;
	/** Whether prices may be asked for in other currencies. */
	hasCurrencies: boolean;
	/** The operation that shows the workers, for advice. */
	workerOperation: string;
}

export const VMAAS: Product = {
	path: '/enterprise/v1/{service}-cloud/vmaas',
	key: 'vmaas',
	deployment: 'deployment',
	worker: 'VM',
	workers: 'VMs',
	gpusKey: 'gpus_per_vm',
	workersKey: 'total_vms',
	hasCurrencies: true,
	workerOperation: 'VM > Get Many',
};

export const CAAS: Product = {
	path: '/enterprise/v1/{service}-cloud/caas',
	key: 'caas',
	deployment: 'container deployment',
	worker: 'container',
	workers: 'containers',
	gpusKey: 'gpus_per_container',
	workersKey: 'total_containers',
	hasCurrencies: false,
	workerOperation: 'Container > Get Many',
};

/** A request to the service about one product. */
export interface ProductRequest extends RequestContext {
	product: Product;
}

/** What an operation on one product gets for one item. */
export interface ProductContext extends OperationContext {
	product: Product;
}

/** An operation on a product that is not chosen yet. */
export interface ProductOperation<Input> extends Omit<Operation<Input>, 'again' | 'run'> {
	again?(context: ProductContext, results: IDataObject[]): Promise<OutputItem[]>;
	run(context: ProductContext, input: Input): Promise<OutputItem[]>;
}

/** The operation on this product. */
export function onProduct<Input>(
	product: Product,
	{ again, run, ...operation }: ProductOperation<Input>,
): Operation<Input> {
	return {
		...operation,
		...(again && {
			again: async (context, results) => await again({ ...context, product }, results),
		}),
		run: async (context, input) => await run({ ...context, product }, input),
	};
}

/**
 * The account of a node: its key decides, since several credentials may hold it, and one credential may get another key. Two keys of
 * one account are not known to be of one.
 */
export function accountKey({ account }: RequestContext): string {
	return JSON.stringify([account.baseUrl, account.segments, account.keyHash]);
}

/** One product of one account: another one may have the same names and IDs. */
export function ownerKey(context: ProductContext): string {
	return JSON.stringify([accountKey(context), context.product.key]);
}

/** As {@link accountKey}, for what is saved with an execution. */
function accountHash(context: RequestContext): string {
	return createHash('sha256').update(accountKey(context)).digest('hex').slice(0, 16);
}

/** As `executionStore`, for one product of one account: another one may have the same names and IDs. */
export function productStore<T>(context: ProductContext, part: string): Record<string, T> {
	const { functions, product } = context;
	return executionStore<T>(functions, `${product.key} ${accountHash(context)} ${part}`);
}

/** What a note says of the product and the account that it is of. */
export function ownerOf(context: ProductContext): { product: string; account: string } {
	return { product: context.product.key, account: accountHash(context) };
}

/** Whether a note is of this product and this account; those of an earlier version name no account. */
export function isOwn(context: ProductContext, note: IDataObject): boolean {
	const { product, account } = ownerOf(context);
	return note.product === product && (note.account ?? account) === account;
}
