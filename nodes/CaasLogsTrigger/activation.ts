import { NodeOperationError } from 'n8n-workflow';
import type { INodeExecutionData, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { logKey, type LogName } from '../marketplace/log/request';
import type { NodeError } from '../shared/http/errors';
import { deadline, firstAbort } from '../shared/time';
import { Checkpoint } from './checkpoint';
import { Delivery, type Activation } from './delivery';
import { Follower, type FollowerCallbacks } from './follower';
import { LogReader } from './logReader';
import { readSettings, type Settings } from './settings';

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
	hasGivenUp: boolean;
}

/**
 * By workflow and node. n8n may activate a trigger a second time before it has closed the first one. And the commits of the first
 * one may be known only here, since n8n saves static data at the next execution.
 */
const activeTriggers = new Map<string, ActiveTrigger>();

/**
 * Starts the trigger: for an active workflow or for a manual execution in the editor.
 * @throws for a wrong parameter, and if no log can be followed until a person corrects something
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
	const isResuming =
		RESUMING_MODES.includes(functions.getActivationMode()) || earlier?.hasGivenUp === true;
	const delivery = chooseDelivery(functions, settings, isResuming, earlier?.delivery);
	const callbacks: FollowerCallbacks = {
		deliver: async (batch) => await delivery.deliver(activation, batch),
		report: (error) =>
			typeof functions.saveFailedExecution === 'function'
				? functions.saveFailedExecution(error)
				: functions.logger.warn(error.message),
		giveUp(error) {
			trigger.hasGivenUp = true;
			delivery.saveAfterStop();
			functions.emitError(error);
		},
		event: (json) => functions.emit([[{ json }]]),
	};
	const follower = new Follower(functions, settings, callbacks);
	// Kept until it has started: n8n activates the trigger again and again while the credential is rejected
	const hasGivenUp = earlier?.hasGivenUp === true;
	const trigger: ActiveTrigger = { follower, delivery, hasGivenUp };
	activeTriggers.set(key, trigger);
	const activation: Activation = { functions, settings, signal: follower.signal };
	delivery.attach(activation);
	if (delivery.isIdle) {
		const error = await startFollowing(follower, delivery.checkpoints);
		if (error) throw error;
		trigger.hasGivenUp = false;
		// n8n saves static data once more after an activation: by now it is known where "now" was
		if (activeTriggers.get(key) === trigger) delivery.writeStaticData(functions);
	} else {
		// Executions of the previous activation are in flight: what they commit decides where to resume
		void delivery.whenIdle(follower.signal).then(async () => {
			const error = await startFollowing(follower, delivery.checkpoints);
			trigger.hasGivenUp = false;
			if (error) callbacks.giveUp(error);
		});
	}
	return {
		closeFunction: async () => {
			await follower.close();
			await delivery.finishSaving();
		},
	};
}

/** The delivery to resume with: the one in memory if it is newer than what n8n has saved; or a new one if the form wants another start. */
function chooseDelivery(
	functions: ITriggerFunctions,
	settings: Settings,
	isResuming: boolean,
	earlier?: Delivery,
): Delivery {
	const { startFrom, offset } = settings;
	const startSetting = startFrom === 'offset' ? `offset ${offset}` : startFrom;
	const saved = Delivery.load(functions.getWorkflowStaticData('node'));
	const isNewer = earlier && (!saved || earlier.isWriter(saved.writerId));
	const found = isNewer ? earlier : saved?.delivery;
	const resumes =
		found !== undefined &&
		(startFrom === 'lastStop' || (isResuming && found.startSetting === startSetting));
	const delivery = resumes ? found : new Delivery(startSetting);
	if (earlier !== delivery) earlier?.markReplaced();
	delivery.startSetting = startSetting;
	const known = delivery.checkpoints;
	delivery.checkpoints = new Map(
		logsOf(settings)
			.map(logKey)
			.map((key) => [key, checkpointFor(settings, isResuming, known.get(key))]),
	);
	return delivery;
}

function logsOf({ deploymentId, containerIds, streams }: Settings): LogName[] {
	return containerIds.flatMap((containerId) =>
		streams.map((stream) => ({ deploymentId, containerId, stream })),
	);
}

/** The checkpoint to start a log with. A log that is over is followed again only when a person activates the workflow again. */
function checkpointFor(
	{ startFrom, offset, offsetUnit }: Settings,
	isResuming: boolean,
	known?: Checkpoint,
): Checkpoint {
	if (known) {
		known.isOver &&= isResuming;
		if (!isResuming) known.format = 'auto';
		// n8n stopped while the backlog was skipped: better to deliver some of it than to miss what came since
		else if (known.hasProgress) known.skipsBacklog = false;
		return known;
	}
	const isOffset = startFrom === 'offset';
	const checkpoint = new Checkpoint({
		entries: isOffset && offsetUnit !== 'bytes' && offsetUnit !== 'eventId' ? Number(offset) : 0,
		bytes: isOffset && offsetUnit === 'bytes' ? Number(offset) : 0,
		lastEventId: isOffset && offsetUnit === 'eventId' ? offset : '',
	});
	checkpoint.skipsBacklog = startFrom === 'now';
	return checkpoint;
}

/**
 * Follows all logs that are not done. Resolves as soon as the first connections have succeeded (and, to start from now, the
 * backlog is skipped) or failed, or after some seconds.
 * @returns an error if none of them can succeed until a person corrects something
 */
async function startFollowing(
	follower: Follower,
	checkpoints: Map<string, Checkpoint>,
): Promise<NodeError | undefined> {
	const failed: NodeError[] = [];
	const readers = logsOf(follower.settings).flatMap((log) => {
		const checkpoint = checkpoints.get(logKey(log));
		return checkpoint && !checkpoint.isDone ? [new LogReader(log, checkpoint, follower)] : [];
	});
	const first = readers.map(async (reader) => {
		const error = await follower.follow(reader);
		if (error) failed.push(error);
		else await reader.caughtUp;
	});
	await Promise.race([Promise.all(first), firstAbort([deadline(START_MS), follower.signal])]);
	follower.hasStarted();
	if (failed[0] && failed.length === readers.length) {
		await follower.close();
		return failed[0];
	}
	failed.forEach((error) => follower.fail(error));
	return undefined;
}

/**
 * A manual execution in the editor: the first batch, within a time limit. It touches neither the saved offsets nor the active
 * workflow that may run beside it, and starts at the beginning where that one would resume.
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
		giveUp: (error) => problems.push(error),
		event: () => undefined,
	};
	const maxWaitMs = Math.min(settings.maxWaitMs, MAX_MANUAL_BATCH_MS);
	const follower = new Follower(
		functions,
		{ ...settings, maxWaitMs, connectionEvents: false },
		callbacks,
	);
	const checkpoints = new Map(
		logsOf(settings).map((log) => [logKey(log), checkpointFor(settings, false)]),
	);
	return {
		closeFunction: async () => await follower.close(),
		manualTriggerFunction: async () => {
			const error = await startFollowing(follower, checkpoints);
			if (error) throw error;
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
