import { NodeOperationError } from 'n8n-workflow';
import type { INodeExecutionData, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { BEGINNING, logKey, type LogName } from '../marketplace/log/request';
import type { NodeError } from '../shared/http/errors';
import { deadline, firstAbort } from '../shared/time';
import { Delivery, type Activation } from './delivery';
import { Follower, type FollowerCallbacks } from './follower';
import { LogReader } from './logReader';
import { Progress } from './progress';
import { readSettings, type Settings } from './settings';
import { joinSiblings } from './staticData';

/** n8n waits for the activation of a trigger: what takes longer continues in the background. */
const START_MS = 5_000;
/** How long a manual execution waits for lines. */
const MANUAL_MS = 30_000;
/** Longest time for a batch in a manual execution, since a person is waiting. */
const MAX_MANUAL_BATCH_MS = 5_000;
/** Activations that no person asked for: n8n has restarted, or another process takes over. */
const RESUMING_MODES: string[] = ['init', 'leadershipChange'];

/** The trigger node of a workflow that is active, or was until it was deactivated. */
interface ActiveTrigger {
	follower: Follower;
	delivery: Delivery;
}

/**
 * By workflow and node. n8n may activate a trigger a second time before it has closed the first one, and executions of the first one
 * may still run.
 */
const activeTriggers = new Map<string, ActiveTrigger>();

/**
 * Starts the trigger: for an active workflow or for a manual execution in the editor.
 * @throws for a wrong parameter, and if a person activates it and no log can be followed
 */
export async function start(functions: ITriggerFunctions): Promise<ITriggerResponse> {
	const settings = readSettings(functions);
	return functions.getMode() === 'manual'
		? executeManually(functions, settings)
		: await activate(functions, settings);
}

async function activate(
	functions: ITriggerFunctions,
	settings: Settings,
): Promise<ITriggerResponse> {
	const key = `${functions.getWorkflow().id}:${functions.getNode().id}`;
	let earlier = activeTriggers.get(key);
	for (;;) {
		await earlier?.follower.close();
		const other = activeTriggers.get(key);
		if (other === earlier) break;
		// While one was closing, another activation came first
		earlier = other;
	}
	const isResuming = RESUMING_MODES.includes(functions.getActivationMode());
	const delivery = chooseDelivery(functions, settings, isResuming, earlier?.delivery);
	const report = (error: NodeError) =>
		typeof functions.saveFailedExecution === 'function'
			? functions.saveFailedExecution(error)
			: functions.logger.warn(error.message);
	const callbacks: FollowerCallbacks = {
		deliver: async (batch) => await delivery.deliver(activation, batch),
		report,
		event: (json) => functions.emit([[{ json }]]),
	};
	const follower = new Follower(functions, settings, callbacks, earlier?.follower.rate);
	const trigger: ActiveTrigger = { follower, delivery };
	activeTriggers.set(key, trigger);
	const leaveSiblings = joinSiblings(functions);
	const activation: Activation = { functions, settings, signal: follower.signal, report };
	delivery.attach(activation);
	const isKnown = [...delivery.logs.values()].some(
		({ committed, leftAt }) => leftAt === undefined && committed.offset.entries > 0,
	);
	const error = await startFollowing(follower, delivery.logs, isResuming);
	// What was followed before is followed again: the credential or the service may be wrong for a while only
	if (error && !isResuming && !isKnown) {
		await follower.close();
		leaveSiblings();
		activeTriggers.delete(key);
		throw error;
	}
	// n8n saves static data once more after an activation: by now it is known where "now" was
	if (activeTriggers.get(key) === trigger) delivery.write(functions);
	return {
		closeFunction: async () => {
			await delivery.close(async () => await follower.close());
			leaveSiblings();
			if (delivery.isSaved && activeTriggers.get(key) === trigger) activeTriggers.delete(key);
		},
	};
}

/** The delivery to resume with: the one in memory, else what n8n has saved; or a new one if the form wants another start. */
function chooseDelivery(
	functions: ITriggerFunctions,
	settings: Settings,
	isResuming: boolean,
	earlier?: Delivery,
): Delivery {
	const { startFrom, offset, newestLines } = settings;
	const number = startFrom === 'offset' ? offset : newestLines;
	const hasNumber = startFrom === 'offset' || startFrom === 'newest';
	const startSetting = hasNumber ? `${startFrom} ${number}` : startFrom;
	// n8n never tells of the end of an execution that is stopped or deleted in its queue: a person must be able to end the wait
	const isGivenUp = earlier?.isStuck === true && functions.getActivationMode() === 'activate';
	const found =
		earlier && !isGivenUp ? earlier : Delivery.load(functions.getWorkflowStaticData('node'));
	const resumes =
		found !== undefined &&
		(startFrom === 'lastStop' || (isResuming && found.startSetting === startSetting));
	const delivery = resumes ? found : new Delivery(startSetting);
	if (earlier !== delivery) earlier?.markReplaced();
	delivery.startSetting = startSetting;
	delivery.follow(new Set(logsOf(settings).map(logKey)));
	return delivery;
}

function logsOf({ deploymentId, containerIds, streams }: Settings): LogName[] {
	return containerIds.flatMap((containerId) =>
		streams.map((stream) => ({ deploymentId, containerId, stream })),
	);
}

/** The progress of a log that was not followed before. */
function firstProgress({ startFrom, offset, offsetUnit }: Settings): Progress {
	const isId = offsetUnit === 'eventId';
	const start =
		startFrom !== 'offset'
			? BEGINNING
			: {
					entries: isId || offsetUnit === 'bytes' ? 0 : Number(offset),
					bytes: offsetUnit === 'bytes' ? Number(offset) : 0,
					lastEventId: isId ? offset : '',
				};
	// A service without offsets sends the whole log: entries are left out by their number
	const from = offsetUnit === 'none' ? BEGINNING : start;
	return new Progress({ offset: start, from, known: [] });
}

/** How many of the lines that a log has at its first start are wanted; undefined for all. */
function newestLinesOf({ startFrom, newestLines }: Settings): number | undefined {
	if (startFrom === 'now') return 0;
	return startFrom === 'newest' ? newestLines : undefined;
}

/**
 * Follows all logs that have not stopped. Resolves as soon as the first connections have succeeded (and, to start from the newest lines,
 * the others are left out) or failed, or after some seconds.
 * @param logs gets the progress of each log, once it is known where it starts
 * @param isResuming whether a log that has stopped stays so
 * @returns an error if none of them succeeded
 */
async function startFollowing(
	follower: Follower,
	logs: Map<string, Progress>,
	isResuming: boolean,
): Promise<NodeError | undefined> {
	const { settings, signal } = follower;
	const errors: NodeError[] = [];
	const first = logsOf(settings).map(async (log) => {
		const known = logs.get(logKey(log));
		if (known?.hasStopped && isResuming) return;
		const progress = known ?? firstProgress(settings);
		progress.hasStopped = false;
		const reader = new LogReader(
			log,
			progress,
			follower,
			known ? undefined : newestLinesOf(settings),
		);
		// Only a log whose start is known may be saved
		const caughtUp = reader.caughtUp.then(() => void logs.set(logKey(log), progress));
		const error = await follower.follow(reader);
		if (error) errors.push(error);
		else await caughtUp;
	});
	await Promise.race([Promise.all(first), firstAbort([deadline(START_MS), signal])]);
	return errors.length === first.length ? errors[0] : undefined;
}

/**
 * A manual execution in the editor: the first batch, within a time limit. It touches neither the saved offsets nor the active
 * workflow that may run beside it, and shows the newest lines where that one would resume.
 */
function executeManually(functions: ITriggerFunctions, settings: Settings): ITriggerResponse {
	let resolveFirst: (items: INodeExecutionData[]) => void = () => undefined;
	const firstBatch = new Promise<INodeExecutionData[]>((resolve) => {
		resolveFirst = resolve;
	});
	const problems: Error[] = [];
	const callbacks: FollowerCallbacks = {
		async deliver({ items }) {
			resolveFirst(items);
			return true;
		},
		report: (error) => problems.push(error),
		event: () => undefined,
	};
	const isResuming = settings.startFrom === 'lastStop';
	const follower = new Follower(
		functions,
		{
			...settings,
			maxWaitMs: Math.min(settings.maxWaitMs, MAX_MANUAL_BATCH_MS),
			connectionEvents: false,
			...(isResuming && { startFrom: 'newest', newestLines: settings.maxEntries }),
		},
		callbacks,
	);
	return {
		closeFunction: async () => await follower.close(),
		manualTriggerFunction: async () => {
			const error = await startFollowing(follower, new Map(), false);
			if (error) {
				await follower.close();
				throw error;
			}
			const timeout = firstAbort([deadline(MANUAL_MS), follower.signal]);
			const items = await Promise.race([
				firstBatch,
				follower.whenAllClosed(),
				timeout.then(() => undefined),
			]);
			await follower.close();
			if (items) return functions.emit([items]);
			throw problems[0] ?? noLinesError(functions);
		},
	};
}

function noLinesError(functions: ITriggerFunctions): NodeOperationError {
	return new NodeOperationError(
		functions.getNode(),
		`No line was received within ${MANUAL_MS / 1000} seconds`,
		{
			description:
				'The containers may be writing nothing at the moment, or the filters drop all lines. The active workflow waits without a limit.',
		},
	);
}
