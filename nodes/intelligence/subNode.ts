import { NodeOperationError } from 'n8n-workflow';
import type {
	AINodeConnectionType,
	IDataObject,
	INodeProperties,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import { openAccount } from '../shared/http/credentials';
import type { RequestContext } from '../shared/http/request';
import { Parameters } from '../shared/operation/parameters';
import { INTELLIGENCE_CREDENTIALS } from './credentials';

/** The checked parameters of a sub-node for one item. */
export function subNodeParameters(
	functions: ISupplyDataFunctions,
	itemIndex: number,
	fields: INodeProperties[],
): Parameters {
	return new Parameters(functions.getNode(), itemIndex, fields, (name) =>
		functions.getNodeParameter(name, itemIndex, ''),
	);
}

/**
 * What the requests of a sub-node need; they end with the execution.
 * @throws the error of a credential that is missing or not valid
 */
export async function subNodeContext(
	functions: ISupplyDataFunctions,
	itemIndex: number,
): Promise<RequestContext & { functions: ISupplyDataFunctions; itemIndex: number }> {
	const account = await openAccount(functions, INTELLIGENCE_CREDENTIALS);
	return { functions, account, signal: functions.getExecutionCancelSignal(), itemIndex };
}

/** One call of a sub-node, as n8n's log view shows it. */
export interface LoggedCall<T> {
	connection: AINodeConnectionType;
	input: IDataObject;
	work(): Promise<T>;
	/** What the log shows of the result. */
	output(result: T): IDataObject;
}

/**
 * Runs a call of a sub-node and shows it in n8n's log view, as n8n's own nodes do by a wrapper that other packages cannot use.
 * @throws the error of the call, which the log shows too
 */
export async function logged<T>(
	functions: ISupplyDataFunctions,
	{ connection, input, work, output }: LoggedCall<T>,
): Promise<T> {
	const { index } = functions.addInputData(connection, [[{ json: input }]]);
	try {
		const result = await work();
		functions.addOutputData(connection, index, [[{ json: output(result) }]]);
		return result;
	} catch (caught) {
		const error = caught as NodeOperationError;
		functions.addOutputData(connection, index, error);
		throw error;
	}
}

/**
 * n8n's SDK for AI nodes. Loaded on demand: it takes longer to load than all nodes of this package, and they work without it.
 * @param what needs it, as the beginning of a sentence
 * @throws where this n8n does not have it
 */
export async function loadSdk(functions: ISupplyDataFunctions, itemIndex: number, what: string) {
	const sdk = await import('./sdk.js').catch(() => undefined);
	if (sdk) return sdk;
	throw new NodeOperationError(functions.getNode(), 'This n8n does not have the SDK for AI nodes', {
		itemIndex,
		description: `${what} requires n8n 2.16 or later. The other nodes of the package work without the SDK.`,
	});
}
