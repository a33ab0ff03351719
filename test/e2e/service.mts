import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { projectFolder } from '../pack.mts';
import { HOUR } from '../sandbox/compute/money.mts';
import type { Clock, Sandbox } from '../sandbox/index.mts';

interface Offer {
	deploy_id: unknown;
	num_cards: number;
	location: string;
	sold_out?: boolean;
}

/** Buys a deployment without n8n, as somebody else with the same account would */
export async function deploy(
	{ url, keys }: Sandbox,
	name: string,
	hours = 1,
	publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGk4pZDaIei5shtCoeMCuXiUcyd82DvBJuCALXACjhB example',
): Promise<void> {
	const ask = async (path: string, body?: unknown): Promise<unknown> => {
		const response = await fetch(`${url}/enterprise/v1/svc-cloud/vmaas/${path}`, {
			headers: { 'x-api-key': keys.apiKey, 'content-type': 'application/json' },
			...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
		});
		if (!response.ok)
			throw new Error(`the sandbox answered ${response.status}: ${await response.text()}`);
		return await response.json();
	};
	const { data } = (await ask('hardware')) as { data: { hardware: Offer[] } };
	const offer = data.hardware.find(({ num_cards, sold_out }) => num_cards > 0 && sold_out !== true);
	await ask('deploy', {
		resource_private_name: name,
		duration_hours: hours,
		gpus_per_vm: offer?.num_cards,
		hardware_id: offer?.deploy_id,
		location_ids: [offer?.location],
		ssh_keys: { example: publicKey },
	});
}

/** Adds a text document without n8n, as somebody else with the same account would */
export async function addDocument(sandbox: Sandbox, text: string): Promise<void> {
	const body = new FormData();
	body.set('raw_text', text);
	body.set('run_with_orchestration', 'false');
	await library(sandbox, 'documents', body);
}

/** Creates one of everything that the dropdowns show, since an empty one proves nothing */
export async function fillService(sandbox: Sandbox): Promise<void> {
	await deploy(sandbox, 'shown-in-lists');
	await addDocument(sandbox, 'The first hour is never refunded.');
	await library(
		sandbox,
		'collections',
		JSON.stringify({ name: 'shown-in-lists', description: 'For the dropdowns' }),
	);
	await library(sandbox, 'conversations', JSON.stringify({ name: 'shown-in-lists' }));
}

async function library(
	{ intelligenceUrl, keys }: Sandbox,
	path: string,
	body: FormData | string,
): Promise<void> {
	const response = await fetch(`${intelligenceUrl}/api/rag/v3/${path}`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${keys.intelligenceKey}`,
			...(typeof body === 'string' && { 'content-type': 'application/json' }),
		},
		body,
	});
	if (!response.ok)
		throw new Error(`the sandbox answered ${response.status} to ${path}: ${await response.text()}`);
}

const MEDIA_TYPES: Record<string, string> = {
	'.md': 'text/markdown',
	'.html': 'text/html',
	'.pdf': 'application/pdf',
};

/** The documents of the examples, as binary data of n8n */
export function handbookFiles(): Array<{ data: string; mimeType: string; fileName: string }> {
	const folder = join(projectFolder, 'examples', 'documents');
	return readdirSync(folder).map((fileName) => ({
		fileName,
		mimeType: MEDIA_TYPES[extname(fileName)] ?? 'application/octet-stream',
		data: readFileSync(join(folder, fileName), 'base64'),
	}));
}

/** Real time, but some hours ago until it is advanced: for deployments that are old when n8n first sees them */
export function clockBehind(hours: number): Clock {
	let offset = -hours * HOUR;
	return {
		now: () => Date.now() + offset,
		advance: (ms) => {
			offset += ms;
		},
	};
}
