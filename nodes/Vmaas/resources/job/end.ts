import type { IDataObject } from 'n8n-workflow';
import { findDeployment } from '../../../marketplace/deployments';
import { hasId, isSameId } from '../../../marketplace/ids';
import type { ProductContext } from '../../../marketplace/product';
import { reconcilePurchase, trailOf } from '../../../marketplace/purchase';
import { destroyById } from '../../../marketplace/teardown';
import { YOUNG_MS } from '../../../marketplace/turns';
import { numberOf } from '../../../shared/numbers';
import { pause, within } from '../../../shared/operation/context';
import { elapsed } from '../../../shared/time';
import { JobList, passing, type JobName } from './listed';

/** How long the end of a deployment is waited for and asked for, in milliseconds. */
const DEADLINE_MS = 900_000;

/** For one request to destroy and its effect, in seconds. */
const VERIFY_SECONDS = 240;

const PAUSE_MS = 20_000;

/** So long after it was sent, a deploy whose answer is not known is looked for. */
const LOOK_FOR_MS = 360_000;

/** How long the list is looked at before the first request to destroy, in milliseconds. */
const LOOK_FIRST_MS = 10_000;

const HOW_TO_LOOK = 'Look for it in the console of the service';

/** How a deployment of a job ended, by the names of the output. */
export interface End extends IDataObject {
	deployment_id: string | null;
	/** Null where the service does not show it. */
	resource_private_name: string | null;
	/** Null where it is not known. */
	destroyed: boolean | null;
	/** Whether the list shows besides that nothing else of the job bills. */
	verified: boolean;
	/** As the service shows it after the end; null where it does not. */
	amount_paid: number | null;
}

/** The end of a deployment, and what a person must know where it was not seen. */
export interface Ended {
	end: End;
	warning?: string;
	/** Whether another look may still show one that bills: until it does not, a retry buys nothing. */
	isOpen?: true;
}

/**
 * What ends a deployment has a signal and a deadline of its own: the execution may be cancelled, and its signal ends requests.
 * @returns undefined where the time was over before
 */
async function onItsOwn<T>(
	context: ProductContext,
	work: (own: ProductContext) => Promise<T>,
): Promise<T | undefined> {
	return await within({ ...context, signal: undefined }, DEADLINE_MS, work);
}

/**
 * Destroys the deployments of a job and waits for their end, also after the execution was cancelled. What has the name is nobody else's,
 * and ends with them: the ID in the answer to a deploy may be that of the request, and where a proxy has sent that again, there are two.
 * @param job as long as its name is not known, and the list does not show it either, only those of the IDs end
 * @returns what was seen: of all, or of those that may still bill; never throws
 */
export async function endDeployments(
	context: ProductContext,
	deploymentIds: string[],
	job: JobName,
): Promise<Ended> {
	/** Those that may bill; those of them that a service has let go on although it was asked; and those that are seen to have ended. */
	let open = deploymentIds;
	const unseen: string[] = [];
	const ended: string[] = [];
	/** Those that the service does not show: what it has made may have another ID. */
	const unshown = new Set<string>();
	/** What those that have ended have cost; null where it is not known. */
	const paid: Array<number | null> = [];
	let problem = `its end was not seen within ${DEADLINE_MS / 60_000} minutes`;
	const list = new JobList(job);
	const newNamed = async (own: ProductContext) => {
		const ids = await list.look(own);
		// What the list shows is spelled as the service knows it
		open = open.map((known) => ids.find((id) => isSameId(id, known)) ?? known);
		for (const known of unshown) if (hasId(ids, known)) unshown.delete(known);
		return ids.filter((id) => !hasId(found(), id));
	};
	const found = () => [...open, ...unseen, ...ended];
	const isFound = () => found().length > 0;
	const endOne = async (own: ProductContext, id: string) => {
		const options = { verify: true, verifyTimeout: VERIFY_SECONDS, ifNotFound: 'output' } as const;
		try {
			const { deleted, verified, hint, reason } = await destroyById(own, id, options);
			unshown.delete(id);
			open = open.filter((other) => other !== id);
			if (deleted === true && verified === true) {
				ended.push(id);
				const details = await findDeployment(own, id).catch(() => undefined);
				paid.push(numberOf(details?.amount_paid) ?? null);
				return;
			}
			problem = String(hint);
			if (reason === 'not found') unshown.add(id);
			else unseen.push(id);
		} catch (error) {
			if (!own.signal?.aborted) problem = (error as Error).message;
		}
	};
	await onItsOwn(context, async (own) => {
		// What has ended, the list may not show any more, and the documented details have no name; an outage must not hold up the end
		const named = await within(own, LOOK_FIRST_MS, newNamed);
		open = [...open, ...(named ?? [])];
		for (;;) {
			const asked = open;
			await Promise.all(asked.map(async (id) => await endOne(own, id)));
			if (own.signal?.aborted) return;
			const more = await newNamed(own);
			open = [...open, ...more];
			if (!isFound()) open = [...unshown];
			const haveEnded = asked.every((id) => ended.includes(id));
			const leftMs = list.isRead ? (job.lookUntil ?? 0) - elapsed() : PAUSE_MS;
			if (open.length === 0 && leftMs <= 0) return;
			if (open.length === 0) await pause(own, Math.min(leftMs, PAUSE_MS));
			else if (!haveEnded) await pause(own, PAUSE_MS);
		}
	}).catch((error: Error) => {
		problem = error.message;
	});
	const isLeft = (id: string) =>
		unseen.includes(id) || open.includes(id) || (!isFound() && unshown.has(id));
	const left = [...new Set([...deploymentIds, ...unseen, ...open])].filter(isLeft);
	const hidden = [...unshown].filter((id) => !left.includes(id));
	const unsure = list.unsure(context, [...left, ...ended]);
	const isSeen = left.length === 0 && list.isRead;
	const end: End = {
		deployment_id: left[0] ?? ended[0]!,
		resource_private_name: list.name ?? null,
		destroyed: isSeen ? true : null,
		verified: isSeen && unsure === undefined,
		amount_paid: isSeen ? sumOf(paid) : null,
	};
	const named = (ids: string[]) =>
		`Deployment ${ids.join(', ')}${list.name === undefined ? '' : ` ("${list.name}")`}`;
	const warning = [
		left.length > 0 && `${named(left)} may still run and bill: ${problem.replace(/\.$/, '')}`,
		left.length === 0 && unsure && `${named(ended)} has ended`,
		unsure &&
			`Its deploy may have made another one, which bills: ${unsure.problem}. ${HOW_TO_LOOK}`,
		hidden.length > 0 &&
			`The service has never shown ${hidden.join(', ')}, the ID in its answer to the deploy: it may be that of the order. ${HOW_TO_LOOK}`,
	].filter(Boolean);
	return {
		end,
		...(warning.length > 0 && { warning: warning.join('. ') }),
		...((left.length > 0 || unsure?.isPassing) && { isOpen: true }),
	};
}

/**
 * Ends what a purchase has made that was cut short, or whose outcome is not known.
 * @returns undefined where nothing was bought
 */
export async function endPurchase(
	context: ProductContext,
	name: string,
): Promise<Ended | undefined> {
	const noted = context.journal.intent();
	// Where a proxy has sent a request twice, a no is that to its second try, and what the first one has made shows later
	const sentAt =
		noted === undefined ? trailOf(context, name)?.refusedAt : elapsed() - context.journal.ageMs();
	if (sentAt === undefined) return undefined;
	const job = { name, lookUntil: sentAt + YOUNG_MS };
	if (typeof noted?.deployment_id === 'string')
		return await endDeployments(context, [noted.deployment_id], job);
	const until = noted === undefined ? job.lookUntil : sentAt + LOOK_FOR_MS;
	const list = new JobList(job);
	const ids = await onItsOwn(context, async (own) => await idsBought(own, list, until)).catch(
		() => undefined,
	);
	if (ids && ids.length > 0) return await endDeployments(context, ids, job);
	const unsure = noted === undefined ? list.unsure(context, []) : undefined;
	if (noted === undefined && !unsure?.isPassing) return undefined;
	return {
		end: {
			deployment_id: null,
			resource_private_name: name,
			destroyed: null,
			verified: false,
			amount_paid: null,
		},
		warning: unsure
			? `The refused deploy of "${name}" may have made a deployment, which bills: ${unsure.problem}. ${HOW_TO_LOOK}`
			: `The outcome of the deploy of "${name}" is unknown: it may exist and bill. Look for it by its name`,
		isOpen: true,
	};
}

/** What several have cost; null where it is not known of one. */
function sumOf(amounts: Array<number | null>): number | null {
	return amounts.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

/** The IDs of what a purchase has made, as soon as it shows; its name is nobody else's. */
async function idsBought(context: ProductContext, list: JobList, until: number): Promise<string[]> {
	const isDeploy = context.journal.intent()?.product !== undefined;
	const item = isDeploy ? await reconcilePurchase(context).catch(passing(context)) : undefined;
	if (typeof item?.deployment_id === 'string') return [item.deployment_id];
	for (;;) {
		const ids = await list.look(context);
		if (ids.length > 0 || elapsed() >= until) return ids;
		await pause(context, PAUSE_MS);
	}
}
