import { afterAll, beforeEach } from 'vitest';
import { manualClock, startSandbox } from '../index.mts';
import type { Sandbox, SandboxOptions } from '../index.mts';
import type { Client } from './client.mts';

/** A sandbox on its own manual clock for one test file, and a client of it; the service is reset before each test. */
export async function useSandbox(
	connect: (sandbox: Sandbox) => Client,
	options: SandboxOptions = {},
): Promise<[Sandbox, Client]> {
	const sandbox = await startSandbox({ clock: manualClock(), ...options });
	const client = connect(sandbox);
	beforeEach(() => sandbox.reset());
	afterAll(async () => {
		await client.close();
		await sandbox.close();
	});
	return [sandbox, client];
}
