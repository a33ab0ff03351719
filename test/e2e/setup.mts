import { mkdirSync, rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { cleanUpOnSignals } from './exit.mts';
import { installN8n } from './install.mts';
import { createHome, startN8n, version } from './n8n.mts';
import { shotsFolder } from './pictures.mts';
import { Rest } from './rest.mts';

/** The real n8n that all test files share */
export interface SharedN8n {
	url: string;
	/** The cookie of its owner, who is logged in */
	session: string;
	/** Its home folder, with what it prints and saves */
	folder: string;
}

declare module 'vitest' {
	export interface ProvidedContext {
		n8n: SharedN8n;
	}
}

/** Starts a real n8n with the packed package, once for all test files. Everything listens on 127.0.0.1 and ends with vitest */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
	cleanUpOnSignals();
	installN8n();
	rmSync(shotsFolder, { recursive: true, force: true });
	mkdirSync(shotsFolder, { recursive: true });
	const home = createHome();
	const n8n = await startN8n(home);
	const rest = new Rest(n8n.url);
	await rest.setUpOwner();
	console.log(`n8n ${version()} with the package is ready`);
	provide('n8n', { url: n8n.url, session: rest.session, folder: home.folder });
	return async () => {
		await n8n.stop();
		home.remove();
	};
}
