import type {
	IDataObject,
	INodeProperties,
	INodePropertyOptions,
	NodeApiError,
} from 'n8n-workflow';
import { described } from '../deployments';
import { deploymentField } from '../fields';
import { whatIs, type Presence } from '../presence';
import {
	factsOf,
	find,
	labelOf,
	notFoundError,
	readReference,
	type Reference,
} from '../references';
import { isDestroyed } from '../state';
import { isTransient, replyError } from '../../shared/http/request';
import { contextError, prerequisite, pause, within } from '../../shared/operation/context';
import { onProduct, type Product, type ProductContext } from '../product';
import type { Parameters } from '../../shared/operation/parameters';
import { elapsed } from '../../shared/time';

const GOALS = ['running', 'destroyed', 'final'] as const;

/** A goal that only one product has: what runs can be used. */
export interface UsableGoal<Settings> {
	/** Of the field Wait Until. */
	option: INodePropertyOptions & { value: string };
	/** What it is told in the form. */
	fields: INodeProperties[];
	read(parameters: Parameters): Settings;
	/**
	 * Looks once.
	 * @param details of the deployment, which runs
	 * @returns in words what is missing, or what the output says where the goal is reached
	 */
	look(
		context: ProductContext,
		deploymentId: string,
		details: IDataObject,
		settings: Settings,
	): Promise<{ missing: string } | { reached: IDataObject }>;
}

/** The longest wait in seconds: the execution occupies an n8n worker meanwhile. */
const LONGEST_WAIT = 300;

/** Time in milliseconds for a look near the timeout; the last one begins at the timeout. */
const LAST_LOOK_MS = 10_000;

const GOES_ON =
	'It goes on and bills. Wait longer, destroy it, or set On Timeout to return an item and loop with the Wait node.';

interface Input<Settings> {
	reference: Reference;
	waitUntil: string;
	settings: Settings;
	pollInterval: number;
	timeout: number;
	onTimeout: 'error' | 'output';
}

/** Deployment > Wait For of a product, which may have a goal of its own. */
export const waitFor = <Settings>(product: Product, goal: UsableGoal<Settings>) =>
	onProduct<Input<Settings>>(product, {
		value: 'waitFor',
		name: 'Wait For',
		action: `Wait for ${product.deployment}`,
		description: 'Wait until a deployment has reached a state, checking it at an interval',
		effect: 'read',
		fields: [
			deploymentField,
			{
				displayName: 'Wait Until',
				name: 'waitUntil',
				type: 'options',
				options: [
					{
						name: 'Destroyed',
						value: 'destroyed',
						description:
							'It is destroyed, or for a minute the service has not shown what it showed before',
					},
					{ name: 'Ended', value: 'final', description: 'It is completed, failed or destroyed' },
					{ name: 'Running', value: 'running' },
					goal.option,
				],
				default: 'running',
				description: 'The state to wait for',
			},
			...goal.fields.map((field) => ({
				...field,
				displayOptions: { show: { waitUntil: [goal.option.value] } },
			})),
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
					'Maximum time to wait, at most 300: the execution occupies an n8n worker meanwhile. To wait longer, return an item on timeout and loop with the Wait node.',
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
			reference: readReference(parameters),
			waitUntil: parameters.choice('waitUntil', [...GOALS, goal.option.value]),
			settings: goal.read(parameters),
			pollInterval: parameters.integer('pollInterval', { min: 1 }),
			timeout: parameters.integer('timeout', { min: 0 }),
			onTimeout: parameters.choice('onTimeout', ['error', 'output'] as const),
		}),
		async run(context, input) {
			const startedAt = elapsed();
			const until = startedAt + Math.min(input.timeout, LONGEST_WAIT) * 1000;
			const known = factsOf(input.reference);
			Object.assign(context.known, known);
			let { reference } = input;
			let output: IDataObject = { ...known, status: 'unknown' };
			let isRead = false;
			let missing: string | undefined;
			const look = async (bounded: ProductContext) => {
				const found = await lookAt(bounded, reference);
				isRead = true;
				// From now on it is this one, whatever gets its name
				if (found.id !== undefined) Object.assign(known, factsOf((reference = { id: found.id })));
				const { details } = found.presence;
				const status = details?.status ?? 'unknown to the service';
				output = { ...described(details ?? {}, context.account.clockAheadMs), ...known, status };
				const verdict = await judge(bounded, input, found);
				if (verdict !== 'usable') return verdict;
				const seen = await goal.look(bounded, found.id!, details!, input.settings);
				missing = 'missing' in seen ? seen.missing : undefined;
				if ('missing' in seen) return 'wait';
				Object.assign(output, seen.reached);
				return 'reached';
			};
			for (;;) {
				// An outage is shorter than most waits, and the deployment goes on billing
				const verdict = await within(
					context,
					Math.max(until - elapsed(), LAST_LOOK_MS),
					async (bounded) =>
						await prerequisite(
							bounded,
							`Deployment ${labelOf(reference)}`,
							GOES_ON,
							async () => await look(bounded),
						),
				).catch((error: NodeApiError) => {
					if (isTransient(error)) return error;
					throw error;
				});
				const waited = { waited_seconds: Math.round((elapsed() - startedAt) / 1000) };
				if (verdict === 'reached') return [{ ...output, reached: true, ...waited }];
				if (verdict === 'useless') throw uselessError(context, input, output);
				if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
				const left = until - elapsed();
				if (left <= 0) {
					const hint = input.timeout > LONGEST_WAIT && {
						hint: `The timeout is ${input.timeout} seconds, but the node waits ${LONGEST_WAIT} at most.`,
					};
					if (input.onTimeout === 'output')
						return [{ ...output, reached: false, ...(missing && { missing }), ...waited, ...hint }];
					if (verdict instanceof Error) throw verdict;
					throw timeoutError(context, input, isRead ? output : undefined, missing);
				}
				await pause(context, Math.min(input.pollInterval * 1000, left));
			}
		},
	});

/** What is waited for. */
type Target = Pick<Input<unknown>, 'reference' | 'waitUntil'>;

interface Look {
	presence: Exclude<Presence, { state: 'unreadable' }>;
	/** Absent while a name is that of no deployment which has not ended. */
	id?: string;
}

async function lookAt(context: ProductContext, reference: Reference): Promise<Look> {
	const found = await find(context, reference);
	if (found.state === 'found') {
		const presence = await whatIs(context, found.id);
		if (presence.state === 'unreadable') throw presence.error;
		return { presence, id: found.id };
	}
	if (found.mayShow || found.state === 'never seen')
		return { presence: { state: 'never seen', hasList: true, isYoung: found.mayShow } };
	// One that was not destroyed decides, since all of them have ended
	const [first] = found.entries;
	const details = found.entries.find(({ status }) => !isDestroyed(status)) ?? first!;
	return { presence: { state: 'ended', details } };
}

/** Whether the goal is reached, cannot be reached any more, or may still be; `usable` where what runs has to be looked at. */
async function judge(
	context: ProductContext,
	{ waitUntil, reference }: Target,
	{ presence }: Look,
): Promise<'reached' | 'usable' | 'useless' | 'wait'> {
	const { state, details } = presence;
	if (state === 'never seen') {
		if (presence.hasList && presence.isYoung) return 'wait';
		const reason = presence.hasList
			? 'The service did not show it for two minutes.'
			: 'This service has neither details nor a list of deployments: nothing can be waited for.';
		throw await notFoundError(context, reference, reason);
	}
	const hasEnded = state === 'ended';
	if (waitUntil === 'final') return hasEnded ? 'reached' : 'wait';
	if (waitUntil === 'destroyed') {
		if (!hasEnded) return 'wait';
		return !details || isDestroyed(details.status) ? 'reached' : 'useless';
	}
	if (hasEnded || state === 'ending') return 'useless';
	if (state !== 'running') return 'wait';
	return waitUntil === 'running' ? 'reached' : 'usable';
}

function uselessError(context: ProductContext, input: Target, output: IDataObject) {
	return contextError(
		context,
		{
			message: `Deployment ${labelOf(input.reference)} is "${String(output.status)}" and will not become ${input.waitUntil === 'destroyed' ? 'destroyed' : 'running'}`,
			description: `Waiting longer would not help. See Deployment > Get and ${context.product.workerOperation} for what happened.`,
		},
		output,
	);
}

/**
 * @param output what the last look that was finished has shown
 * @param missing what it missed in one that runs
 */
function timeoutError(
	context: ProductContext,
	input: Target & { timeout: number },
	output?: IDataObject,
	missing?: string,
) {
	const seconds = Math.min(input.timeout, LONGEST_WAIT);
	const longest = input.timeout > seconds ? `. The node waits ${LONGEST_WAIT} seconds at most` : '';
	return contextError(
		context,
		{
			message: `Deployment ${labelOf(input.reference)} ${output ? `was still "${String(output.status)}" after` : 'could not be read within'} ${seconds} seconds${missing ? `: ${missing}` : ''}${longest}`,
			description: GOES_ON,
		},
		output,
	);
}
