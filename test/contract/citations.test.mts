import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../pack.mts';
import { facts } from './facts/index.mts';

/**
 * Comments and tests name the source of a fact as `<document> "Heading"` or `<document> section N "Heading"`. The documents are
 * in docs/spec; a heading that is renamed there, or a citation that was never right, is found here.
 */

interface Heading {
	/** Number of the section that it belongs to, in documents with numbered sections. */
	section?: number;
	/** In lower case. */
	title: string;
}

interface Citation {
	document: string;
	sections: number[];
	headings: string[];
}

const DOCUMENT = String.raw`(?:compute-api|intelligence-api|beyond-the-spec)\.md`;
const QUOTED = '"[^"]+"';
const CITATION = new RegExp(
	String.raw`(?<documents>${DOCUMENT}(?: and ${DOCUMENT})?),?` +
		String.raw`(?: sections? (?<first>\d+)(?: (?<joint>and|to) (?<last>\d+))?)?` +
		String.raw`(?:,? \(?(?<headings>${QUOTED}(?:(?:,| and) ${QUOTED})*))?`,
	'g',
);
const FEWEST_CITATIONS = 100;

function headingsOf(document: string): Heading[] {
	const lines = readFileSync(path.join(projectFolder, 'docs/spec', document), 'utf8').split('\n');
	let section: number | undefined;
	return lines.flatMap((line) => {
		const [, marks, number, title] = /^(#{2,4}) (?:(\d+)\. )?(.+)$/.exec(line) ?? [];
		if (title === undefined) return [];
		if (marks === '##') section = number === undefined ? undefined : Number(number);
		return [{ section, title: title.toLowerCase() }];
	});
}

function citationsIn(source: string): Citation[] {
	// A citation may go on in the next line of a comment
	const text = source.replace(/\n\s*(?:\*|\/\/) /g, ' ');
	return [...text.matchAll(CITATION)].flatMap(({ groups = {} }) => {
		const { documents = '', first, joint, last, headings = '' } = groups;
		const sections = [first, last].filter((number) => number !== undefined).map(Number);
		const [from = 0, to = 0] = sections;
		const cited = documents.split(' and ');
		// "A and B section 5": the section is one of B
		return (sections.length === 0 ? cited : cited.slice(-1)).map((document) => ({
			document,
			sections:
				joint === 'to'
					? Array.from({ length: to - from + 1 }, (_, place) => from + place)
					: sections,
			headings: [...headings.matchAll(/"([^"]+)"/g)].map(([, heading = '']) => heading),
		}));
	});
}

/** What a citation names and its document does not have. */
function unresolved({ document, sections, headings }: Citation): string[] {
	const all = headingsOf(document);
	const inSections = all.filter(
		({ section }) => sections.length === 0 || (section !== undefined && sections.includes(section)),
	);
	return [
		...sections.filter((number) => !all.some(({ section }) => section === number)).map(String),
		...headings.filter(
			(heading) => !inSections.some(({ title }) => title === heading.toLowerCase()),
		),
	].map((missing) => `${document}: ${missing}`);
}

/** `beyond-the-spec.md, 6 System and users`: the headings System and Users of section 6. */
function citationOf(from: string): Citation {
	const [, document = '', number, heading = ''] = /^(\S+), (?:(\d+) )?(.+)$/.exec(from) ?? [];
	const sections = number === undefined ? [] : [Number(number)];
	const whole = { document, sections, headings: [heading] };
	return unresolved(whole).length === 0 ? whole : { ...whole, headings: heading.split(/, | and /) };
}

const sources = ['nodes', 'credentials', 'test']
	.flatMap((folder) =>
		readdirSync(path.join(projectFolder, folder), { recursive: true, encoding: 'utf8' }).map(
			(file) => path.join(folder, file),
		),
	)
	.filter((file) => /\.m?ts$/.test(file) && !file.endsWith('citations.test.mts'));

describe('citations of docs/spec', () => {
	it('in sources and tests resolve to a heading', () => {
		const found = sources.flatMap((file) =>
			citationsIn(readFileSync(path.join(projectFolder, file), 'utf8')).map((citation) => ({
				file,
				citation,
			})),
		);
		expect(found.length).toBeGreaterThan(FEWEST_CITATIONS);
		expect(
			found.flatMap(({ file, citation }) =>
				unresolved(citation).map((missing) => `${file} cites ${missing}`),
			),
		).toEqual([]);
	});

	it('in the list of facts resolve to a heading', () => {
		const froms = [...new Set(facts.map(({ from }) => from))];
		expect(froms.flatMap((from) => unresolved(citationOf(from)))).toEqual([]);
	});

	it.each<[string, string[]]>([
		['compute-api.md "Deploy VMs" and "Limits"', []],
		['compute-api.md and intelligence-api.md, "Authentication"', []],
		['beyond-the-spec.md sections 1 to 3', []],
		['(compute-api.md, "Container\n * log stream")', []],
		['compute-api.md "Refunds"', ['compute-api.md: Refunds']],
		['intelligence-api.md "Chat\n// replies"', ['intelligence-api.md: Chat replies']],
		['beyond-the-spec.md section 2, "Extend"', ['beyond-the-spec.md: Extend']],
		['beyond-the-spec.md sections 8 to 10', ['beyond-the-spec.md: 10']],
	])('%j misses %j', (source, missing) => {
		expect(citationsIn(source).flatMap(unresolved)).toEqual(missing);
	});
});
