import type { IDataObject, INodeProperties, NodeApiError } from 'n8n-workflow';
import { replyError } from '../shared/http/request';
import { contextError, withKnown, pause } from '../shared/operation/context';
import type { Parameters } from '../shared/operation/parameters';
import { inOrder } from '../shared/operation/inOrder';
import { LOOK_PAUSES_MS } from '../shared/operation/sendOnce';
import { idOf } from './deployments';
import { ownDeployment } from './ownDeployments';
import { whatIs } from './presence';
import type { ProductContext } from './product';
import { factsOf, find, idsOf, labelOf, type Found, type Reference } from './references';
import { destroyById, notFound, tell, type DestroyOptions, type Told } from './teardown';

const DEFAULT_VERIFY_SECONDS = 120;

/** IDs that an error names at most. */
const MOST_NAMED = 20;

/** Deployments that are destroyed side by side. */
export const DESTROYED_AT_ONCE = 5;

/** Options of Destroy and Destroy Many. */
export const verifyFields: INodeProperties[] = [
	{
		displayName: 'Verify',
		name: 'verify',
		type: 'boolean',
		default: true,
		description:
			'Whether to wait until the deployment has ended, and to stop with an error if it has not. On unless you add it and turn it off.',
	},
	{
		displayName: 'Verify Timeout (Seconds)',
		name: 'verifyTimeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_VERIFY_SECONDS,
		description: 'How long to wait for the end if Verify is on',
	},
];

export const ifNotFoundField: INodeProperties = {
	displayName: 'If Not Found',
	name: 'ifNotFound',
	type: 'options',
	options: [
		{
			name: 'Return an Item',
			value: 'output',
			description: 'Return an item with deleted: null',
		},
		{ name: 'Stop With an Error', value: 'error' },
	],
	default: 'error',
	description:
		'What to do if the service has not shown the deployment for two minutes, so that it may be a wrong ID or name',
};

export const refundNotice: INodeProperties = {
	displayName:
		'The first hour is never refunded. After that you pay for the exact time and the rest is refunded.',
	name: 'refundNotice',
	type: 'notice',
	default: '',
};

export function readDestroyOptions(parameters: Parameters): DestroyOptions {
	const options = parameters.group('options');
	return {
		// A leftover of an option that was never added must not turn it off
		verify: options.value('verify') === undefined || options.flag('verify'),
		verifyTimeout:
			options.integer('verifyTimeout', { optional: true, min: 1 }) ?? DEFAULT_VERIFY_SECONDS,
		ifNotFound: options.has('ifNotFound')
			? options.choice('ifNotFound', ['error', 'output'] as const)
			: 'error',
	};
}

/** What follows the message of an error that came before anything was destroyed. */
export function notDestroyed(deployments: string[]): string {
	return `. Nothing was destroyed now: ${listed(deployments)} may still run and bill`;
}

/** The first of many IDs, and how many more there are. */
export function listed(deployments: string[]): string {
	const more = deployments.length - MOST_NAMED;
	return `${deployments.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A deployment that was told to end; what was told once is waited for once. */
interface First {
	id: string;
	told: Told;
	isTaken?: boolean;
}

/** By reference, what was told to end; undefined where it could not be told yet. */
export type Begun = Map<string, Promise<First | undefined>>;

/** A reference with the context of the item that has it. */
export interface Asked {
	context: ProductContext;
	reference: Reference;
}

/**
 * Sends the first request to destroy each of several deployments, whether or not the end of any is seen: the others would bill as
 * long as one does not end.
 */
export function tellEach(asked: Asked[]): Begun {
	const begun: Begun = new Map();
	const distinct = [...new Map(asked.map((one) => [keyOf(one.reference), one]))];
	// One alone is told where it is waited for: no other bills meanwhile
	if (distinct.length === 1) return begun;
	const tellings = distinct.map(([key, one]) => {
		let tellNow = () => {};
		const turn = new Promise<void>((resolve) => (tellNow = resolve));
		const telling = turn.then(async () => await tellFirst(one));
		begun.set(key, telling);
		return { tellNow, telling };
	});
	void inOrder(tellings.length, DESTROYED_AT_ONCE, async (index) => {
		const { tellNow, telling } = tellings[index]!;
		tellNow();
		await telling;
		return true;
	});
	return begun;
}

async function tellFirst({ context, reference }: Asked): Promise<First | undefined> {
	try {
		const found = await findMeant(context, reference);
		if (found.state !== 'found' || ownDeployment(context, found.id)?.isDestroyed) return undefined;
		return { id: found.id, told: await tell(context, found.id) };
	} catch {
		// It is looked for again, where the error has its place
		return undefined;
	}
}

/**
 * As {@link find}; for a retry by n8n the deployment that the first try meant: it may have ended, and a newer one have its name.
 */
async function findMeant(context: ProductContext, reference: Reference): Promise<Found> {
	if ('id' in reference) return await find(context, reference);
	const { name } = reference;
	const meant = () => (context.journal.intent()?.meant ?? {}) as Record<string, string>;
	// A name may be `constructor`
	const earlier = Object.hasOwn(meant(), name) ? meant()[name] : undefined;
	// The ID in the answer to a deploy may be that of the request, which nothing shows
	if (earlier !== undefined && (await whatIs(context, earlier)).state !== 'never seen')
		return { state: 'found', id: earlier };
	const found = await find(context, reference);
	if (found.state !== 'found') return found;
	const all = { ...meant(), [name]: found.id };
	context.journal.note({
		what: `Destroy of ${listed(Object.values(all))}`,
		...context.journal.intent(),
		meant: all,
	});
	return found;
}

function keyOf(reference: Reference): string {
	return JSON.stringify(reference);
}

/**
 * Destroys several deployments; each is tried even if another fails.
 * @param sent those that were told already, of which each is waited for once
 * @returns an item each; where the node continues on failure, those that failed first
 * @throws one error that names what was destroyed and what may still run
 */
export async function destroyEach(
	context: ProductContext,
	references: Reference[],
	options: DestroyOptions,
	sent?: Begun,
): Promise<IDataObject[]> {
	const begun = sent ?? tellEach(references.map((reference) => ({ context, reference })));
	const ends: End[] = [];
	await inOrder(references.length, DESTROYED_AT_ONCE, async (index) => {
		const reference = references[index]!;
		try {
			if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
			ends[index] = { item: await destroyOne(context, reference, options, begun) };
		} catch (error) {
			ends[index] = { reference, error: mayStillRun(error as NodeApiError, reference) };
		}
		return true;
	});
	const done = ends.flatMap((end) => ('item' in end ? [end.item] : []));
	const failed = ends.flatMap((end) => ('error' in end ? [end] : []));
	if (context.signal?.aborted)
		failed.forEach(({ reference }) =>
			context.log(
				'Cancelled before the end was seen: the deployment may still run and bill.',
				factsOf(reference),
			),
		);
	const [first] = failed;
	if (!first) return done;
	if (references.length === 1) throw first.error;
	if (context.functions.continueOnFail() && !context.signal?.aborted) {
		// First, since n8n's Retry On Fail looks at the first item alone
		return [
			...failed.map(({ reference, error }) => ({
				error: error.message,
				details: factsOf(reference),
			})),
			...done,
		];
	}
	const labels = failed.map(({ reference }) => labelOf(reference));
	throw contextError(
		context,
		{
			message: `${failed.length} of ${references.length} deployments may still run: ${labels.join(', ')}`,
			description: [
				...failed.map(({ error }, index) => `${labels[index]}: ${error.message}`),
				...done.map(
					(result) =>
						`${String(result.deployment_id)} ${result.deleted ? 'was destroyed' : 'may still run'}`,
				),
			].join('\n'),
		},
		{ failed: labels, done },
	);
}

type End = { item: IDataObject } | { reference: Reference; error: NodeApiError };

/** Whatever went wrong, the error names the deployment that may go on billing. */
function mayStillRun(error: NodeApiError, reference: Reference): NodeApiError {
	error.description = [
		`Deployment ${labelOf(reference)} may still run and bill.`,
		error.description,
	]
		.filter(Boolean)
		.join(' ');
	return withKnown(error, factsOf(reference));
}

/** Destroys the deployment that a reference means; of a name, once it shows. */
async function destroyOne(
	context: ProductContext,
	reference: Reference,
	options: DestroyOptions,
	begun: Begun,
): Promise<IDataObject> {
	const name = 'name' in reference ? { resource_private_name: reference.name } : {};
	const first = await begun.get(keyOf(reference));
	if (first && !first.isTaken) {
		first.isTaken = true;
		return { ...(await destroyById(context, first.id, options, first.told)), ...name };
	}
	if ('id' in reference) return await destroyById(context, reference.id, options);
	let found = await findMeant(context, reference);
	for (const pauseMs of LOOK_PAUSES_MS) {
		if (found.state === 'found' || !found.mayShow) break;
		await pause(context, pauseMs);
		found = await findMeant(context, reference);
	}
	if (found.state === 'found')
		return { ...(await destroyById(context, found.id, options)), ...name };
	if (found.state === 'never seen') return await notFound(context, reference, options);
	const [entry, ...others] = found.entries;
	return {
		deleted: true,
		deployment_id: others.length === 0 ? (idOf(entry) ?? null) : null,
		already_gone: true,
		verified: true,
		...name,
		hint: `Every deployment of this name has ended: ${idsOf(found.entries)}`,
	};
}
