/**
 * The packed package in a real n8n: it loads, its credentials are tested by n8n, its forms open in a browser, and its
 * example runs with n8n's own command line. Everything it starts is on 127.0.0.1 and ends with it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, projectFolder } from '../pack.mts';
import { Report } from '../report.mts';
import { startSandbox, type Sandbox } from '../sandbox/index.mts';
import { checkCredentials, secretsFor } from './credentials.mts';
import { runExample } from './example.mts';
import { checkForms, shotsFolder } from './forms.mts';
import { createHome, startN8n, version, type Home, type RunningN8n } from './n8n.mts';
import { checkOAuth2 } from './oauth2.mts';
import { Rest, type CredentialTypeDescription, type NodeTypeDescription } from './rest.mts';

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
}

// A test that is stopped from outside still ends what it started: that is tied to its own exit
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

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
	console.log(`${tarball.name} ${tarball.version} in n8n ${version(home)}`);
	await report.step('everything in the editor could be tried', async () => {
		const n8n = await startN8n(home);
		try {
			await inTheEditor(n8n, sandbox);
		} finally {
			await n8n.stop();
		}
	});
	await onTheCommandLine(home, sandbox);
} finally {
	await sandbox.close();
	report.end();
}

async function inTheEditor(n8n: RunningN8n, service: Sandbox): Promise<void> {
	const manifest = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as Manifest;
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
	await deployOne(service);
	await checkForms(report, { rest, credentials, nodeTypes: nodeTypes.filter(isNoTool), temp });
	console.log(`pictures of the forms are in ${shotsFolder}`);
}

/** The lists of deployments in the forms would be empty without one */
async function deployOne({ url, keys }: Sandbox): Promise<void> {
	const ask = async (path: string, body?: unknown) => {
		const response = await fetch(`${url}/enterprise/v1/svc-cloud/vmaas/${path}`, {
			headers: { 'x-api-key': keys.apiKey, 'content-type': 'application/json' },
			...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
		});
		if (!response.ok) throw new Error(`the sandbox answered ${response.status}: ${await response.text()}`);
		return (await response.json()) as unknown;
	};
	const { data } = (await ask('hardware')) as {
		data: { hardware: Array<{ deploy_id: unknown; num_cards: number; location: string; sold_out?: boolean }> };
	};
	const offer = data.hardware.find(({ num_cards, sold_out }) => num_cards > 0 && sold_out !== true);
	await ask('deploy', {
		resource_private_name: 'shown-in-lists',
		duration_hours: 1,
		gpus_per_vm: offer?.num_cards,
		hardware_id: offer?.deploy_id,
		location_ids: [offer?.location],
		ssh_keys: { example: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGk4pZDaIei5shtCoeMCuXiUcyd82DvBJuCALXACjhB example' },
	});
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

async function onTheCommandLine(where: Home, service: Sandbox): Promise<void> {
	await report.step('the example runs with n8n execute', async () => {
		const before = service.books.deployments.length;
		const ran = await runExample(where, 'deploy-extend-destroy.json', secretsFor(service));
		console.log(`    ran: ${ran.join(', ')}`);
		const left = service.books.deployments.slice(before);
		if (left.length !== 1) throw new Error(`${left.length} machines were bought`);
		const [machine] = left;
		if (!/^(termination requested|destroyed)$/.test(machine?.state ?? '')) {
			throw new Error(`the machine was left ${machine?.state}`);
		}
	});
	await checkOAuth2(report, where);
}
