import type { IDataObject, INodeExecutionData, IRun, NodeApiError } from 'n8n-workflow';
import { outputOf } from './engine.mts';

/** The error that ended a run. */
export function errorOf(run: IRun): NodeApiError {
	const { error } = run.data.resultData;
	if (!error) throw new Error(`The run ended without an error: ${JSON.stringify(outputOf(run))}`);
	return error as NodeApiError;
}

/** The JSON of a run's items. */
export function jsonOf(run: IRun): IDataObject[] {
	return outputOf(run).map((item: INodeExecutionData) => item.json);
}

/** The JSON of a run's only item. */
export function onlyJson(run: IRun): IDataObject {
	const [json, ...others] = jsonOf(run);
	if (!json || others.length > 0)
		throw new Error(`Expected one item, got ${others.length + (json ? 1 : 0)}`);
	return json;
}
