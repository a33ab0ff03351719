import { manualClock, startSandbox, type Sandbox, type SandboxOptions } from '../sandbox/index.mts';
import type { StoredCredential } from './credentials.mts';
import { newKey, OWN_KEY, sshCredential } from './sshKey.mts';
import { startEngine, type Engine } from './engine.mts';

/** The credentials that fit a sandbox. */
export function sandboxCredentials(sandbox: Sandbox): Record<string, StoredCredential> {
	const { url, intelligenceUrl, keys } = sandbox;
	return {
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl: url, service: 'svc', apiKey: keys.apiKey },
			account: () => sandbox.resets,
		},
		'compute-token': {
			type: 'computeMarketplaceTokenApi',
			data: { baseUrl: url, service: 'svc', accessToken: keys.accessToken },
		},
		'compute-intelligence': {
			type: 'computeIntelligenceApi',
			data: {
				baseUrl: intelligenceUrl,
				ragSegment: 'rag',
				apiKey: keys.intelligenceKey,
				header: 'bearer',
			},
		},
		'compute-ssh': sshCredential(OWN_KEY.privateKey),
		'compute-ssh-stranger': sshCredential(newKey().privateKey),
	};
}

/** A sandbox with an engine that knows its credentials. */
export interface Started {
	sandbox: Sandbox;
	engine: Engine;
}

/**
 * Starts a sandbox and an engine. The caller closes the sandbox; in a test file `useFixture` does all of it.
 * @param options of the sandbox, whose clock stands still where none is given
 */
export async function startFixture(options: SandboxOptions = {}): Promise<Started> {
	const sandbox = await startSandbox({ clock: manualClock(), ...options });
	return { sandbox, engine: await startEngine(sandboxCredentials(sandbox)) };
}
