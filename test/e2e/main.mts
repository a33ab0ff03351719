/**
 * `npm run test:e2e`: the packed package in a real n8n. It loads, its credentials are tested by n8n, its examples run, and
 * its forms open in a browser. Everything that this starts is on 127.0.0.1 and ends with it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, projectFolder } from '../pack.mts';
import { Report } from '../report.mts';
import { startSandbox, type Sandbox } from '../sandbox/index.mts';
import { checkAgent } from './agent.mts';
import { openBrowser, shotsFolder } from './browser.mts';
import { openCredentials } from './credentialForms.mts';
import { checkCredentials } from './credentials.mts';
import { checkExamples } from './examples.mts';
import { checkNode, openExamples } from './forms.mts';
import { installN8n } from './install.mts';
import { checkLogsTrigger } from './logs.mts';
import { createHome, startN8n, version, type RunningN8n } from './n8n.mts';
import { checkOAuth2 } from './oauth2.mts';
import { operationsOf } from './operations.mts';
import { checkPanel } from './panel.mts';
import { Rest, type CredentialTypeDescription, type NodeTypeDescription } from './rest.mts';
import { fillService } from './service.mts';

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
}

// A test that is stopped from outside still ends what it started: that is tied to its own exit
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** `npm run test:e2e -- vmaas caas` opens the forms of these nodes only; without names, everything is tried. */
const formsOf = process.argv.slice(2);

installN8n();
const report = new Report();
const temp = mkdtempSync(join(tmpdir(), 'compute-e2e-'));
const tarball = pack(temp);
const home = createHome(tarball);
process.once('exit', () => {
	home.remove();
	rmSync(temp, { recursive: true, force: true });
});
const sandbox = await startSandbox({ startupMs: 500, terminationMs: 500 });
try {
	console.log(`${tarball.name} ${tarball.version} in n8n ${version()}`);
	await report.step('everything in the editor could be tried', async () => {
		const n8n = await startN8n(home);
		try {
			await inTheEditor(n8n, sandbox);
		} finally {
			await n8n.stop();
		}
	});
	const manifest = readManifest();
	if (formsOf.length === 0 && manifest.n8n.nodes.map(typeName).includes('caasLogsTrigger')) {
		await checkLogsTrigger(report, home, sandbox, `${tarball.name}.caasLogsTrigger`);
	}
} finally {
	await sandbox.close();
	report.end();
}

async function inTheEditor(n8n: RunningN8n, service: Sandbox): Promise<void> {
	const manifest = readManifest();
	const rest = new Rest(n8n.url);
	await rest.setUpOwner();
	const nodeTypes = (await rest.nodeTypes()).filter((type) => belongs(type.name));
	const credentialTypes = await rest.credentialTypes();

	await checkTypes(rest, nodeTypes, manifest.n8n.nodes.map(typeName), 'node');
	const ours = manifest.n8n.credentials.map(typeName);
	await checkTypes(rest, credentialTypes.filter((type) => ours.includes(type.name)), ours, 'credential');
	for (const type of nodeTypes) {
		report.check(`${type.name} is found in a category`, (type.codex?.categories?.length ?? 0) > 0);
	}
	const complaints = n8n
		.log()
		.split('\n')
		.filter((line) => line.includes(tarball.name) || ours.some((name) => line.includes(name)));
	report.check('n8n loads the package without a word', complaints.length === 0, complaints.join('\n'));

	const credentials = await checkCredentials(report, rest, service);
	await checkOAuth2(report, rest);
	await checkAgent(report, rest, service, tarball.name);
	const examplesRun = await checkExamples(report, rest);
	await fillService(service);
	const browser = await openBrowser(n8n.url, join(temp, 'browser'));
	try {
		const shown = nodeTypes.filter(isNoTool);
		const editor = { report, browser, rest, credentials };
		await checkPanel(report, browser, n8n.url, shown);
		let forms = 0;
		const chosen = shown.filter(({ name }) => formsOf.length === 0 || formsOf.some((node) => name.endsWith(`.${node}`)));
		for (const type of chosen) forms += await checkNode(editor, type);
		if (formsOf.length === 0) await openExamples(editor);
		await openCredentials(editor);
		console.log(`
nodes ${shown.length}
operations ${shown.reduce((sum, type) => sum + operationsOf(type), 0)}
forms opened ${forms + credentials.length}
examples run ${examplesRun}
console errors ${browser.errors()}
`);
	} finally {
		await browser.close();
	}
	console.log(`pictures of the forms are in ${shotsFolder}`);
}

function readManifest(): Manifest {
	return JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as Manifest;
}

/** The name of a node or credential, from the file that package.json lists */
function typeName(file: string): string {
	const [className = ''] = (file.split('/').at(-1) ?? '').split('.');
	return className.charAt(0).toLowerCase() + className.slice(1);
}

function belongs(name: string): boolean {
	return name.startsWith(`${tarball.name}.`);
}

/** n8n adds a copy for AI agents to every node that allows it */
function isNoTool(type: NodeTypeDescription): boolean {
	return !type.name.endsWith('Tool');
}

async function checkTypes(
	rest: Rest,
	types: Array<NodeTypeDescription | CredentialTypeDescription>,
	expected: string[],
	kind: string,
): Promise<void> {
	for (const name of expected) {
		const type = types.find((candidate) => candidate.name.split('.').at(-1) === name);
		if (!report.check(`${kind} ${name} is loaded`, type !== undefined)) continue;
		await report.step(`${kind} ${name} has a light and a dark icon`, async () => {
			const icons = type?.iconUrl;
			if (typeof icons !== 'object') throw new Error(`not themed: ${String(icons)}`);
			for (const url of [icons.light, icons.dark]) {
				const { type: media, text } = await rest.file(url);
				if (!media.startsWith('image/svg') || !text.startsWith('<svg')) throw new Error(`${url} is ${media}`);
			}
		});
	}
}
