/**
 * `npm run test:e2e`: the packed package in a real n8n. It loads, its credentials are tested by n8n, its examples run, and
 * its forms open in a browser. Everything that this starts is on 127.0.0.1 and ends with it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pack, projectFolder } from '../pack.mts';
import { Report } from '../report.mts';
import { startSandbox, type Sandbox } from '../sandbox/index.mts';
import { checkAgent } from './agent.mts';
import { openBrowser } from './browser.mts';
import { openCredentials } from './credentialForms.mts';
import { checkCredentials } from './credentials.mts';
import { checkExamples } from './examples.mts';
import { checkNode, openExamples, WIDTHS } from './forms.mts';
import { takeGallery } from './gallery.mts';
import { installN8n } from './install.mts';
import { checkLogsTrigger } from './logs.mts';
import { createHome, startN8n, version, type RunningN8n } from './n8n.mts';
import { checkOAuth2, connectAccounts } from './oauth2.mts';
import { operationsOf } from './operations.mts';
import { checkPages } from './pages.mts';
import { checkPanel } from './panel.mts';
import { Pictures, shotsFolder } from './pictures.mts';
import { Rest, type CredentialTypeDescription, type NodeTypeDescription } from './rest.mts';
import { fillService } from './service.mts';
import { checkTraces } from './traces.mts';

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
}

// A test that is stopped from outside still ends what it started: that is tied to its own exit
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/**
 * `npm run test:e2e -- vmaas caas` opens the forms of these nodes only; without names, everything is tried.
 * With `--shots` it takes pictures of all that it opens, and those of docs/images anew.
 */
const { values, positionals: formsOf } = parseArgs({
	options: { shots: { type: 'boolean', default: false } },
	allowPositionals: true,
});

/** What the run has really opened, executed and heard, printed at its end */
const counts = {
	nodes: 0,
	operations: 0,
	forms: 0,
	examples: 0,
	runs: 0,
	pages: 0,
	consoleErrors: 0,
	warnings: 0,
};

installN8n();
const report = new Report();
const temp = mkdtempSync(join(tmpdir(), 'compute-e2e-'));
const tarball = pack(temp);
const home = createHome(tarball);
process.once('exit', () => {
	home.remove();
	rmSync(temp, { recursive: true, force: true });
});
const manifest = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as Manifest;
const nodeNames = manifest.n8n.nodes.map(typeName);
const credentialNames = manifest.n8n.credentials.map(typeName);
const sandbox = await startSandbox({ startupMs: 500, terminationMs: 500 });
try {
	console.log(`${tarball.name} ${tarball.version} in n8n ${version()}`);
	await report.step('everything in the editor could be tried', async () => {
		await withN8n(async (n8n) => await inTheEditor(n8n, sandbox));
	});
	if (formsOf.length === 0)
		await checkLogsTrigger(report, withN8n, sandbox, `${tarball.name}.caasLogsTrigger`);
} finally {
	await sandbox.close();
	console.log(`
nodes ${counts.nodes}
operations ${counts.operations}
forms opened ${counts.forms}, each at ${WIDTHS.join(' and ')} pixels
examples executed ${counts.examples}, in ${counts.runs} runs, and the workflows of ${counts.pages} pages
console errors ${counts.consoleErrors}
warnings of n8n's loader ${counts.warnings}
`);
	report.end();
}

/** Starts n8n, which must load the package without a word, and stops it */
async function withN8n(run: (n8n: RunningN8n) => Promise<void>): Promise<void> {
	const n8n = await startN8n(home);
	try {
		const ours = [tarball.name, ...credentialNames];
		const complaints = n8n
			.log()
			.split('\n')
			.filter((line) => ours.some((name) => line.includes(name)));
		counts.warnings += complaints.length;
		report.check(
			'n8n loads the package without a word',
			complaints.length === 0,
			complaints.join('\n'),
		);
		await run(n8n);
	} finally {
		await n8n.stop();
		checkTraces(report, home, n8n.log());
	}
}

async function inTheEditor(n8n: RunningN8n, service: Sandbox): Promise<void> {
	const rest = new Rest(n8n.url);
	await rest.setUpOwner();
	const nodeTypes = (await rest.nodeTypes()).filter((type) => belongs(type.name));
	const credentialTypes = await rest.credentialTypes();

	await checkTypes(rest, nodeTypes, nodeNames, 'node');
	await checkTypes(
		rest,
		credentialTypes.filter((type) => credentialNames.includes(type.name)),
		credentialNames,
		'credential',
	);
	for (const type of nodeTypes) {
		report.check(`${type.name} is found in a category`, (type.codex?.categories?.length ?? 0) > 0);
	}
	const shown = nodeTypes.filter(isNoTool);
	counts.nodes = shown.length;
	counts.operations = shown.reduce((sum, type) => sum + operationsOf(type), 0);

	const credentials = await checkCredentials(report, rest, service);
	await checkOAuth2(report, rest);
	await checkAgent(report, rest, service, tarball.name);
	Object.assign(counts, await checkExamples(report, rest));
	counts.pages = await checkPages(report, rest);
	await fillService(service);
	const browser = await openBrowser(n8n.url);
	try {
		const editor = {
			report,
			browser,
			pictures: new Pictures(browser.page, values.shots),
			rest,
			credentials,
		};
		await checkPanel(editor, shown);
		const chosen = shown.filter(
			({ name }) => formsOf.length === 0 || formsOf.some((node) => name.endsWith(`.${node}`)),
		);
		for (const type of chosen) counts.forms += await checkNode(editor, type);
		if (formsOf.length === 0) await openExamples(editor);
		await openCredentials(editor);
		await connectAccounts(editor);
		if (values.shots) await takeGallery(editor, service, tarball.name);
	} finally {
		counts.consoleErrors = browser.errors();
		await browser.close();
	}
	if (values.shots) console.log(`pictures of the forms are in ${shotsFolder}`);
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
				if (!media.startsWith('image/svg') || !text.startsWith('<svg'))
					throw new Error(`${url} is ${media}`);
			}
		});
	}
}
