import { inject, test as base } from 'vitest';
import { startSandbox } from '../sandbox/index.mts';
import { openBrowser } from './browser.mts';
import { NAMES, secretsFor } from './credentials.mts';
import { Rest } from './rest.mts';
import { fillService } from './service.mts';
import { expectNoTraces } from './traces.mts';

/** Deployments start and end soon, but not at once */
export const SOON = { startupMs: 500, terminationMs: 500 };

/** A job looks at the list until two minutes after its deploy */
export const JOB_MS = 300_000;

/**
 * The `test` of all end-to-end files: in the n8n that setup.mts has started, and with a sandbox for each file. A test gets what
 * its first parameter names
 */
export const test = base
	.extend('n8n', { scope: 'file' }, inject('n8n'))
	/** What n8n prints and saves is searched for secrets after the tests of each file, without a test asking for it */
	.extend('rest', { scope: 'file', auto: true }, ({ n8n }, { onCleanup }) => {
		onCleanup(() => expectNoTraces(n8n.folder));
		return new Rest(n8n.url, n8n.session);
	})
	.extend('sandboxOptions', { scope: 'file' }, SOON)
	.extend('sandbox', { scope: 'file' }, async ({ sandboxOptions }, { onCleanup }) => {
		const sandbox = await startSandbox(sandboxOptions);
		onCleanup(() => sandbox.close());
		await fillService(sandbox);
		return sandbox;
	})
	/** The ids of one saved credential of each type, by type */
	.extend('credentials', { scope: 'file' }, async ({ rest, sandbox }) => {
		const saved = Object.entries(secretsFor(sandbox)).map(
			async ([type, data]) => [type, await rest.createCredential(type, data, NAMES[type])] as const,
		);
		return Object.fromEntries(await Promise.all(saved));
	})
	.extend('browser', { scope: 'file' }, async ({ n8n }, { onCleanup }) => {
		const browser = await openBrowser(n8n.url, n8n.session);
		onCleanup(() => browser.close());
		return browser;
	})
	/** The browser of the file. A test that uses it fails when the browser's console shows an error meanwhile */
	.extend('editor', ({ browser, onTestFailed, task }, { onCleanup }) => {
		onTestFailed(() => browser.pictures.failure(task.name));
		onCleanup(() => browser.expectSilence());
		return browser;
	});
