import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { start } from '../../nodes/CaasLogsTrigger/activation.ts';
import { Body, functionsOf, NODE, type Answered } from './log-parts.mts';
import { pass } from './still-time.mts';

let nodes = 0;
const REQUIRED: INodeParameters = {
	authentication: 'apiKey',
	deploymentId: 'd',
	containerIds: ['c'],
	streams: ['stdout'],
	startFrom: 'beginning',
	batch: { maxWaitMs: 10 },
	options: {},
};

/** A trigger node of n8n, whose executions end at once. */
export function trigger(changes: INodeParameters = {}, rows: string[] = ['one', 'two', 'three']) {
	const id = `node ${nodes++}`;
	const parameters: INodeParameters = { ...REQUIRED, ...changes };
	const host = { mode: 'trigger', activation: 'activate' };
	const log = [...rows];
	const saved: IDataObject = {};
	const lines: unknown[] = [];
	const failures: string[] = [];
	const offsets: unknown[] = [];
	const service: { answer: () => Promise<Answered> | Answered } = { answer: () => ({}) };
	service.answer = () => ({
		body: new Body().write(
			log
				.slice(Number(offsets.at(-1) ?? 0))
				.map((row) => `${row}\n`)
				.join(''),
		),
	});
	const functions = functionsOf(
		async ({ url, qs }) => {
			if (!url.includes('/log/')) return { status: 404 };
			offsets.push(qs.offset);
			return await service.answer();
		},
		{
			getNode: () => ({ ...NODE, id, name: id }),
			getWorkflow: () => ({ id: 'w' }),
			getMode: () => host.mode,
			getActivationMode: () => host.activation,
			getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
			getWorkflowStaticData: () => saved,
			logger: { warn: (text: string) => failures.push(text) },
			saveFailedExecution: ({ message }: Error) => failures.push(message),
			emit(
				[items]: [Array<{ json: IDataObject }>],
				_: unknown,
				done?: { resolve(run: object): void },
			) {
				lines.push(...items.map(({ json }) => json.line ?? json.event));
				done?.resolve({ status: 'success' });
			},
		},
	);
	const { helpers } = functions;
	Object.assign(helpers, {
		createDeferredPromise: () => {
			const one: Record<string, unknown> = {};
			one.promise = new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
			return one;
		},
	});
	/** Activates it, and closes it after some time. */
	const live = async (activation = 'activate', meanwhile?: () => void) => {
		host.activation = activation;
		const before = lines.length;
		const started = start(functions);
		await pass(6_000);
		const { closeFunction } = await started;
		meanwhile?.();
		await pass(30_000);
		const closed = closeFunction?.();
		await pass(20_000);
		await closed;
		return lines.slice(before);
	};
	return { functions, parameters, host, log, saved, lines, failures, offsets, service, live };
}
