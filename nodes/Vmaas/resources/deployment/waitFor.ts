import type { IDataObject, NodeApiError } from 'n8n-workflow';
import type { Operation } from '../../../shared/operation/operation';
import { replyError, isTransient } from '../../../shared/http/request';
import { delay, now } from '../../../shared/time';
import { described, whatIs, type Present } from '../../../marketplace/deployments';
import { deploymentIdField } from '../../../marketplace/fields';
import { listVms } from '../vm';
import {
	type OperationContext,
	contextError,
	prerequisite,
} from '../../../shared/operation/context';

const GOALS = ['running', 'ssh', 'destroyed', 'final'] as const;
type Goal = (typeof GOALS)[number];

const GOES_ON =
	'It goes on and bills. Wait longer, destroy it, or set On Timeout to return an item and loop with the Wait node.';

interface Input {
	deploymentId: string;
	waitUntil: Goal;
	pollInterval: number;
	timeout: number;
	onTimeout: 'error' | 'output';
}

export const waitFor: Operation<Input> = {
	value: 'waitFor',
	name: 'Wait For',
	action: 'Wait for a deployment',
	description: 'Wait until a deployment has reached a state, checking it at an interval',
	effect: 'read',
	fields: [
		deploymentIdField,
		{
			displayName: 'Wait Until',
			name: 'waitUntil',
			type: 'options',
			options: [
				{
					name: 'Destroyed',
					value: 'destroyed',
					description: 'It is destroyed, or the service no longer knows it',
				},
				{ name: 'Ended', value: 'final', description: 'It is completed, failed or destroyed' },
				{ name: 'Running', value: 'running' },
				{
					name: 'Running and Reachable by SSH',
					value: 'ssh',
					description: 'Every VM has an SSH address',
				},
			],
			default: 'running',
			description: 'The state to wait for',
		},
		{
			displayName: 'Poll Interval (Seconds)',
			name: 'pollInterval',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 10,
			description: 'Seconds between status checks',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 600,
			description:
				'Maximum time to wait. The execution occupies an n8n worker meanwhile; for long waits use a short timeout in a loop with the Wait node.',
		},
		{
			displayName: 'On Timeout',
			name: 'onTimeout',
			type: 'options',
			options: [
				{
					name: 'Return an Item',
					value: 'output',
					description: 'Return the last state with reached: false, for a loop with the Wait node',
				},
				{ name: 'Stop With an Error', value: 'error' },
			],
			default: 'error',
			description: 'What to do after the timeout',
		},
	],
	input: (parameters) => ({
		deploymentId: parameters.pathId('deploymentId'),
		waitUntil: parameters.choice('waitUntil', GOALS),
		pollInterval: parameters.integer('pollInterval', { min: 1 }),
		timeout: parameters.integer('timeout', { min: 0 }),
		onTimeout: parameters.choice('onTimeout', ['error', 'output'] as const),
	}),
	async run(context, input) {
		const startedAt = now();
		const until = startedAt + input.timeout * 1000;
		const known = { deployment_id: input.deploymentId };
		Object.assign(context.known, known);
		let output: IDataObject = { ...known, status: 'unknown' };
		const look = async () => {
			const present = await whatIs(context, input.deploymentId);
			const { details } = present;
			output = {
				...described(details ?? {}),
				...known,
				status: details?.status ?? 'unknown to the service',
			};
			return await judge(context, input, present);
		};
		for (;;) {
			// An outage is shorter than most waits, and the deployment goes on billing
			const verdict = await prerequisite(
				context,
				`Deployment ${input.deploymentId}`,
				GOES_ON,
				look,
			).catch((error: NodeApiError) => {
				if (isTransient(error)) return error;
				throw error;
			});
			const waited = { waited_seconds: Math.round((now() - startedAt) / 1000) };
			if (verdict === 'reached') return [{ ...output, reached: true, ...waited }];
			if (verdict === 'useless') throw uselessError(context, input, output);
			if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
			const left = until - now();
			if (left <= 0) {
				if (input.onTimeout === 'output') return [{ ...output, reached: false, ...waited }];
				throw verdict === 'wait' ? timeoutError(context, input, output) : verdict;
			}
			await delay(Math.min(input.pollInterval * 1000, left), context.signal);
			if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
		}
	},
};

/** Whether the goal is reached, cannot be reached any more, or may still be. */
async function judge(
	context: OperationContext,
	{ waitUntil, deploymentId }: Input,
	{ state, details }: Present,
): Promise<'reached' | 'useless' | 'wait'> {
	const hasEnded = state === 'ended' || state === 'never seen';
	if (waitUntil === 'final') return hasEnded ? 'reached' : 'wait';
	if (waitUntil === 'destroyed') {
		if (state === 'never seen' || details.status === 'destroyed') return 'reached';
		return hasEnded ? 'useless' : 'wait';
	}
	if (hasEnded || state === 'ending') return 'useless';
	if (state !== 'running') return 'wait';
	return waitUntil === 'running' || (await reachable(context, deploymentId)) ? 'reached' : 'wait';
}

async function reachable(context: OperationContext, deploymentId: string): Promise<boolean> {
	const vms = await listVms(context, deploymentId);
	return (
		vms.length > 0 && vms.every((vm) => typeof vm.ssh_access === 'string' && vm.ssh_access !== '')
	);
}

function uselessError(context: OperationContext, input: Input, output: IDataObject) {
	return contextError(
		context,
		{
			message: `Deployment ${input.deploymentId} is "${String(output.status)}" and will not become ${input.waitUntil === 'destroyed' ? 'destroyed' : 'running'}`,
			description:
				'Waiting longer would not help. See Deployment > Get and VM > Get Many for what happened.',
		},
		output,
	);
}

function timeoutError(context: OperationContext, input: Input, output: IDataObject) {
	return contextError(
		context,
		{
			message: `Deployment ${input.deploymentId} was still "${String(output.status)}" after ${input.timeout} seconds`,
			description: GOES_ON,
		},
		output,
	);
}
