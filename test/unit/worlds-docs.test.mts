import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { projectFolder } from '../pack.mts';
import { computeLaws } from '../worlds/laws/compute.mts';
import { intelligenceLaws } from '../worlds/laws/intelligence.mts';
import { logLaws } from '../worlds/laws/logs.mts';
import { outputsLaw } from '../worlds/laws/outputs.mts';
import { retrievalLaws } from '../worlds/laws/retrieval.mts';
import { loadWorlds } from '../worlds/loadWorlds.mts';
import { HEADINGS } from '../worlds/page.mts';

const page = readFileSync(`${projectFolder}/docs/worlds.md`, 'utf8');
const sections = new Map(
	page.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

const KINDS = [
	{ kind: 'compute', folder: 'compute', laws: computeLaws },
	{ kind: 'caas', folder: 'compute', laws: computeLaws },
	{ kind: 'logs', folder: 'logs', laws: logLaws },
	{ kind: 'ai', folder: 'intelligence', laws: [...intelligenceLaws, outputsLaw] },
	{ kind: 'rag', folder: 'retrieval', laws: [...retrievalLaws, outputsLaw] },
];

/** The first cells of the table, and the sentences above it. */
const rowsOf = (section: string) =>
	[...section.matchAll(/^\| (.+?) +\|/gm)].map(([, name]) => name).slice(2);
const sentencesOf = (section: string) =>
	[...section.matchAll(/^\d+\. (.+(?:\n {3}.+)*)$/gm)].map(([, text = '']) =>
		text.replace(/\n {3}/g, ' '),
	);

it.each(KINDS)(
	'docs/worlds.md has every world and law of $kind',
	async ({ kind, folder, laws }) => {
		const section = sections.get(HEADINGS[kind] ?? '') ?? '';
		const worlds = await loadWorlds(folder);
		const rows = rowsOf(section);
		// Containers have nothing to play in a world whose scenarios are those of VMs
		const expected = kind === 'caas' ? worlds.filter((world) => !('scenarios' in world)) : worlds;
		expect(expected.map(({ name }) => name).filter((name) => !rows.includes(name))).toEqual([]);
		const names = worlds.map(({ name }) => name);
		expect(rows.filter((name) => !names.includes(name ?? ''))).toEqual([]);
		expect(
			laws.map(({ name }) => name).filter((name) => !sentencesOf(section).includes(name)),
		).toEqual([]);
		expect(section).not.toContain('failed**');
	},
);
