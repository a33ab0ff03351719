import { boughtBefore } from '../../../marketplace/boughtBefore';
import { requireAllowedByPerson } from '../../../marketplace/agentLimit';
import { onProduct, VMAAS } from '../../../marketplace/product';
import { sshCredential } from '../../../marketplace/ssh';
import { collectionField } from '../../../shared/fields';
import { commonOptions, DEFAULT_OUTPUT_BYTES, jobFields, readJob, type JobInput } from './form';
import { defaultJobKey } from './jobName';
import { warningOfOthers } from './listed';
import { withMachine } from './machine';
import { Progress } from './onVm';
import { overSsh } from './overSsh';
import { chosen } from './run';

export const start = onProduct<JobInput>(VMAAS, {
	value: 'start',
	name: 'Start',
	action: 'Start job on rented VM',
	description:
		'Rent the cheapest VM within a price limit, start a command on it and leave it running, for Collect. The VM bills until Collect or Destroy ends it, or its paid time is over.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'resource_private_name'],
	fields: [...jobFields, collectionField('options', 'Options', 'Add Option', commonOptions)],
	input: readJob,
	again: boughtBefore,
	async run(context, input) {
		requireAllowedByPerson(context, 'Job > Start', 'Nothing was sent');
		const credential = await sshCredential(context);
		const key = input.key ?? defaultJobKey(context);
		return await withMachine(
			context,
			{ key, kind: 'start', order: input.order, credential, waitMs: input.waitMs },
			async ({ jobId, vm, name, bought }) => {
				const task = { jobId, outputs: [], maxOutputBytes: DEFAULT_OUTPUT_BYTES };
				const progress = new Progress(context, task);
				const state = await overSsh(context, vm, async (remote) => {
					await progress.start(remote, input);
					return await progress.begin(remote);
				});
				const { expires_at: expiresAt = null } = bought;
				const warning = await warningOfOthers(context, vm.deploymentId, { name });
				const hint = [bought.hint, warning && `${warning}.`].filter(Boolean).join(' ');
				return [
					{
						...chosen(bought),
						deployment_id: vm.deploymentId,
						job_id: jobId,
						job_key: key,
						resource_private_name: name,
						state: state === 'ended' ? 'finished' : 'running',
						expires_at: expiresAt,
						...vm.facts,
						...(hint && { hint }),
					},
				];
			},
		);
	},
});
