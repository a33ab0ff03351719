import type { IDataObject } from 'n8n-workflow';
import { requireAllowedByPerson } from '../../../marketplace/agentLimit';
import { onProduct, VMAAS, type ProductContext } from '../../../marketplace/product';
import { sshCredential } from '../../../marketplace/ssh';
import { collectionField } from '../../../shared/fields';
import type { NodeError } from '../../../shared/http/errors';
import { contextError, withKnown } from '../../../shared/operation/context';
import type { OutputItem } from '../../../shared/operation/items';
import { choice, integer, readOption } from '../../../shared/operation/option';
import { elapsed } from '../../../shared/time';
import {
	commonOptions,
	DEFAULT_OUTPUT_BYTES,
	jobFields,
	maxOutputBytes,
	readJob,
	readResultFiles,
	resultFilesField,
	type JobInput,
} from './form';
import { defaultJobKey } from './jobName';
import { withMachine, type Machine } from './machine';
import { Progress } from './onVm';
import { overSsh } from './overSsh';

interface Input extends JobInput {
	outputs: string[];
	maxOutputBytes: number;
	/** Milliseconds for the command. */
	commandMs: number;
	onNonZeroExit: 'error' | 'output';
}

const commandTimeout = integer({
	displayName: 'Command Timeout (Seconds)',
	name: 'commandTimeout',
	description:
		'How long the command may run. The VM is destroyed afterwards. By default, it may run as long as is paid for.',
	limits: { min: 1 },
	default: 3_600,
});

export const onNonZeroExit = choice({
	displayName: 'On Non-Zero Exit',
	name: 'onNonZeroExit',
	description: 'What to do if the command ends with an exit code other than 0',
	options: [
		{
			name: 'Return an Item',
			value: 'output',
			description: 'Return the exit code and the output, with the result files',
		},
		{ name: 'Stop With an Error', value: 'error' },
	],
	default: 'error',
});

export const run = onProduct<Input>(VMAAS, {
	value: 'run',
	name: 'Run',
	action: 'Run job on rented VM',
	description:
		'Rent the cheapest VM within a price limit, run a command on it, bring its files back, and destroy the VM, whatever happens. This spends money; the first hour is never refunded.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'resource_private_name'],
	fields: [
		...jobFields,
		resultFilesField,
		collectionField('options', 'Options', 'Add Option', [
			...commonOptions,
			commandTimeout.field,
			onNonZeroExit.field,
			maxOutputBytes.field,
		]),
	],
	input(parameters, files) {
		const job = readJob(parameters, files);
		const options = parameters.group('options');
		const seconds = readOption(options, commandTimeout) ?? job.order.durationHours * 3_600;
		return {
			...job,
			outputs: readResultFiles(parameters),
			maxOutputBytes: readOption(options, maxOutputBytes) ?? DEFAULT_OUTPUT_BYTES,
			commandMs: seconds * 1_000,
			onNonZeroExit: readOption(options, onNonZeroExit) ?? 'error',
		};
	},
	again: async (context, results) =>
		await Promise.resolve(
			(context.kept.get(keyOf(context)) as OutputItem[] | undefined) ?? results,
		),
	async run(context, input) {
		requireAllowedByPerson(context, 'Job > Run', 'Nothing was sent');
		const credential = await sshCredential(context);
		const key = input.key ?? defaultJobKey(context);
		const items = await withMachine(
			context,
			{ key, kind: 'run', order: input.order, credential, waitMs: input.waitMs },
			async (machine) => [await runOn(context, machine, input, key)],
		);
		context.kept.set(keyOf(context), items);
		return items;
	},
});

/** The journal keeps no files: of a retry for another item, the memory has them. */
const keyOf = ({ itemIndex }: ProductContext) => `job ${itemIndex}`;

/** Runs the command on the VM, brings its files back and ends the deployment. */
async function runOn(
	context: ProductContext,
	machine: Machine,
	input: Input,
	key: string,
): Promise<OutputItem> {
	const { jobId, vm, name, bought, boughtAt } = machine;
	const { outputs, maxOutputBytes } = input;
	const progress = new Progress(context, { jobId, outputs, maxOutputBytes });
	let startedAt = elapsed();
	let seconds = 0;
	try {
		await overSsh(
			context,
			vm,
			async (remote) => {
				if (!progress.isStarted) {
					await progress.start(remote, input);
					startedAt = elapsed();
				}
				if (progress.exitCode === undefined)
					await progress.follow(remote, startedAt + input.commandMs);
				seconds = seconds || Math.round((elapsed() - startedAt) / 1_000);
				if (progress.exitCode === 0 || input.onNonZeroExit === 'output')
					await progress.download(remote);
			},
			jobId,
		);
		if (progress.exitCode !== 0 && input.onNonZeroExit === 'error')
			throw nonZeroExit(context, progress);
	} catch (error) {
		throw withKnown(error as NodeError, progress.facts());
	}
	const { end, warning } = await machine.end();
	const hours = Number(((elapsed() - boughtAt) / 3_600_000).toFixed(3));
	const hints = [bought.hint, warning && `${warning}.`].filter(Boolean).join(' ');
	if (warning !== undefined) {
		context.log(`A job has ended. ${warning}`, { ...end });
		context.functions.addExecutionHints({
			message: warning,
			type: 'warning',
			location: 'outputPane',
		});
	}
	const json = {
		...chosen(bought),
		job_key: key,
		job_id: jobId,
		...progress.facts(),
		seconds,
		hours,
		...end,
		resource_private_name: name,
		...leftoversOf(machine),
		...(hints && { hint: hints }),
	};
	return progress.item(json);
}

export function nonZeroExit(context: ProductContext, progress: Progress): NodeError {
	const { exit_code: exitCode, stdout, stderr } = progress.facts();
	const tail = String(stderr).trim() || String(stdout).trim();
	return contextError(context, {
		message: `The command ended with exit code ${String(exitCode)}`,
		description: tail.slice(-TAIL_CHARACTERS),
	});
}

/** Of the output, in the description of an error; all that was kept is in its details. */
const TAIL_CHARACTERS = 2_000;

/** What the purchase has shown of the offer and its price. */
export function chosen(bought: IDataObject): IDataObject {
	const shown = CHOSEN.filter((key) => bought[key] !== undefined);
	return Object.fromEntries(shown.map((key) => [key, bought[key]]));
}

const CHOSEN = [
	'hardware_id',
	'hardware_name',
	'location',
	'gpus_per_vm',
	'duration_hours',
	'total_price',
	'hourly_price',
	'currency',
	'recovered',
];

function leftoversOf({ leftovers }: Machine): IDataObject {
	const shown = Object.entries(leftovers ?? {}).filter(
		([, list]) => (list as unknown[]).length > 0,
	);
	return Object.fromEntries(shown) as IDataObject;
}
