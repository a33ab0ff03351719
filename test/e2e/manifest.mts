import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../pack.mts';

interface Manifest {
	name: string;
	n8n: { nodes: string[]; credentials: string[] };
}

const manifest = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as Manifest;

export const packageName = manifest.name;

/** The names of the nodes and credentials that package.json lists, as n8n knows them */
export const nodeNames = manifest.n8n.nodes.map(nameOf);
export const credentialNames = manifest.n8n.credentials.map(nameOf);

function nameOf(file: string): string {
	const [className = ''] = (file.split('/').at(-1) ?? '').split('.');
	return className.charAt(0).toLowerCase() + className.slice(1);
}
