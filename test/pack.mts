import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The largest size in bytes of what n8n downloads once, at installation. It grows with the operations, some 1.8 kB for each, since the
 * code is readable; what a person waits for at each start is bound by the benchmark of loading.
 */
export const TARBALL_LIMIT = 320_000;

export interface Tarball {
	name: string;
	version: string;
	/** Where the tarball lies */
	path: string;
	bytes: number;
	files: Array<{ path: string; size: number }>;
}

interface PackAnswer extends Omit<Tarball, 'path' | 'bytes'> {
	filename: string;
	size: number;
}

/** Packs the built package as `npm publish` would */
export function pack(into: string): Tarball {
	const answer = execFileSync('npm', ['pack', '--json', '--pack-destination', into], {
		cwd: projectFolder,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const [packed] = JSON.parse(answer) as PackAnswer[];
	if (packed === undefined) throw new Error(`npm pack answered without a package: ${answer}`);
	const { name, version, files, filename, size } = packed;
	return { name, version, files, path: join(into, filename), bytes: size };
}

export function unpack({ path }: Pick<Tarball, 'path'>, into: string): void {
	mkdirSync(into, { recursive: true });
	execFileSync('tar', ['-xzf', path, '-C', into, '--strip-components=1']);
}
