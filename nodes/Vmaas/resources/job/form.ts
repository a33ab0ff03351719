import type { INodeProperties } from 'n8n-workflow';
import { allowAiAgentsField } from '../../../marketplace/agentLimit';
import { durationHoursField } from '../../../marketplace/fields';
import { firstHourNotice } from '../../../marketplace/order';
import { HOURS } from '../../../marketplace/price';
import { isLimited, safetyCollection, readPriceLimits } from '../../../marketplace/priceLimits';
import { VMAAS } from '../../../marketplace/product';
import { choice, integer, readOption } from '../../../shared/operation/option';
import type { Files } from '../../../shared/operation/operation';
import type { Parameters } from '../../../shared/operation/parameters';
import type { CheapestOrder } from '../deployment/buyCheapest';
import { cheapestFields, keepTryingField, readCheapest } from '../deployment/cheapestFields';
import { environmentField, readEnvironment } from '../vm/commandForm';
import { readInputFiles, type InputFile } from './inputFiles';
import { readJobKey } from './jobName';

/** What Run and Start are told of a job. */
export interface JobInput {
	key?: string;
	command: string;
	environment: Array<[name: string, value: string]>;
	inputs: InputFile[];
	order: Omit<CheapestOrder, 'nameRules'>;
	waitMs: number;
}

const IMAGE_TYPES = ['general', 'datascience'] as const;

const waitTimeout = integer({
	displayName: 'Wait Timeout (Seconds)',
	name: 'waitTimeout',
	description: 'How long the VM may take until it answers over SSH. It bills meanwhile.',
	limits: { min: 60, max: 7_200 },
	default: 900,
});

const vmImageType = choice({
	displayName: 'VM Image Type',
	name: 'vmImageType',
	description: 'Software that is installed on the VM',
	options: [
		{ name: 'Data Science', value: 'datascience' },
		{ name: 'General', value: 'general' },
	],
	default: 'general',
});

export const maxOutputBytes = integer({
	displayName: 'Max Output Bytes',
	name: 'maxOutputBytes',
	description: 'How much of stdout and of stderr is returned: the last bytes of each',
	limits: { min: 1_024, max: 1_048_576 },
	default: 65_536,
});

export const DEFAULT_OUTPUT_BYTES = 65_536;

/** The options that Run and Start have in common. */
export const commonOptions = [
	waitTimeout.field,
	vmImageType.field,
	keepTryingField,
	environmentField,
	allowAiAgentsField(
		'Whether an AI agent may run jobs with this node as its tool. It rents within the price limit, and what runs is up to the model.',
	),
];

/** What is run, and for how much. */
export const jobFields: INodeProperties[] = [
	{
		displayName: 'Command',
		name: 'command',
		type: 'string',
		typeOptions: { rows: 6 },
		required: true,
		default: '',
		placeholder: 'e.g. python3 train.py --epochs 3',
		description:
			'What to run on the VM: one line or a script, by sh, or by what its first line names (#!/usr/bin/env python3). It starts in an empty folder with the input files.',
	},
	{
		displayName: 'Job Key',
		name: 'jobKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. nightly-training',
		description:
			'What the names of the deployments of this job begin with, at most 40 characters. Empty uses the name of the node and a code of its workflow. The next execution of the same job ends what an earlier one has left.',
	},
	durationHoursField,
	...cheapestFields,
	{
		displayName:
			'A job rents nothing without a price limit: set Maximum Price or Maximum Hourly Price below.',
		name: 'priceLimitNotice',
		type: 'notice',
		default: '',
	},
	safetyCollection(
		VMAAS,
		'Deploy nothing',
		[],
		'The most that the job may cost; at least one limit is required',
	),
	firstHourNotice,
	{
		displayName: 'Input Files',
		name: 'inputFields',
		type: 'string',
		default: '',
		placeholder: 'e.g. data, config',
		description:
			'Names of the input fields whose files are written into the folder of the command, separated by commas; each at most 100 MiB',
	},
];

export const resultFilesField: INodeProperties = {
	displayName: 'Result Files',
	name: 'resultFiles',
	type: 'string',
	default: '',
	placeholder: 'e.g. model.pt, logs/*.txt',
	description:
		'Files to bring back, separated by commas: paths in the folder of the command, ~/ for the home folder, or absolute; * ? and [ ] are wildcards. At most 100 files of 100 MiB each.',
};

/** Reads and checks {@link jobFields} and {@link commonOptions}. */
export function readJob(parameters: Parameters, files: Files): JobInput {
	const priceLimits = readPriceLimits(parameters);
	if (!isLimited(priceLimits))
		parameters.fail(
			'safety',
			'must hold a Maximum Price or a Maximum Hourly Price',
			'A job rents nothing without a price limit. Nothing was sent.',
		);
	const durationHours = parameters.integer('durationHours', HOURS);
	const options = parameters.group('options');
	const image = options.has('vmImageType') ? options.choice('vmImageType', IMAGE_TYPES) : undefined;
	return {
		key: readJobKey(parameters),
		command: parameters.text('command', { trim: false }),
		environment: readEnvironment(options),
		inputs: readInputFiles(parameters, files, 'inputFields'),
		order: {
			durationHours,
			usesSshCredential: true,
			body: { duration_hours: durationHours, ssh_keys: {}, ...(image && { vm_image_type: image }) },
			priceLimits,
			...readCheapest(parameters, options),
		},
		waitMs: (readOption(options, waitTimeout) ?? 900) * 1_000,
	};
}

/** The patterns of {@link resultFilesField}. */
export function readResultFiles(parameters: Parameters): string[] {
	return parameters.texts('resultFiles').map((pattern) => {
		if (/\p{Cc}/u.test(pattern) || pattern.endsWith('/'))
			parameters.fail('resultFiles', `must name files, got "${pattern}"`);
		return pattern;
	});
}

/** The job_id that Start has returned. */
export function readJobId(parameters: Parameters): string {
	const jobId = parameters.text('jobId');
	if (!/^[0-9a-f]{10}$/.test(jobId))
		parameters.fail(
			'jobId',
			`must be the job_id that Start has returned, got "${jobId.slice(0, 60)}"`,
		);
	return jobId;
}
