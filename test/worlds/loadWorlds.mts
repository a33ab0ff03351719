import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { World } from '../sandbox/worlds/world.mts';

const WORLDS = path.resolve(import.meta.dirname, '../sandbox/worlds');

/** Which part of how many is played, the first one being 1: of all pairs of a world and a scenario, and of the mixes. */
export interface Share {
	part: number;
	parts: number;
}

const [part = 1, parts = 1] = (process.env.WORLDS_SHARE ?? '1/1').split('/').map(Number);

/** `WORLDS_SHARE=2/16` is what a change waits for: the second sixteenth. Without it all is played. */
export const WORLDS_SHARE: Share = { part, parts };

/** The worlds in a folder of `test/sandbox/worlds`, the default first; a file has one or several. */
export async function loadWorlds<W extends World>(folder: string): Promise<W[]> {
	const names = readdirSync(path.join(WORLDS, folder)).filter((name) => name.endsWith('.mts'));
	names.sort(
		(a, b) => Number(b === 'default.mts') - Number(a === 'default.mts') || a.localeCompare(b),
	);
	const worlds: W[] = [];
	for (const name of names) {
		const { href } = pathToFileURL(path.join(WORLDS, folder, name));
		const { default: found } = (await import(href)) as { default: W | W[] };
		worlds.push(...(Array.isArray(found) ? found : [found]));
	}
	return worlds;
}
