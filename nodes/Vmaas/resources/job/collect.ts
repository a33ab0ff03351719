import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { deploymentField } from '../../../marketplace/fields';
import { onProduct, VMAAS, type ProductContext } from '../../../marketplace/product';
import {
	factsOf,
	readReference,
	resolveDeployment,
	type Reference,
} from '../../../marketplace/references';
import { sshCredential } from '../../../marketplace/ssh';
import { stateOf } from '../../../marketplace/state';
import type { NodeError } from '../../../shared/http/errors';
import { collectionField } from '../../../shared/fields';
import { contextError, knownOf, withKnown } from '../../../shared/operation/context';
import type { OutputItem } from '../../../shared/operation/items';
import { readOption } from '../../../shared/operation/option';
import { awaitSsh, type Vm } from './awaitSsh';
import { endDeployments } from './end';
import {
	DEFAULT_OUTPUT_BYTES,
	maxOutputBytes,
	readJobId,
	readResultFiles,
	resultFilesField,
} from './form';
import { isNameOfJob } from './jobName';
import { isOfJob, warningOfOthers, youngUntil, type JobName } from './listed';
import { Progress } from './onVm';
import { overSsh } from './overSsh';
import { nonZeroExit, onNonZeroExit } from './run';

interface Input {
	reference: Reference;
	jobId: string;
	outputs: string[];
	whenFinished: 'destroy' | 'keep';
	ifStillRunning: 'output' | 'destroy';
	onNonZeroExit: 'error' | 'output';
	maxOutputBytes: number;
}

/** How long a VM may not answer, in milliseconds. */
const ANSWERS_MS = 180_000;

const fields: INodeProperties[] = [
	{
		...deploymentField,
		default: { mode: 'id', value: '={{ $json.deployment_id }}' },
		description: 'The deployment that Start has returned',
	},
	{
		displayName: 'Job ID',
		name: 'jobId',
		type: 'string',
		required: true,
		default: '={{ $json.job_id }}',
		description: 'The job_id that Start has returned',
	},
	resultFilesField,
	{
		displayName: 'When Finished',
		name: 'whenFinished',
		type: 'options',
		options: [
			{
				name: 'Destroy the Deployment',
				value: 'destroy',
				description: 'After the result files are there, and wait for its end',
			},
			{ name: 'Keep the Deployment', value: 'keep', description: 'It goes on and bills' },
		],
		default: 'destroy',
		description: 'What to do with the deployment of a job that has finished',
	},
	{
		displayName: 'If Still Running',
		name: 'ifStillRunning',
		type: 'options',
		options: [
			{
				name: 'Destroy the Deployment',
				value: 'destroy',
				description: 'End the job and its deployment',
			},
			{
				name: 'Return an Item',
				value: 'output',
				description: 'Return state: running with the output so far, for a loop with the Wait node',
			},
		],
		default: 'output',
		description: 'What to do about a job that runs',
	},
	collectionField('options', 'Options', 'Add Option', [onNonZeroExit.field, maxOutputBytes.field]),
];

export const collect = onProduct<Input>(VMAAS, {
	value: 'collect',
	name: 'Collect',
	action: 'Collect job',
	description:
		'Look at a job that Start has begun. If it has finished, bring its output and files back and destroy its deployment.',
	effect: 'write',
	runsAllItems: true,
	identifyingKeys: ['deployment_id', 'resource_private_name'],
	fields,
	input(parameters) {
		const options = parameters.group('options');
		return {
			reference: readReference(parameters),
			jobId: readJobId(parameters),
			outputs: readResultFiles(parameters),
			whenFinished: parameters.choice('whenFinished', ['destroy', 'keep'] as const),
			ifStillRunning: parameters.choice('ifStillRunning', ['output', 'destroy'] as const),
			onNonZeroExit: readOption(options, onNonZeroExit) ?? 'error',
			maxOutputBytes: readOption(options, maxOutputBytes) ?? DEFAULT_OUTPUT_BYTES,
		};
	},
	again: async (context, results) => {
		const kept = context.kept.get(keyOf(context)) as Collected | undefined;
		return await Promise.resolve(results.map((json) => (kept ? kept.progress.item(json) : json)));
	},
	async run(context, input) {
		try {
			return await collectOne(context, input);
		} catch (caught) {
			const error = caught as NodeError;
			if (context.signal?.aborted) logCancelled(context, input, knownOf(error));
			throw error;
		}
	},
});

/** What nobody has seen to end may bill on, and n8n shows nothing else of a cancelled execution. */
function logCancelled(context: ProductContext, input: Input, ended: IDataObject = {}): void {
	if (ended.verified === true) return;
	const { deployment_id, resource_private_name } = {
		...factsOf(input.reference),
		...context.known,
		...ended,
	};
	const facts = { deployment_id, resource_private_name, job_id: input.jobId };
	context.log(
		'Cancelled before the deployment of a job was seen to end: it may still run and bill.',
		facts,
	);
}

/** What one item puts out, with its deployment ended where the form says so. */
async function collectOne(context: ProductContext, input: Input): Promise<OutputItem[]> {
	const deploymentId = await resolveDeployment(context, input.reference);
	const job = { deployment_id: deploymentId, job_id: input.jobId };
	Object.assign(context.known, job);
	// What was collected before its deployment was destroyed is there for a retry
	const kept = context.kept.get(keyOf(context)) as Collected | undefined;
	const collected = kept ?? (await look(context, deploymentId, input));
	const { lookUntil } = collected;
	if ('lost' in collected) {
		const facts = { ...job, ...collected.lost };
		if (input.whenFinished === 'destroy')
			// Its deploy may have made another one, which has not ended. Without its name, that may as well be another job, which runs
			await end(context, input, facts, {
				lookUntil,
				...(!(await isOfJob(context, input.jobId, collected.ended)) && { provenBy: deploymentId }),
			});
		return [facts];
	}
	const { progress, state, reason } = collected;
	if (state !== 'running') context.kept.set(keyOf(context), collected);
	const facts: IDataObject = {
		...job,
		state,
		finished: state === 'finished',
		...(reason !== undefined && { reason }),
		...progress.facts(),
	};
	const ends = state === 'running' ? input.ifStillRunning : input.whenFinished;
	if (ends === 'destroy') {
		const name = await end(context, input, facts, { name: collected.name, lookUntil });
		// After the end, the list may not show it any more
		collected.name = name ?? undefined;
	} else {
		const warning = await warningOfOthers(context, deploymentId, named(input));
		if (warning !== undefined) facts.hint = `${warning}.`;
	}
	if (state === 'finished' && progress.exitCode !== 0 && input.onNonZeroExit === 'error')
		throw withKnown(nonZeroExit(context, progress), facts);
	return [progress.item(facts)];
}

/** What has a name of this job, as long as the name itself is not known. */
function named({ jobId }: Input): JobName {
	return { isName: (shown) => isNameOfJob(shown, jobId) };
}

/**
 * Ends what has the name of the job, and adds what was seen of it to the facts.
 * @throws where something may still bill
 */
async function end(
	context: ProductContext,
	input: Input,
	facts: IDataObject,
	job: JobName,
): Promise<string | null> {
	const ids = [String(facts.deployment_id)];
	const ended = await endDeployments(context, ids, { ...named(input), ...job });
	const { warning } = ended;
	if (warning !== undefined && ended.end.destroyed !== true)
		throw contextError(context, { message: warning }, { ...facts, ...ended.end });
	// A cancelled execution shows nothing else
	if (warning !== undefined) context.log(`A job has ended. ${warning}`, { ...ended.end });
	Object.assign(facts, ended.end, warning !== undefined && { hint: `${warning}.` });
	return ended.end.resource_private_name;
}

const keyOf = ({ itemIndex }: ProductContext) => `collected job ${itemIndex}`;

/** What one look at a job has brought. */
interface Collected {
	state: 'running' | 'finished' | 'lost';
	progress: Progress;
	/** Of the deployment; undefined where the service does not show it whole, or not in its details. */
	name?: string;
	/** Why it is lost. */
	reason?: string;
	/** Until then, by `elapsed` of time.ts, a list may not show what its deploy has made. */
	lookUntil: number;
}

/** Its VM has ended. */
interface Lost extends Pick<Collected, 'lookUntil'> {
	lost: IDataObject;
	/** The deployment, as the service shows it. */
	ended: IDataObject;
}

async function look(
	context: ProductContext,
	deploymentId: string,
	input: Input,
): Promise<Collected | Lost> {
	const awaited = await awaitSsh(context, deploymentId, await sshCredential(context), ANSWERS_MS);
	if ('never' in awaited)
		throw contextError(context, {
			message: `The VM of the job does not answer over SSH: ${awaited.never}`,
			description: awaited.isSeen
				? 'The deployment goes on and bills. Try again, or destroy it.'
				: 'The service does not show the deployment now. If the ID is right, it may still bill.',
		});
	if ('ended' in awaited) {
		const { status = null } = awaited.ended;
		const reason =
			stateOf(status) === 'ending'
				? 'the deployment is being ended, and its VM with the output of the job goes with it'
				: 'the deployment has ended, and its VM with the output of the job is gone';
		return {
			lost: { state: 'lost', finished: false, exit_code: null, status, reason },
			ended: awaited.ended,
			lookUntil: youngUntil(context, awaited.ended.created_at),
		};
	}
	return await lookOn(context, awaited.vm, input);
}

async function lookOn(context: ProductContext, vm: Vm, input: Input): Promise<Collected> {
	const progress = new Progress(context, input);
	const state = await overSsh(context, vm, async (remote) => {
		const seen = progress.exitCode === undefined ? await progress.look(remote) : 'ended';
		if (seen === 'ended') await progress.download(remote);
		if (seen === 'absent')
			throw contextError(context, {
				message: `The VM has no job ${input.jobId}`,
				description: 'Use the deployment_id and the job_id of one item of Start.',
			});
		return seen;
	}).catch((error: NodeError) => {
		// An AI agent gets the message alone
		error.message = `${error.message}. Deployment ${vm.deploymentId} goes on and bills`;
		throw error;
	});
	const name = vm.name !== undefined && isNameOfJob(vm.name, input.jobId) ? vm.name : undefined;
	const shown = { progress, name, lookUntil: youngUntil(context, vm.createdAt) };
	if (state === 'ended') return { state: 'finished', ...shown };
	if (state !== 'killed') return { state: 'running', ...shown };
	const reason = 'its process was ended from outside, without an exit code';
	return { state: 'lost', ...shown, reason };
}
