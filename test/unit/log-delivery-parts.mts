import type { IDataObject, IRun, ITriggerFunctions } from 'n8n-workflow';
import { Delivery, type Activation, type Batch } from '../../nodes/CaasLogsTrigger/delivery.ts';
import { Progress } from '../../nodes/CaasLogsTrigger/progress.ts';
import { BEGINNING, logKey } from '../../nodes/marketplace/log/request.ts';
import { LOG, NODE, settingsOf } from './log-parts.mts';
import { pass } from './still-time.mts';

interface Deferred {
	promise: Promise<IRun | undefined>;
	resolve(run?: IRun): void;
	reject(reason: unknown): void;
}

function deferred(): Deferred {
	const one = {} as Deferred;
	one.promise = new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
	return one;
}

/** An n8n whose executions end as a test says. */
function n8n() {
	const saved: IDataObject = {};
	const executions: Array<{
		key: string;
		json: IDataObject | undefined;
		end: (status?: string) => Promise<void>;
		fail: (reason: unknown) => Promise<void>;
	}> = [];
	/** The key of each `emit` without items, which only saves. */
	const saves: string[] = [];
	const database = { hangs: false };
	const warnings: string[] = [];
	const functions = {
		getNode: () => NODE,
		getWorkflow: () => ({ id: 'w' }),
		getWorkflowStaticData: () => saved,
		logger: { warn: (text: string) => warnings.push(text) },
		helpers: { createDeferredPromise: deferred },
		emit([items]: [Array<{ json: IDataObject }>], _: undefined, done: Deferred, key: string) {
			if (items.length === 0) {
				saves.push(key);
				if (database.hangs) return;
				done.resolve();
				return;
			}
			executions.push({
				key,
				json: items[0]?.json,
				end: async (status = 'success') => {
					done.resolve({ status } as IRun);
					await pass();
				},
				fail: async (reason) => {
					done.reject(reason);
					await pass();
				},
			});
		},
	} as unknown as ITriggerFunctions;
	return { functions, executions, saves, saved, database, warnings };
}

/** A delivery that is attached to an activation, and batches for it. */
export function attached(
	changes: Partial<Activation['settings']> = {},
	delivery = new Delivery('beginning'),
) {
	const host = n8n();
	const controller = new AbortController();
	const reports: string[] = [];
	const activation: Activation = {
		functions: host.functions,
		settings: settingsOf(changes),
		signal: controller.signal,
		report: ({ message, description }) => reports.push(`${message}. ${description ?? ''}`),
	};
	delivery.attach(activation);
	let count = 0;
	const progressOf = (log: Batch['log']) => {
		const key = logKey(log);
		const known =
			delivery.logs.get(key) ?? new Progress({ offset: BEGINNING, from: BEGINNING, known: [] });
		delivery.logs.set(key, known);
		return known;
	};
	const batch = (containerId = 'c', more: Partial<Batch> = {}): Batch => {
		const log = { ...LOG, containerId };
		const progress = progressOf(log);
		const number = count++;
		const offset = { entries: number, bytes: 0, lastEventId: '' };
		const unfinished = progress.begin({ offset, from: BEGINNING, known: [] });
		progress.follow(() => ({ offset: { ...offset, entries: count }, from: BEGINNING, known: [] }));
		const items = [{ json: { offset: number } }];
		return { log, progress, unfinished, items, lines: 1, ...more };
	};
	const results: boolean[] = [];
	const deliver = async (one = batch()) => {
		void delivery.deliver(activation, one).then((result) => results.push(result));
		await pass();
	};
	const starts = () => host.executions.map(({ json }) => json?.offset);
	const stop = async () => await Promise.resolve(controller.abort());
	return { ...host, delivery, activation, batch, deliver, reports, results, starts, stop };
}
