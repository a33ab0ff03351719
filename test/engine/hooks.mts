import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { IDataObject, INodeExecutionData, IRun, NodeApiError } from 'n8n-workflow';
import { outputOf, type RunOptions } from './engine.mts';
import { startBench, vmaas, type Bench } from './fixture.mts';
import { useSandboxTime, type SandboxTime } from './time.mts';
import type { RecordedRequest, SandboxOptions } from '../sandbox/index.mts';

/** n8n's Retry On Fail, without its pauses. */
export const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** A sandbox on its own clock with an engine, for one test file; every test begins with a fresh service. */
export class MoneyBench {
	private bench?: Bench;
	private sandboxTime?: SandboxTime;

	constructor(options: SandboxOptions = {}) {
		beforeAll(async () => {
			this.bench = await startBench(options);
			this.sandboxTime = useSandboxTime(this.bench.sandbox);
		});
		beforeEach(() => {
			this.sandbox.reset();
			this.time.waits.length = 0;
			this.time.onWait = undefined;
		});
		afterAll(async () => {
			this.sandboxTime?.restore();
			await this.bench?.sandbox.close();
		});
	}

	get engine() {
		if (!this.bench) throw new Error('The bench is not up yet');
		return this.bench.engine;
	}

	get sandbox() {
		if (!this.bench) throw new Error('The bench is not up yet');
		return this.bench.sandbox;
	}

	get time(): SandboxTime {
		if (!this.sandboxTime) throw new Error('The bench is not up yet');
		return this.sandboxTime;
	}

	/** Runs one operation on a deployment. */
	async run(
		operation: string,
		parameters: IDataObject,
		settings = {},
		items: IDataObject[] = [{}],
		options: RunOptions = {},
	): Promise<IRun> {
		if (!this.bench) throw new Error('The bench is not up yet');
		return await this.bench.engine.run(
			vmaas('deployment', operation, parameters, settings),
			items,
			options,
		);
	}

	/** Requests whose method and path match. */
	sent(method: string, path: RegExp): RecordedRequest[] {
		return this.sandbox.requests.filter(
			(request) => request.method === method && path.test(request.path),
		);
	}
}

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
