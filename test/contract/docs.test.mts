import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../pack.mts';

/** What README and docs say of forms and errors is what the forms and errors say, and their links lead somewhere. */

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
	engines: { node: string };
}

/** The n8n of the end-to-end tests. */
interface Installed {
	dependencies: { n8n: string; node: string };
}

const read = (file: string) => readFileSync(path.join(projectFolder, file), 'utf8');
const filesIn = (folder: string, ending: RegExp) =>
	readdirSync(path.join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => ending.test(file))
		.map((file) => path.join(folder, file));

const rootPages = readdirSync(projectFolder).filter((file) => file.endsWith('.md'));
const allPages = [...rootPages, ...filesIn('docs', /\.md$/), ...filesIn('.github', /\.md$/)];
/** Pages for people who use the nodes. */
const userPages = ['README.md', ...readdirSync(path.join(projectFolder, 'docs'))]
	.filter((file) => file.endsWith('.md'))
	.map((file) => (file === 'README.md' ? file : path.join('docs', file)));

const withoutCode = (markdown: string) => markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '');

/** A heading's anchor as GitHub makes it. */
const anchorOf = (heading: string) =>
	heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N} _-]/gu, '')
		.replaceAll(' ', '-');

const anchorsOf = (file: string) =>
	[...withoutCode(read(file)).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
		anchorOf(heading),
	);

/** Relative links and pictures of a page that lead nowhere. */
function brokenLinks(page: string): string[] {
	const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(
		([, link, source]) => link ?? source ?? '',
	);
	return links
		.filter((link) => !/^[a-z]+:/.test(link))
		.filter((link) => {
			const [file = '', anchor] = link.split('#');
			const target = file === '' ? page : path.join(path.dirname(page), file);
			if (!existsSync(path.join(projectFolder, target))) return true;
			return anchor !== undefined && !anchorsOf(target).includes(anchor);
		});
}

const { n8n } = JSON.parse(read('package.json')) as Manifest;

function labelsIn(properties: INodeProperties[]): string[] {
	return properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...options.flatMap((option) => {
			if ('values' in option) return [option.displayName, ...labelsIn(option.values)];
			if ('displayName' in option) return labelsIn([option]);
			return [option.name];
		}),
	]);
}

/** Of every form, without the unit that follows some of them: `Max Wait` for `Max Wait (Milliseconds)`. */
function labels(): Set<string> {
	const load = createRequire(import.meta.url);
	const all = n8n.nodes.flatMap((file) => {
		const types = Object.values(
			load(path.join(projectFolder, file)) as Record<string, new () => INodeType>,
		);
		return types.flatMap((NodeType) => {
			const { displayName, properties } = new NodeType().description;
			return [displayName, ...labelsIn(properties)];
		});
	});
	const ofCredentials = n8n.credentials.flatMap((file) => {
		const types = load(path.join(projectFolder, file)) as Record<string, new () => ICredentialType>;
		return Object.values(types).flatMap((Type) => labelsIn(new Type().properties));
	});
	all.push(...ofCredentials);
	return new Set(all.flatMap((label) => [label, label.replace(/ \([^)]+\)$/, '')]));
}

/** n8n's own words on its canvas, in its settings and in its nodes. */
const OF_N8N = [
	'Allowed HTTP Request Domains',
	'Always Output Data',
	'Chat Model',
	'Continue',
	'On Error',
	'Respond',
	'Retry On Fail',
	'When Last Node Finishes',
];
const LEAST_WORDS = 3;

/** The parts of an error in a table that are the same in every case: no values, and no name of a parameter before it. */
function partsOf(quote: string, known: string[]): string[] {
	return quote
		.split(/…|: |\(?\d+\)?|"/)
		.map((part) => {
			const label = known.find((name) => part.startsWith(`${name} `)) ?? '';
			return part.slice(label.length).trim();
		})
		.filter((part) => part.split(' ').length >= LEAST_WORDS);
}

/** Whether the sources have a text in one piece, or in two that they put together. */
function isWritten(text: string, sources: string): boolean {
	if (sources.includes(text)) return true;
	const words = text.split(' ');
	return words.some((_, place) => {
		const pieces = [words.slice(0, place), words.slice(place)];
		return (
			pieces.some((piece) => piece.length >= LEAST_WORDS) &&
			pieces.every((piece) => sources.includes(piece.join(' ')))
		);
	});
}

describe('README and docs', () => {
	it.each(allPages)('the links of %s lead somewhere', (page) => {
		expect(brokenLinks(page)).toEqual([]);
	});

	it('the README is short, and has the two commands for a fresh clone', () => {
		const readme = read('README.md');
		expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
		expect(readme).toContain('`npm ci && npm start`');
		expect(readme).toContain('`npm cit`');
	});

	it('the README names the versions that are tested', () => {
		const readme = read('README.md').replace(/\s+/g, ' ');
		const { dependencies } = JSON.parse(read('test/n8n/package.json')) as Installed;
		const { engines } = JSON.parse(read('package.json')) as Manifest;
		const oldest = read('.nvmrc').trim();
		const [ofN8n] = dependencies.node.split('.');
		expect(engines.node).toBe(`>=${oldest}`);
		expect(readme).toContain(`Tested with n8n ${dependencies.n8n} (on Node.js ${ofN8n},`);
		expect(readme).toContain(`You need Node.js ${oldest} or later.`);
		expect(read('.github/workflows/ci.yml')).toContain(`node: [${parseInt(oldest)}, ${ofN8n}]`);
	});

	it('help links of nodes and credentials lead to a heading of the README', () => {
		const files = [...filesIn('nodes', /\.node\.json$/), ...filesIn('credentials', /\.ts$/)];
		const anchors = files.flatMap((file) =>
			[...read(file).matchAll(/n8n-nodes-compute-marketplace#([\w-]+)/g)].map(
				([, anchor = '']) => anchor,
			),
		);
		expect(anchors.length).toBeGreaterThanOrEqual(files.length);
		const headings = anchorsOf('README.md');
		expect(anchors.filter((anchor) => !headings.includes(anchor))).toEqual([]);
	});

	it.each(userPages)('%s names parameters and options as the forms do', (page) => {
		const known = new Set([...labels(), ...OF_N8N]);
		const named = [...withoutCode(read(page)).matchAll(/(?<![\w`])_([^_`]+)_(?![\w`])/g)]
			.flatMap(([, text = '']) => text.replace(/\s+/g, ' ').split(' > '))
			.filter((label) => !known.has(label));
		expect(named).toEqual([]);
	});

	it.each(userPages)('%s quotes errors as the nodes and the sandbox write them', (page) => {
		const known = [...labels()].sort((one, other) => other.length - one.length);
		const sources = [
			...filesIn('nodes', /\.ts$/),
			...filesIn('credentials', /\.ts$/),
			...filesIn('test/sandbox', /\.mts$/),
		]
			.map(read)
			.join('\n');
		const quotes = [...read(page).matchAll(/^\| `([^`]+)` +\|/gm)].map(([, quote = '']) => quote);
		const parts = quotes.flatMap((quote) => partsOf(quote, known));
		expect(parts.filter((part) => !isWritten(part, sources))).toEqual([]);
	});
});
