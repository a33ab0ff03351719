/**
 * `npm run n8n`: a real n8n with the packed package, the sandbox, credentials and examples, to be looked at in a browser.
 * Everything is on 127.0.0.1, and nothing is left when it ends.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { accountText } from '../sandbox/accountText.mts';
import { startSandbox } from '../sandbox/index.mts';
import { NAMES, secretsFor } from './credentials.mts';
import { connect, exampleFiles, readExample } from './workflow.mts';
import { installN8n } from './install.mts';
import { createHome, freePort, startN8n, version } from './n8n.mts';
import { overviewOf, type SavedExample } from './overview.mts';
import { Rest } from './rest.mts';

/** n8n's own; where it is taken, any other */
const DEFAULT_PORT = 5678;

/** Deployments start soon, so that nobody waits for one in order to see the next step */
const SOON_MS = 5_000;

const { values } = parseArgs({ options: { port: { type: 'string' } } });
const wanted = Number(values.port ?? DEFAULT_PORT);
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 65_535) {
	console.error(`--port must be 1 to 65535, got ${values.port}`);
	process.exit(1);
}
const port = await freePort(wanted);
if (values.port !== undefined && port !== wanted) {
	console.error(`Port ${wanted} is taken. Without --port, a free one is chosen`);
	process.exit(1);
}

installN8n();
const begin = Date.now();
const asked = new Promise<void>((resolve) => {
	// npm and the terminal both pass Ctrl-C on: the second signal must not end this process before n8n has ended
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
});
const home = createHome();
const sandbox = await startSandbox({
	ssh: true,
	startupMs: SOON_MS,
	terminationMs: SOON_MS,
	logLinesPerSecond: 2,
});
try {
	const n8n = await Promise.race([startN8n(home, port), asked]);
	if (n8n) {
		try {
			await show(n8n.url);
			await asked;
			console.log('\nStopping');
		} finally {
			await n8n.stop();
		}
	}
} finally {
	await sandbox.close();
}
// If it was not ready yet, n8n ends with this process
process.exit();

async function show(url: string): Promise<void> {
	const person = {
		email: 'owner@example.com',
		firstName: 'Sandbox',
		lastName: 'Owner',
		password: `Aa1-${randomBytes(12).toString('base64url')}`,
	};
	const rest = new Rest(url);
	await rest.setUpOwner(person);
	const ids: Record<string, string> = {};
	for (const [type, data] of Object.entries(secretsFor(sandbox)))
		ids[type] = await rest.createCredential(type, data, NAMES[type]);
	const examples = exampleFiles().map((file) => connect(readExample(file), ids));
	const saved: SavedExample[] = [];
	for (const workflow of examples)
		saved.push({ id: await rest.createWorkflow(workflow), workflow });
	const overview = await rest.createWorkflow(overviewOf(saved));
	console.log(`n8n ${version()} with the package, ${examples.length} examples and ${Object.keys(ids).length} credentials is ready in ${Math.round((Date.now() - begin) / 1000)} s.

  Open        ${url}/workflow/${overview}
  E-mail      ${person.email}
  Password    ${person.password}

The credentials belong to a sandbox of the service at ${sandbox.url}: nothing is bought, and
its models answer with your own words. To make the credentials yourself:

${accountText(sandbox)}

Press Ctrl-C to stop. Nothing is kept.`);
}
