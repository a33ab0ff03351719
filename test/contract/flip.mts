import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Flip } from './flips.mts';
import { runContract } from './results.mts';

/**
 * A name is not an assertion: a test that names a fact must fail when the fact is turned over. In copies of the project each
 * flip is made, and only the tests that name its fact are run: at least one must fail.
 */

const PARTS = ['build.mts', 'credentials', 'dist', 'icons', 'nodes', 'test', 'package.json', 'tsconfig.json', 'vitest.config.mts'];
const AT_ONCE = 2;

export interface Verdict extends Flip {
	/** How many of the fact's tests failed after the flip. */
	failed: number;
}

/** Flips that cannot be made: their text must stand in the file exactly once. */
export function brokenFlips(project: string, flips: Flip[]): string[] {
	return flips.flatMap(({ fact, file, from }) => {
		const found = readFileSync(path.join(project, file), 'utf8').split(from).length - 1;
		return found === 1 ? [] : [`${fact}: its text stands ${found} times in ${file}, not once: ${from}`];
	});
}

/** Makes the flips, each in a copy of its own turn, and tells how many tests noticed each. */
export async function tryFlips(project: string, flips: Flip[]): Promise<Verdict[]> {
	const copies = Array.from({ length: AT_ONCE }, () => copyOf(project));
	try {
		const waiting = [...flips.entries()];
		const verdicts: Verdict[] = [];
		await Promise.all(copies.map(async (copy) => {
			for (let next = waiting.shift(); next; next = waiting.shift()) verdicts[next[0]] = await tryFlip(copy, next[1]);
		}));
		return verdicts;
	} finally {
		copies.forEach((copy) => rmSync(copy, { recursive: true, force: true }));
	}
}

function copyOf(project: string): string {
	const copy = mkdtempSync(path.join(os.tmpdir(), 'flips-'));
	for (const part of PARTS) cpSync(path.join(project, part), path.join(copy, part), { recursive: true });
	symlinkSync(path.join(project, 'node_modules'), path.join(copy, 'node_modules'));
	return copy;
}

async function tryFlip(copy: string, flip: Flip): Promise<Verdict> {
	const file = path.join(copy, flip.file);
	const text = readFileSync(file, 'utf8');
	const write = async (content: string) => {
		writeFileSync(file, content);
		if (!flip.file.startsWith('test/')) await build(copy);
	};
	await write(text.replace(flip.from, () => flip.to));
	try {
		const { counts } = await runContract(copy, filesThatName(copy, flip.fact), [flip.fact]);
		return { ...flip, failed: counts.get(flip.fact)?.failed ?? 0 };
	} finally {
		await write(text);
	}
}

/** A title may be made from a table: `[device.%s]`. */
function filesThatName(copy: string, fact: string): string[] {
	const folder = path.join(copy, 'test/contract');
	const names = (file: string) => [...readFileSync(path.join(folder, file), 'utf8').matchAll(/\[([a-z_0-9%-]+(?:\.[a-zA-Z_0-9%-]+)*)\]/g)].map(([, title = '']) => title);
	return readdirSync(folder)
		.filter((file) => file.endsWith('.test.mts'))
		.filter((file) => names(file).some((title) => new RegExp(`^${title.replaceAll('.', '\\.').replaceAll(/%[sd]/g, '.+')}$`).test(fact)))
		.map((file) => `test/contract/${file}`);
}

async function build(copy: string): Promise<void> {
	await promisify(execFile)(process.execPath, ['--import', 'tsx', 'build.mts'], { cwd: copy });
}
