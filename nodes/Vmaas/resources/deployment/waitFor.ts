import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { knownError, reading, type Call } from '../../../shared/operation/execute';
import type { Operation } from '../../../shared/operation/operation';
import { failure, isPassing } from '../../../shared/http/request';
import { delay, now } from '../../../shared/time';
import { described, findDeployment, isFinal } from '../../../marketplace/deployments';
import { deploymentIdField } from '../../../marketplace/fields';
import { listVms } from '../vm';

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
	description: 'Wait until a deployment has reached a state, looking at it again and again',
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
					description: 'It is gone, or the service does not know it any more',
				},
				{ name: 'Ended', value: 'final', description: 'It is completed, failed or destroyed' },
				{ name: 'Running', value: 'running' },
				{
					name: 'Running and Reachable by SSH',
					value: 'ssh',
					description: 'Every machine has an SSH address',
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
			description: 'Time between two looks',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 600,
			description:
				'How long to wait at most. The execution occupies a worker of n8n meanwhile; for long waits use a short timeout in a loop with the Wait node.',
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
			description: 'What to do when the time is up',
		},
	],
	input: (form) => ({
		deploymentId: form.pathId('deploymentId'),
		waitUntil: form.choice('waitUntil', GOALS),
		pollInterval: form.integer('pollInterval', { min: 1 }),
		timeout: form.integer('timeout', { min: 0 }),
		onTimeout: form.choice('onTimeout', ['error', 'output'] as const),
	}),
	async run(call, input) {
		const startedAt = now();
		const until = startedAt + input.timeout * 1000;
		const known = { deployment_id: input.deploymentId };
		let output: IDataObject = { ...known, status: 'unknown' };
		const look = async () => {
			const details = await findDeployment(call, input.deploymentId);
			output = {
				...described(details ?? {}),
				...known,
				status: details?.status ?? 'unknown to the service',
			};
			return await judge(call, input, details);
		};
		for (;;) {
			// An outage is shorter than most waits, and the machine bills on
			const verdict = await reading(`Deployment ${input.deploymentId}`, known, GOES_ON, look).catch(
				(error: NodeApiError) => {
					if (isPassing(error)) return error;
					throw error;
				},
			);
			const waited = { waited_seconds: Math.round((now() - startedAt) / 1000) };
			if (verdict === 'reached') return [{ ...output, reached: true, ...waited }];
			if (verdict === 'useless') throw uselessError(call, input, output);
			if (call.signal?.aborted) throw failure(call, { kind: 'cancelled' });
			const left = until - now();
			if (left <= 0) {
				if (input.onTimeout === 'output') return [{ ...output, reached: false, ...waited }];
				throw verdict === 'wait' ? timeoutError(call, input, output) : verdict;
			}
			await delay(Math.min(input.pollInterval * 1000, left), call.signal);
			if (call.signal?.aborted) throw failure(call, { kind: 'cancelled' });
		}
	},
};

async function judge(
	call: Call,
	{ waitUntil, deploymentId }: Input,
	details: IDataObject | undefined,
): Promise<'reached' | 'useless' | 'wait'> {
	const ended = details === undefined || isFinal(details.status);
	if (waitUntil === 'final') return ended ? 'reached' : 'wait';
	if (waitUntil === 'destroyed') {
		if (details === undefined || details.status === 'destroyed') return 'reached';
		return ended ? 'useless' : 'wait';
	}
	if (ended || details.status === 'termination requested') return 'useless';
	if (details.status !== 'running') return 'wait';
	return waitUntil === 'running' || (await reachable(call, deploymentId)) ? 'reached' : 'wait';
}

async function reachable(call: Call, deploymentId: string): Promise<boolean> {
	const vms = await listVms(call, deploymentId);
	return (
		vms.length > 0 && vms.every((vm) => typeof vm.ssh_access === 'string' && vm.ssh_access !== '')
	);
}

function uselessError(call: Call, input: Input, output: IDataObject) {
	return knownError(
		call,
		{
			message: `Deployment ${input.deploymentId} is "${String(output.status)}" and will not become ${input.waitUntil === 'destroyed' ? 'destroyed' : 'running'}`,
			description:
				'Waiting longer would not help. See Deployment > Get and VM > Get Many for what happened.',
		},
		output,
	);
}

function timeoutError(call: Call, input: Input, output: IDataObject) {
	return knownError(
		call,
		{
			message: `Deployment ${input.deploymentId} was still "${String(output.status)}" after ${input.timeout} seconds`,
			description: GOES_ON,
		},
		output,
	);
}
