import { NodeOperationError } from 'n8n-workflow';
import type { INodeExecutionData, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { logKey, type LogName } from '../marketplace/log/request';
import { deadline, firstAbort } from '../shared/time';
import { Checkpoint } from './checkpoint';
import { Follower, type NodeError, type Outlet } from './follower';
import { Ledger, type Client } from './ledger';
import { readSettings, type Settings } from './settings';
import { Source } from './source';

/** n8n waits for the start of a trigger: what is slower than this goes on in the background. */
const START_MS = 5_000;
const TEST_MS = 30_000;
/** Somebody looks on: a batch that takes an hour in production comes after so much time. */
const LONGEST_TEST_BATCH_MS = 5_000;
/** Activations that nobody asked for: n8n itself starts again, or another process takes over. */
const CONTINUING: string[] = ['init', 'leadershipChange'];

/** A node of a published workflow that is followed, or was followed until it was unpublished. */
interface Running {
	follower: Follower;
	ledger: Ledger;
	hasGivenUp: boolean;
}

/**
 * By workflow and node. n8n may start a trigger a second time before it has closed the first; and what the first one
 * has delivered may stand only here, since n8n saves static data at the next run and not before.
 */
const running = new Map<string, Running>();

export async function start(functions: ITriggerFunctions): Promise<ITriggerResponse> {
	const settings = readSettings(functions);
	return functions.getMode() === 'manual'
		? testRun(functions, settings)
		: await publish(functions, settings);
}

async function publish(
	functions: ITriggerFunctions,
	settings: Settings,
): Promise<ITriggerResponse> {
	const name = `${functions.getWorkflow().id}:${functions.getNode().id}`;
	let earlier = running.get(name);
	for (;;) {
		await earlier?.follower.close();
		const other = running.get(name);
		if (other === earlier) break;
		// While one was being closed another start has come first
		earlier = other;
	}
	const isContinuing =
		CONTINUING.includes(functions.getActivationMode()) || earlier?.hasGivenUp === true;
	const ledger = chooseLedger(functions, settings, isContinuing, earlier?.ledger);
	const outlet: Outlet = {
		deliver: async (parcel) => await ledger.deliver(client, parcel),
		report: (error) =>
			typeof functions.saveFailedExecution === 'function'
				? functions.saveFailedExecution(error)
				: functions.logger.warn(error.message),
		giveUp(error) {
			entry.hasGivenUp = true;
			ledger.keep();
			functions.emitError(error);
		},
		event: (json) => functions.emit([[{ json }]]),
	};
	const follower = new Follower(functions, settings, outlet);
	// Until it has started it is what the one before was: n8n tries it again and again while the credential is refused
	const entry: Running = { follower, ledger, hasGivenUp: earlier?.hasGivenUp === true };
	running.set(name, entry);
	const client: Client = { functions, settings, signal: follower.signal };
	ledger.attach(client);
	if (ledger.isIdle) {
		const error = await begin(follower, ledger.logs);
		if (error) throw error;
		entry.hasGivenUp = false;
		// n8n saves it once more when this start has succeeded: where "now" was is known from here on
		if (running.get(name) === entry) ledger.write(functions);
	} else {
		// Runs of the start before are still under way: what they deliver decides where reading goes on
		void ledger.idle(follower.signal).then(async () => {
			const error = await begin(follower, ledger.logs);
			entry.hasGivenUp = false;
			if (error) outlet.giveUp(error);
		});
	}
	return {
		closeFunction: async () => {
			await follower.close();
			await ledger.settle();
		},
	};
}

/** The book to go on with: the one in memory where it is newer than what n8n has saved, or a new one where the form wants another beginning. */
function chooseLedger(
	functions: ITriggerFunctions,
	settings: Settings,
	isContinuing: boolean,
	earlier?: Ledger,
): Ledger {
	const { startFrom, offset } = settings;
	const wish = startFrom === 'offset' ? `offset ${offset}` : startFrom;
	const saved = Ledger.load(functions.getWorkflowStaticData('node'));
	const found = earlier && (!saved || earlier.isWriter(saved.writer)) ? earlier : saved?.ledger;
	const goesOn =
		found !== undefined && (startFrom === 'lastStop' || (isContinuing && found.start === wish));
	const ledger = goesOn ? found : new Ledger(wish);
	if (earlier !== ledger) earlier?.retire();
	ledger.start = wish;
	const known = ledger.logs;
	ledger.logs = new Map(
		logsOf(settings)
			.map(logKey)
			.map((name) => [name, checkpointFor(settings, isContinuing, known.get(name))]),
	);
	return ledger;
}

function logsOf({ deploymentId, containerIds, streams }: Settings): LogName[] {
	return containerIds.flatMap((containerId) =>
		streams.map((stream) => ({ deploymentId, containerId, stream })),
	);
}

/** A log that has ended, or whose stop line has come, is followed again only when a person publishes the workflow again. */
function checkpointFor(
	{ startFrom, offset, offsetUnit }: Settings,
	isContinuing: boolean,
	known?: Checkpoint,
): Checkpoint {
	if (known) {
		known.isOver &&= isContinuing;
		if (!isContinuing) known.format = 'auto';
		// What is old was being skipped when n8n stopped: rather some of it again than nothing of what came since
		else if (known.hasMoved) known.skipsOld = false;
		return known;
	}
	const isOffset = startFrom === 'offset';
	const checkpoint = new Checkpoint({
		entries: isOffset && offsetUnit !== 'bytes' && offsetUnit !== 'eventId' ? Number(offset) : 0,
		bytes: isOffset && offsetUnit === 'bytes' ? Number(offset) : 0,
		lastEventId: isOffset && offsetUnit === 'eventId' ? offset : '',
	});
	checkpoint.skipsOld = startFrom === 'now';
	return checkpoint;
}

/**
 * Follows all logs that are not settled. Returns as soon as the first connections have succeeded (and, to start from now, what
 * is old was skipped) or failed, or after some seconds; with an error when none of them can succeed before a person mends something.
 */
async function begin(
	follower: Follower,
	checkpoints: Map<string, Checkpoint>,
): Promise<NodeError | undefined> {
	const failed: NodeError[] = [];
	const sources = logsOf(follower.settings).flatMap((log) => {
		const checkpoint = checkpoints.get(logKey(log));
		return checkpoint && !checkpoint.isSettled ? [new Source(log, checkpoint, follower)] : [];
	});
	const first = sources.map(async (source) => {
		const error = await follower.follow(source);
		if (error) failed.push(error);
		else await source.caughtUp;
	});
	await Promise.race([Promise.all(first), firstAbort([deadline(START_MS), follower.signal])]);
	follower.hasStarted();
	if (failed[0] && failed.length === sources.length) {
		await follower.close();
		return failed[0];
	}
	failed.forEach((error) => follower.fail(error));
	return undefined;
}

/**
 * "Test workflow" in the editor: the first batch, within a time limit. It touches neither the saved place nor the
 * published node that may be running beside it, and begins at the beginning where that one would go on.
 */
function testRun(functions: ITriggerFunctions, settings: Settings): ITriggerResponse {
	let tell: (items: INodeExecutionData[]) => void = () => undefined;
	const first = new Promise<INodeExecutionData[]>((resolve) => {
		tell = resolve;
	});
	const problems: Error[] = [];
	const outlet: Outlet = {
		async deliver({ items }) {
			tell(items);
			return true;
		},
		report: (error) => problems.push(error),
		giveUp: (error) => problems.push(error),
		event: () => undefined,
	};
	const maxWaitMs = Math.min(settings.maxWaitMs, LONGEST_TEST_BATCH_MS);
	const follower = new Follower(
		functions,
		{ ...settings, maxWaitMs, connectionEvents: false },
		outlet,
	);
	const checkpoints = new Map(
		logsOf(settings).map((log) => [logKey(log), checkpointFor(settings, false)]),
	);
	return {
		closeFunction: async () => await follower.close(),
		manualTriggerFunction: async () => {
			const error = await begin(follower, checkpoints);
			if (error) throw error;
			const tooLate = firstAbort([deadline(TEST_MS), follower.signal]);
			const items = await Promise.race([first, follower.end(), tooLate.then(() => undefined)]);
			await follower.close();
			if (items) return functions.emit([items]);
			throw problems[0] ?? nothingCame(functions);
		},
	};
}

function nothingCame(functions: ITriggerFunctions): NodeOperationError {
	return new NodeOperationError(
		functions.getNode(),
		`No line came within ${TEST_MS / 1000} seconds`,
		{
			description:
				'The containers may be silent just now, or the filters may leave out all lines. The published workflow waits for ever.',
		},
	);
}
