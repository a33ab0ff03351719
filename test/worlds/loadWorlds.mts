import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { World } from '../sandbox/worlds/world.mts';

const WORLDS = path.resolve(import.meta.dirname, '../sandbox/worlds');

/**
 * What a change does not wait for: with 3, a third of the scenarios of each world and a third of the mixes are played. 1 plays
 * all.
 */
export const WORLDS_SHARE = Number(process.env.WORLDS_SHARE ?? 1);

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
