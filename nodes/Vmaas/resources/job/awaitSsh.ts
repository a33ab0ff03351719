import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { nameOf } from '../../../marketplace/deployments';
import { whatIs } from '../../../marketplace/presence';
import type { ProductContext } from '../../../marketplace/product';
import { loginOf, sshContextError, type SshCredential } from '../../../marketplace/ssh';
import { workersShown } from '../../../marketplace/workers';
import { isTransient, replyError } from '../../../shared/http/request';
import { pause } from '../../../shared/operation/context';
import { SshError, withSsh, type SshLogin } from '../../../shared/ssh';
import { elapsed } from '../../../shared/time';
import { listVms, vmIdOf } from '../vm/list';
import { ask } from './ask';

/** Pause between two looks at a VM that does not answer yet, in milliseconds. */
const LOOK_INTERVAL_MS = 10_000;

/** A server may be up before the public key is on it, or before it lets users in: so long a rejected login is tried again. */
export const KEY_ARRIVES_MS = 180_000;

/** For a script that does nothing. */
const HELLO_MS = 30_000;

/** A VM that has answered over SSH. */
export interface Vm {
	deploymentId: string;
	/** Of the deployment, where the service shows it. */
	name?: string;
	/** When the deployment was made, as the service shows it. */
	createdAt?: unknown;
	login: SshLogin;
	/** As the service shows it, for the output. */
	facts: IDataObject;
}

/** What one look at a deployment has shown. */
type Look =
	| { vm: Vm }
	| Missing
	/** It ends, or has ended. */
	| { ended: IDataObject };

/** Why there is no VM that answers. */
interface Missing {
	missing: string;
	problem?: SshError;
	/** Whether the service does not say either where it is. */
	isUnread?: boolean;
	/** Whether the service shows the deployment, which has not ended. */
	isSeen: boolean;
}

/** How a wait for SSH ended. */
export type Awaited =
	{ vm: Vm } | { ended: IDataObject } | ({ never: string } & Omit<Missing, 'missing'>);

/**
 * Waits until the VM of a deployment runs a command over SSH.
 * @param waitMs how long at most
 * @throws when cancelled, and for what another look does not change
 */
export async function awaitSsh(
	context: ProductContext,
	deploymentId: string,
	credential: SshCredential,
	waitMs: number,
): Promise<Awaited> {
	const until = elapsed() + waitMs;
	let rejectedSince: number | undefined;
	for (;;) {
		const look = await lookAt(context, deploymentId, credential);
		if (!('missing' in look)) return look;
		const { missing, ...why } = look;
		const { problem } = why;
		if (problem?.problem !== 'login') rejectedSince = undefined;
		else rejectedSince ??= elapsed();
		const isRejected = rejectedSince !== undefined && elapsed() >= rejectedSince + KEY_ARRIVES_MS;
		if (isRejected || elapsed() >= until) return { never: missing, ...why };
		await pause(context, Math.min(LOOK_INTERVAL_MS, until - elapsed()));
	}
}

async function lookAt(
	context: ProductContext,
	deploymentId: string,
	credential: SshCredential,
): Promise<Look> {
	const presence = await whatIs(context, deploymentId);
	const { state, details } = presence;
	if (state === 'ended' || state === 'ending') return { ended: details ?? {} };
	const isSeen = details !== undefined;
	try {
		const { present } = await workersShown(async () => await listVms(context, deploymentId));
		// One that was replaced may still be listed, without an address
		const worker =
			present.find((one) => typeof loginOf(one, credential) !== 'string') ?? present[0];
		if (!worker) {
			const missing = `it is "${String(details?.status ?? state)}" and shows no VM`;
			return { missing, isSeen, isUnread: state === 'unreadable' };
		}
		const login = loginOf(worker, credential);
		if (typeof login === 'string') return { missing: login, isSeen };
		await sayHello(context, login);
		const facts = {
			vm_id: vmIdOf(worker)!,
			ssh_user: login.username,
			ssh_host: login.host,
			ssh_port: login.port,
		};
		const { created_at: createdAt } = details ?? {};
		return { vm: { deploymentId, name: nameOf(details ?? {}), createdAt, login, facts } };
	} catch (caught) {
		const error = caught as NodeApiError | SshError;
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
		if (error instanceof SshError && error.problem !== 'key')
			return { missing: error.message, problem: error, isSeen };
		if (error instanceof SshError) throw sshContextError(context, error);
		if (isTransient(error)) return { missing: error.message, isSeen, isUnread: true };
		throw error;
	}
}

async function sayHello(context: ProductContext, login: SshLogin): Promise<void> {
	const signal = signalOf(context);
	await withSsh(context.functions, login, signal, async (session) => {
		await ask(session, ':', { timeoutMs: HELLO_MS, maxOutputBytes: 1_024, signal });
	});
}

/** The signal that ends everything of this item, for what must have one. */
export function signalOf(context: ProductContext): AbortSignal {
	return context.signal ?? new AbortController().signal;
}
