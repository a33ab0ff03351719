import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { findDeployment, idOf, listDeployments, nameOf } from '../../../marketplace/deployments';
import { lacksList, noteList } from '../../../marketplace/presence';
import type { ProductContext } from '../../../marketplace/product';
import { reconcilePurchase } from '../../../marketplace/purchase';
import { stateOf } from '../../../marketplace/state';
import { destroyById } from '../../../marketplace/teardown';
import { numberOf } from '../../../shared/numbers';
import { pause, within } from '../../../shared/operation/context';
import { now } from '../../../shared/time';

/** How long the end of a deployment is waited for and asked for, in milliseconds. */
const DEADLINE_MS = 900_000;

/** For one request to destroy and its effect, in seconds. */
const VERIFY_SECONDS = 240;

const PAUSE_MS = 20_000;

/** So long after it was sent, a deploy whose answer is not known is looked for. */
const LOOK_FOR_MS = 360_000;

/** How a deployment of a job ended, by the names of the output. */
export interface End extends IDataObject {
	deployment_id: string | null;
	/** Null where the service does not show it. */
	resource_private_name: string | null;
	/** Null where it is not known. */
	destroyed: boolean | null;
	verified: boolean;
	/** As the service shows it after the end; null where it does not. */
	amount_paid: number | null;
}

/** The end of a deployment, and what a person must know where it was not seen. */
export interface Ended {
	end: End;
	warning?: string;
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
 * @param name undefined where it is not known: as long as the list does not show it either, only those of the IDs end
 * @param isName whether a name that the list shows is that of the job and nobody else's
 * @returns what was seen: of all, or of those that may still bill; never throws
 */
export async function endDeployments(
	context: ProductContext,
	deploymentIds: string[],
	name: string | undefined,
	isName = (shown: string) => shown.toLowerCase() === name?.toLowerCase(),
): Promise<Ended> {
	/** Those that may bill; those of them that a service has let go on although it was asked; and those that are seen to have ended. */
	let open = deploymentIds;
	const unseen: string[] = [];
	const ended: string[] = [];
	/** Of what has ended; null where it is not known of one. */
	let paid: number | null = 0;
	let problem = `its end was not seen within ${DEADLINE_MS / 60_000} minutes`;
	/** Whether the list could be read, or the service has none; and whether all under the name are known. */
	let isRead = false;
	let areAllKnown = false;
	const newNamed = async (own: ProductContext) => {
		const known = [...open, ...unseen, ...ended];
		isRead = areAllKnown = false;
		const entries = await readEntries(own);
		if (entries === undefined) return [];
		const named = entries.filter((entry) => isName(nameOf(entry) ?? ''));
		name ??= nameOf(named[0] ?? {});
		isRead = true;
		areAllKnown = name !== undefined && showNames(entries);
		return idsOpen(named).filter((id) => !known.includes(id));
	};
	await onItsOwn(context, async (own) => {
		// The list may show the name only until it has ended; the documented details have none
		if (name === undefined) open = [...open, ...(await newNamed(own))];
		for (;;) {
			const [id, ...others] = open;
			if (id === undefined) {
				open = await newNamed(own);
				if (open.length > 0) continue;
				if (isRead) return;
				await pause(own, PAUSE_MS);
				continue;
			}
			try {
				const { deleted, verified, hint, reason } = await destroyById(own, id, {
					verify: true,
					verifyTimeout: VERIFY_SECONDS,
					ifNotFound: 'output',
				});
				if (deleted === true && verified === true) {
					const details = await findDeployment(own, id).catch(() => undefined);
					paid = sumOf([paid, numberOf(details?.amount_paid) ?? null]);
					ended.push(id);
					open = others;
					continue;
				}
				problem = String(hint);
				if (reason !== 'not found') {
					unseen.push(id);
					open = others;
					continue;
				}
				const named = await newNamed(own);
				open = [...others, ...(named.length > 0 ? named : [id])];
			} catch (error) {
				if (own.signal?.aborted) return;
				problem = (error as Error).message;
				open = [...others, ...(await newNamed(own)), id];
			}
			await pause(own, PAUSE_MS);
		}
	}).catch((error: Error) => {
		problem = error.message;
	});
	const left = [...new Set([...deploymentIds, ...unseen, ...open])].filter(
		(id) => unseen.includes(id) || open.includes(id),
	);
	const facts = { deployment_id: left[0] ?? ended[0]!, resource_private_name: name ?? null };
	if (left.length === 0 && areAllKnown)
		return { end: { ...facts, destroyed: true, verified: true, amount_paid: paid } };
	if (left.length === 0 && isRead)
		return {
			end: { ...facts, destroyed: true, verified: false, amount_paid: paid },
			warning: `Deployment ${ended.join(', ')} was destroyed, but whether its deploy has made another one, which bills, cannot be told: the service does not show the name of the job`,
		};
	const end = { ...facts, destroyed: null, verified: false, amount_paid: null };
	const named = name === undefined ? '' : ` ("${name}")`;
	const warning =
		left.length > 0
			? `Deployment ${left.join(', ')}${named} may still run and bill: ${problem}`
			: `Deployment ${ended.join(', ')}${named} was destroyed, but another of its name may run and bill: the list of deployments could not be read`;
	return { end, warning };
}

/**
 * Ends what a purchase has made that was cut short, or whose outcome is not known.
 * @returns undefined where certainly nothing was bought
 */
export async function endPurchase(
	context: ProductContext,
	name: string,
): Promise<Ended | undefined> {
	const noted = context.journal.intent();
	if (noted === undefined) return undefined;
	if (typeof noted.deployment_id === 'string')
		return await endDeployments(context, [noted.deployment_id], name);
	const sentAt = now() - context.journal.ageMs();
	const ids = await onItsOwn(context, async (own) => await idsBought(own, name, sentAt)).catch(
		() => undefined,
	);
	if (ids && ids.length > 0) return await endDeployments(context, ids, name);
	return {
		end: {
			deployment_id: null,
			resource_private_name: name,
			destroyed: null,
			verified: false,
			amount_paid: null,
		},
		warning: `The outcome of the deploy of "${name}" is unknown: it may exist and bill. Look for it by its name`,
	};
}

/** What several have cost; null where it is not known of one. */
function sumOf(amounts: Array<number | null>): number | null {
	return amounts.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

/** The IDs of what a purchase has made, as soon as it shows; its name is nobody else's. */
async function idsBought(context: ProductContext, name: string, sentAt: number): Promise<string[]> {
	const isDeploy = context.journal.intent()?.product !== undefined;
	const item = isDeploy ? await reconcilePurchase(context).catch(passing(context)) : undefined;
	if (typeof item?.deployment_id === 'string') return [item.deployment_id];
	for (;;) {
		const entries = (await readEntries(context)) ?? [];
		const ids = idsOpen(
			entries.filter((entry) => nameOf(entry)?.toLowerCase() === name.toLowerCase()),
		);
		if (ids.length > 0 || now() >= sentAt + LOOK_FOR_MS) return ids;
		await pause(context, PAUSE_MS);
	}
}

/** All deployments, none where the service has no list; undefined where it cannot be read now. */
async function readEntries(context: ProductContext): Promise<IDataObject[] | undefined> {
	try {
		const entries = await listDeployments(context);
		noteList(context);
		return entries;
	} catch (caught) {
		const error = caught as NodeApiError;
		return lacksList(context, error) ? [] : passing(context)(error);
	}
}

/** Whether a name that a list does not show is not there: one without any names says nothing about it. */
function showNames(entries: IDataObject[]): boolean {
	return entries.length === 0 || entries.some((entry) => nameOf(entry) !== undefined);
}

/** The IDs of those that have not ended. */
function idsOpen(entries: IDataObject[]): string[] {
	return entries
		.filter(({ status }) => stateOf(status) !== 'ended')
		.flatMap((entry) => idOf(entry) ?? []);
}

/** What fails is tried again, until the time is over. */
function passing({ signal }: ProductContext): (error: NodeApiError) => undefined {
	return (error) => {
		if (signal?.aborted) throw error;
		return undefined;
	};
}
