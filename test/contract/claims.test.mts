import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../pack.mts';
import { pages } from './claims/index.mts';
import { sentencesOf } from './claims/sentences.mts';
import { exists } from './claims/titles.mts';

/** Each sentence and each row of a table has a test that shows it, which `claims/` names, or claims nothing. */

describe.each(pages)('$file', ({ file, claims, instructions = [] }) => {
	const sentences = sentencesOf(readFileSync(path.join(projectFolder, file), 'utf8'));
	const listed = [...Object.keys(claims), ...instructions];

	it('has no sentence that is not in the list', () => {
		expect(sentences.length).toBeGreaterThan(5);
		expect(sentences.filter((sentence) => !listed.includes(sentence))).toEqual([]);
	});

	it('has every sentence of the list, which has each once', () => {
		expect(listed.filter((sentence) => !sentences.includes(sentence))).toEqual([]);
		expect(new Set(listed).size).toBe(listed.length);
	});

	it('claims something in most sentences', () => {
		expect(instructions.length).toBeLessThan(Object.keys(claims).length);
	});

	it.each(Object.entries(claims))('%s', (_, references) => {
		expect(references.length).toBeGreaterThan(0);
		expect(references.filter((reference) => !exists(reference))).toEqual([]);
	});
});

/** Figures of one day, and the rules of another party. */
const NOT_LISTED = ['docs/figures.md', 'docs/verification.md', 'docs/worlds.md'];

it('every page for users is listed', () => {
	const docs = readdirSync(path.join(projectFolder, 'docs')).filter((file) => file.endsWith('.md'));
	const known = ['README.md', ...docs.map((file) => `docs/${file}`)];
	const listed = [...pages.map(({ file }) => file), ...NOT_LISTED];
	expect(listed.toSorted()).toEqual(known.toSorted());
});

describe('the check itself', () => {
	it('finds sentences, rows and list items', () => {
		const page =
			'# Title\n\n![A picture](x.png)\n\nOne _line_\nof text. **Two.** [Three](x.md) is `4`. n8n is five.\n\n- A\n- B\n  goes on\n\n1. C\n\n| X | Y |\n| - | - |\n| a | `b` |\n';
		expect(sentencesOf(page)).toEqual([
			'One line of text.',
			'Two.',
			'Three is `4`.',
			'n8n is five.',
			'A',
			'B goes on',
			'C',
			'a | `b`',
		]);
	});

	it('finds titles, rows of them and laws', () => {
		expect(exists('contract/claims.test.mts > finds titles')).toBe(true);
		expect(exists('integration/logs-delivery.test.mts > line to stop at')).toBe(true);
		expect(exists('integration/bad-answers.test.mts > 60 seconds are waited for')).toBe(true);
		expect(exists('worlds/laws/logs.mts > no line is lost')).toBe(true);
		expect(exists('contract/claims.test.mts > is nowhere a title')).toBe(false);
		expect(exists('contract/claims.test.mts > ')).toBe(false);
	});
});
