import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { isRecord, show } from '../shared/guards';
import { contextError } from '../shared/operation/context';
import type { Parameters } from '../shared/operation/parameters';
import { ASSUME_ABSENT_AFTER_MS } from '../shared/operation/sendOnce';
import { now } from '../shared/time';
import { findByName, idOf, listDeployments, nameOf, stillAlive } from './deployments';
import { hasId } from './ids';
import { differencesFrom, type OrderFacts } from './orderMatch';
import {
	boughtHere,
	destroyedHere,
	hasOrderedInVain,
	isConfirmedUnseen,
	isOfAnother,
	namesBought,
	ownDeployment,
} from './ownDeployments';
import { mayBeYoung, noteShown, readList, whatIs } from './presence';
import { isOwn, type ProductContext } from './product';
import { similarlyNamed } from './similarNames';
import { isFinal } from './state';

/** A deployment as a form, an expression or an AI agent names it. */
export type Reference = { id: string } | { name: string };

/** The deployments that the field Deployment names: one, or several where an expression gives a list. */
export function readReferences(parameters: Parameters): Reference[] {
	const raw = parameters.value('deploymentId');
	if (!isRecord(raw) || raw.mode !== 'name')
		return parameters.pathIds('deploymentId').map((id) => ({ id }));
	const names: unknown[] = Array.isArray(raw.value) ? raw.value : [raw.value];
	if (names.length === 0)
		parameters.fail('deploymentId', 'is required: the list of names is empty');
	return names.map((name) => {
		const text = typeof name === 'number' ? String(name) : name;
		if (typeof text === 'string' && text.trim() !== '') return { name: text.trim() };
		return parameters.fail('deploymentId', `must be a name, got ${show(name)}`);
	});
}

/** The one deployment that the field Deployment names. */
export function readReference(parameters: Parameters): Reference {
	const [reference, ...others] = readReferences(parameters) as [Reference, ...Reference[]];
	if (others.length > 0)
		parameters.fail('deploymentId', `must be exactly one value, got ${others.length + 1}`);
	return reference;
}

/** A reference for messages: the ID, or the name in quotes. */
export function labelOf(reference: Reference): string {
	return 'id' in reference ? reference.id : `"${reference.name}"`;
}

/** A reference by the names of the output. */
export function factsOf(reference: Reference): IDataObject {
	return 'id' in reference
		? { deployment_id: reference.id }
		: { resource_private_name: reference.name };
}

/** What a reference leads to. */
export type Found =
	| { state: 'found'; id: string }
	/** Only deployments that have ended have the name; one that has not may be too young to show. */
	| { state: 'ended'; entries: IDataObject[]; mayShow: boolean }
	/** No deployment has the name. */
	| { state: 'never seen'; mayShow: boolean };

/**
 * Looks once for the deployment that a reference means: of a name, the only one that has not ended.
 * @throws where several have not ended, and where the list cannot be read
 */
export async function find(context: ProductContext, reference: Reference): Promise<Found> {
	if ('id' in reference) return { state: 'found', id: reference.id };
	const { name } = reference;
	const own = boughtHere(context, name);
	const entries = await readList(context, async () => await findByName(context, name)).catch(
		(error: NodeApiError) => {
			if (own.length === 0 || context.signal?.aborted) throw error;
			return [];
		},
	);
	const listed = entries.map(idOf);
	const shown = await stillAlive(context, entries);
	const alive = [...shown, ...(await hiddenOnes(context, name, listed))].map((one) => idOf(one)!);
	const [id] = alive;
	if (alive.length > 1) {
		throw contextError(context, {
			message: `${alive.length} deployments named "${name}" have not ended: ${alive.join(', ')}. Choose one of them By ID`,
		});
	}
	const what = `name ${name}`;
	if (id !== undefined) {
		if (await isStranger(context, name, id)) {
			throw contextError(context, {
				message: `Deployment ${id} has the name "${name}", but it is not the one that this execution has ordered`,
				description: 'If you mean this one, choose it By ID.',
			});
		}
		noteShown(context, what);
		return { state: 'found', id };
	}
	const mayShow = await mayBeYoung(context, what);
	if (wasSent(context, name, listed)) return { state: 'never seen', mayShow };
	// Of its own this execution knows that there is no younger one
	const destroyed = destroyedHere(context, name).map((gone) => ({
		deployment_id: gone,
		status: 'destroyed',
	}));
	const ended = entries.length > 0 ? entries : destroyed;
	if (ended.length === 0) return { state: 'never seen', mayShow };
	return { state: 'ended', entries: ended, mayShow: mayShow && destroyed.length === 0 };
}

/**
 * What this execution has bought under a name and has not ended, where the list does not show it under that name: it may be behind,
 * and have no name for what starts.
 */
async function hiddenOnes(
	context: ProductContext,
	name: string,
	listed: Array<string | undefined>,
): Promise<IDataObject[]> {
	const hidden: IDataObject[] = [];
	for (const id of boughtHere(context, name).filter((own) => !hasId(listed, own))) {
		const { state, details } = await whatIs(context, id);
		if (state !== 'ended')
			hidden.push({ ...details, deployment_id: id, resource_private_name: name });
	}
	return hidden;
}

/**
 * What this execution has bought under the names that are meant, beside what the list shows of them; without an ID where none is
 * known yet.
 * @param entries what the list shows under these names, in any state
 */
export async function ownBeside(
	context: ProductContext,
	entries: IDataObject[],
	isMeant: (name: string) => boolean,
): Promise<IDataObject[]> {
	const sent = openNotes(context).map((note) => String(note.resource_private_name));
	const beside: IDataObject[] = [];
	for (const name of new Set([...namesBought(context), ...sent].filter(isMeant))) {
		const all = [...entries, ...beside];
		beside.push(...(await hiddenOnes(context, name, all.map(idOf))));
		const ofName = entries.filter((entry) => nameOf(entry) === name).map(idOf);
		if (isUnseen(context, name, ofName))
			beside.push({
				resource_private_name: name,
				hint: 'This execution has sent its deploy, and the service does not show it: it may exist and bill.',
			});
	}
	return beside;
}

/**
 * Whether the only deployment of a name is somebody else's: this execution has ordered one of this name, and got none, or this one
 * was there before, is another size, or has taken the name of one that has ended.
 */
async function isStranger(context: ProductContext, name: string, id: string): Promise<boolean> {
	const own = boughtHere(context, name);
	if (hasId(own, id)) return false;
	const sent = openNotes(context, name);
	if (sent.length === 0)
		return (
			own.length > 0 || destroyedHere(context, name).length > 0 || hasOrderedInVain(context, name)
		);
	const { details = {} } = await whatIs(context, id);
	return sent.every(
		(note) =>
			note.isRefused === true ||
			isNotOf(context, note, id) ||
			// The clock of the service may be wrong
			differencesFrom(context.product, note.order as OrderFacts, details).some(
				(one) => !/^(created|started)_at/.test(one),
			),
	);
}

/** Whether a deployment was there before a deploy was sent, or is that of another purchase. */
function isNotOf(
	context: ProductContext,
	{ knownIds, purchaseId }: IDataObject,
	id: string,
): boolean {
	return isOfAnother(context, id, purchaseId) || hasId((knownIds ?? []) as string[], id);
}

/** The notes of deploys, of this name or of any, whose outcome is unknown. */
function openNotes(context: ProductContext, name?: string): IDataObject[] {
	const notes = context.journal.others().map((other) => other.intent() ?? {});
	return notes.filter(
		(note) =>
			isOwn(context, note) &&
			typeof note.resource_private_name === 'string' &&
			note.resource_private_name === (name ?? note.resource_private_name),
	);
}

/**
 * Whether this execution has sent a deploy of this name, of a quarter of an hour ago at most, that none of what has the name can be.
 * @param listed the IDs that have the name now
 */
function isUnseen(
	context: ProductContext,
	name: string,
	listed: Array<string | undefined>,
): boolean {
	const isOpen = openNotes(context, name).some(
		(note) =>
			now() < (note.order as OrderFacts).sentAt + ASSUME_ABSENT_AFTER_MS &&
			listed.every((id) => id !== undefined && isNotOf(context, note, id)),
	);
	return isOpen || isConfirmedUnseen(context, name, listed);
}

/**
 * Whether this execution has sent a deploy of this name whose deployment it has not seen: the outcome is unknown, or the service
 * has confirmed it without an ID.
 */
function wasSent(
	context: ProductContext,
	name: string,
	listed: Array<string | undefined>,
): boolean {
	return openNotes(context, name).length > 0 || isConfirmedUnseen(context, name, listed);
}

/**
 * The ID of the deployment that a reference means.
 * @throws where a name is not that of exactly one deployment that has not ended
 */
export async function resolveDeployment(
	context: ProductContext,
	reference: Reference,
): Promise<string> {
	const found = await find(context, reference);
	if (found.state === 'found') return found.id;
	if (found.state === 'ended') {
		throw contextError(context, {
			message: `Every deployment named ${labelOf(reference)} has ended: ${idsOf(found.entries)}`,
			description: 'To use one of them, choose it By ID.',
		});
	}
	throw await notFoundError(context, reference);
}

/** The IDs of entries for a message. */
export function idsOf(entries: IDataObject[]): string {
	return entries.map((entry) => idOf(entry) ?? 'no ID').join(', ');
}

/** The error for a reference to nothing that was ever seen. It names the deployment that was probably meant. */
export async function notFoundError(
	context: ProductContext,
	reference: Reference,
	consequence = '',
): Promise<NodeApiError> {
	const advice = 'Check it, and that the API key belongs to the account that deployed it.';
	return contextError(
		context,
		{
			message: `There is no deployment ${'id' in reference ? reference.id : `named "${reference.name}"`}${await meant(context, reference)}`,
			description: [consequence, advice].filter(Boolean).join(' '),
			status: 404,
		},
		factsOf(reference),
	);
}

/** In words, what a wrong reference probably means: an ID that is a name, or a name in other case or length. */
async function meant(context: ProductContext, reference: Reference): Promise<string> {
	const entries = await listDeployments(context).catch(() => []);
	const alive = (all: IDataObject[]) => all.filter(({ status }) => !isFinal(status));
	if ('name' in reference) {
		const similar = alive(similarlyNamed(entries, reference.name));
		return similar.length > 0 ? `. A similar name has ${idsWithNames(similar)}` : '';
	}
	const same = alive(entries).filter((entry) => nameOf(entry) === reference.id);
	if (same.length > 0) return `: that is the name of ${idsOf(same)}. Choose By Name`;
	// The ID in the answer to a deploy may be that of the request
	const { names = [] } = ownDeployment(context, reference.id) ?? {};
	const named = names.flatMap((name) => alive(similarlyNamed(entries, name)));
	return named.length > 0
		? `: it is the ID in the answer to a deploy, and under its name there is ${idsWithNames([...new Set(named)])}. If that is yours, choose it By ID`
		: '';
}

/** IDs with their names for a message. */
export function idsWithNames(entries: IDataObject[]): string {
	return entries.map((entry) => `${idsOf([entry])} ("${nameOf(entry)}")`).join(', ');
}
