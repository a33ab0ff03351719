import type { IDataObject } from 'n8n-workflow';
import { requireLimitByPerson } from '../../../marketplace/agentLimit';
import type { ProductContext } from '../../../marketplace/product';
import { forgetTrail } from '../../../marketplace/purchase';
import type { SshCredential } from '../../../marketplace/ssh';
import { YOUNG_MS } from '../../../marketplace/turns';
import type { NodeError } from '../../../shared/http/errors';
import { contextError, knownOf } from '../../../shared/operation/context';
import { elapsed } from '../../../shared/time';
import { buyCheapest, type CheapestOrder } from '../deployment/buyCheapest';
import { whileAlive } from './aliveRuns';
import { awaitSsh, type Vm } from './awaitSsh';
import { endDeployments, endPurchase, type Ended } from './end';
import { jobIdOf, jobName, type JobKind } from './jobName';
import { endLeftovers, type Leftovers } from './leftovers';

/** What a job rents. */
export interface MachineOrder {
	key: string;
	kind: JobKind;
	/** Without names: a job has its own. */
	order: Omit<CheapestOrder, 'nameRules'>;
	credential: SshCredential;
	/** How long a VM may take until it answers over SSH, in milliseconds. */
	waitMs: number;
}

/** A VM that a job has rented. */
export interface Machine {
	jobId: string;
	vm: Vm;
	name: string;
	/** When it was bought, by {@link elapsed}. */
	boughtAt: number;
	/** What the purchase has shown. */
	bought: IDataObject;
	/** What earlier runs of the job have left; Start looks for none. */
	leftovers?: Leftovers;
	/** Ends it and waits for its end; never throws. */
	end(): Promise<Ended>;
}

/**
 * Rents a VM for a job. Whatever goes wrong from the purchase on, and a cancel, ends it again, and the error says what was seen of
 * its end. A retry of the item first ends what an earlier try has left.
 * @param use gets the VM as soon as it answers over SSH
 */
export async function withMachine<T>(
	context: ProductContext,
	machineOrder: MachineOrder,
	use: (machine: Machine) => Promise<T>,
): Promise<T> {
	const { key, kind, order } = machineOrder;
	requireLimitByPerson(context, order.priceLimits);
	const noted = context.journal.intent()?.resource_private_name;
	const name = typeof noted === 'string' ? noted : jobName(context, key, kind);
	context.known.resource_private_name = name;
	const twice = () =>
		contextError(context, {
			message: `The job "${name}" runs already: it was called twice with the same arguments`,
			description: 'Nothing was deployed now.',
		});
	return await whileAlive(name, twice, async () => {
		await endEarlier(context, name);
		const leftovers = kind === 'run' ? await endLeftovers(context, machineOrder, name) : undefined;
		let bought: IDataObject | undefined;
		let ended: Ended | undefined;
		try {
			bought = await buy(context, machineOrder, name);
			const boughtAt = elapsed();
			const id = bought.deployment_id;
			if (typeof id !== 'string')
				throw contextError(context, {
					message: 'The service has confirmed the deploy, and shows no deployment of its name',
				});
			context.known.deployment_id = id;
			const vm = await reach(context, id, machineOrder);
			const job = { name, lookUntil: boughtAt + YOUNG_MS };
			const end = async () => (ended ??= await endDeployments(context, [id], job));
			return await use({ jobId: jobIdOf(name), vm, name, boughtAt, bought, leftovers, end });
		} catch (error) {
			ended ??= await endPurchase(context, name);
			if (!ended?.isOpen) context.journal.clear();
			throw withEnd(context, error as NodeError, ended, bought?.hint);
		} finally {
			// A retry that looks again needs it
			if (!ended?.isOpen) forgetTrail(context, name);
		}
	});
}

/**
 * Ends what an earlier try of this item has rented and could not be seen to end. A deploy whose outcome is unknown is looked for
 * by the purchase itself.
 */
async function endEarlier(context: ProductContext, name: string): Promise<void> {
	const noted = context.journal.intent();
	if (noted === undefined || (noted.product !== undefined && !noted.isConfirmed)) return;
	const ended = await endPurchase(context, name);
	if (ended?.isOpen)
		throw withEnd(
			context,
			contextError(context, {
				message:
					'An earlier try of this job may have left its deployment, and nothing was deployed now',
			}),
			ended,
		);
	context.journal.clear();
}

/** Buys under the name of the job. The journal holds what was bought until its end was seen. */
async function buy(
	context: ProductContext,
	{ order }: MachineOrder,
	name: string,
): Promise<IDataObject> {
	const { journal } = context;
	const own: ProductContext = {
		...context,
		journal: {
			...journal,
			done: ([item]) =>
				journal.note({
					// With the order, what does not show yet is found later
					...(typeof item?.deployment_id !== 'string' && {
						...journal.intent(),
						isConfirmed: true,
					}),
					what: `Job "${name}"`,
					deployment_id: item?.deployment_id ?? null,
					resource_private_name: name,
				}),
		},
	};
	return await buyCheapest(own, {
		...order,
		nameRules: {
			name,
			uniqueName: true,
			hasSuffix: true,
			ifNameExists: 'error',
			minRemainingHours: 0,
			dryRun: false,
			workers: 1,
			gpus: order.gpusPerVm,
		},
	});
}

async function reach(
	context: ProductContext,
	id: string,
	{ credential, waitMs }: MachineOrder,
): Promise<Vm> {
	const awaited = await awaitSsh(context, id, credential, waitMs);
	if ('vm' in awaited) return awaited.vm;
	if ('ended' in awaited)
		throw contextError(context, {
			message: `The deployment is "${String(awaited.ended.status ?? 'ended')}" and never ran the job`,
		});
	throw contextError(context, {
		message: `The VM did not answer over SSH within its time: ${awaited.never}`,
		description:
			'Raise Wait Timeout under Options if VMs take longer. n8n must be able to reach the SSH port of the VM.',
	});
}

/**
 * The error of a job, which says what was seen of the end of its deployment.
 * @param hint what the purchase has said of it
 */
function withEnd(
	context: ProductContext,
	error: NodeError,
	ended?: Ended,
	hint?: unknown,
): NodeError {
	if (!ended) return error;
	const { end, warning } = ended;
	const told =
		warning ??
		`Deployment ${String(end.deployment_id)} ("${end.resource_private_name}") was destroyed, and its end was seen`;
	// An AI agent gets the message alone
	if (warning !== undefined) error.message = `${error.message}. ${warning}`;
	error.description = [error.description, hint, `${told}.`].filter(Boolean).join('\n');
	if (context.signal?.aborted) context.log(`A job was cancelled. ${told}`, { ...end });
	// The ID of what has ended may be another one than that in the answer to the deploy
	error.context = { ...error.context, known: { ...knownOf(error), ...end } };
	return error;
}
