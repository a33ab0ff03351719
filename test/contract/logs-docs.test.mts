import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../pack.mts';
import { promises } from './logs-docs.mts';

/** Each sentence and each row of a table in docs/logs-trigger.md has a test that shows it: `logs-docs.mts` names it. */

const PAGE = 'docs/logs-trigger.md';
const TEST_FUNCTIONS = new Set(['describe', 'it', 'test']);
/** Steps of the nightly programs (`test/report.mts`). */
const REPORT_METHODS = new Set(['check', 'step']);
/** Laws and worlds are named by their `name`, from which vitest makes the titles. */
const NAMED = /^test\/(?:worlds|sandbox\/worlds)\//;

const read = (file: string) => readFileSync(path.join(projectFolder, file), 'utf8');

const plain = (markdown: string) =>
	markdown
		.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
		.replace(/(?<!\w)_|_(?!\w)|\*\*/g, '')
		.replace(/\s+/g, ' ')
		.trim();

/** Sentences of the prose and rows of the tables, without headings, pictures, code and emphasis. */
function sentencesOf(markdown: string): string[] {
	const blocks = markdown
		.replace(/^ *```[\s\S]*?^ *```$/gm, '')
		.split(/\n\s*\n|\n(?=- )/)
		.filter((block) => !/^(?:#|!\[|\s*$)/.test(block));
	return blocks.flatMap((block) => {
		if (!block.startsWith('|'))
			return plain(block.replace(/^- /, '')).split(/(?<=[.!?]) (?=[A-Z`])/);
		// Below the names of the columns and the line
		return block
			.trim()
			.split('\n')
			.slice(2)
			.map((row) => row.split('|').slice(1, -1).map(plain).join(' | '));
	});
}

function textOf(node?: ts.Node): string[] {
	if (!node) return [];
	if (ts.isStringLiteralLike(node)) return [node.text];
	if (!ts.isTemplateExpression(node)) return [];
	return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')];
}

/** `it` of `it(…)`, `it.each(rows)(…)` and `it.skipIf(…)(…)`. */
function rootOf(node: ts.Expression): ts.Expression {
	if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node))
		return rootOf(node.expression);
	return node;
}

/** Titles of a file's tests: of `it.each`, also the texts in its rows. */
function titlesIn(file: string): string[] {
	const titles: string[] = [];
	const allTexts = (node: ts.Node): void => {
		titles.push(...textOf(node));
		ts.forEachChild(node, allTexts);
	};
	const visit = (node: ts.Node): void => {
		if (ts.isCallExpression(node)) {
			const { expression, arguments: given } = node;
			const root = rootOf(expression);
			const method = ts.isPropertyAccessExpression(expression) ? expression.name.text : '';
			if (ts.isIdentifier(root) && TEST_FUNCTIONS.has(root.text)) {
				if (method === 'each') given.forEach(allTexts);
				else titles.push(...textOf(given[0]));
			} else if (REPORT_METHODS.has(method)) titles.push(...textOf(given[0]));
		}
		if (NAMED.test(file) && ts.isPropertyAssignment(node) && node.name.getText() === 'name')
			titles.push(...textOf(node.initializer));
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
	return titles;
}

/** Whether `file > part of a title` names a test. */
function exists(reference: string): boolean {
	const [file = '', title = ''] = reference.split(' > ');
	return title !== '' && titlesIn(`test/${file}`).some((known) => known.includes(title));
}

const sentences = sentencesOf(read(PAGE));
const listed = Object.keys(promises);

describe(PAGE, () => {
	it('has no sentence that is not in the list', () => {
		expect(sentences.length).toBeGreaterThan(50);
		expect(sentences.filter((sentence) => !listed.includes(sentence))).toEqual([]);
	});

	it('has every sentence of the list', () => {
		expect(listed.filter((sentence) => !sentences.includes(sentence))).toEqual([]);
	});

	it.each(Object.entries(promises))('%s', (_, references) => {
		expect(references.length).toBeGreaterThan(0);
		expect(references.filter((reference) => !exists(reference))).toEqual([]);
	});
});

describe('the check itself', () => {
	it('finds sentences, rows and list items', () => {
		const page =
			'# Title\n\nOne _line_\nof text. **Two.** [Three](x.md) is `4`.\n\n- A\n- B\n\n| X | Y |\n| - | - |\n| a | `b` |\n';
		expect(sentencesOf(page)).toEqual([
			'One line of text.',
			'Two.',
			'Three is `4`.',
			'A',
			'B',
			'a | `b`',
		]);
	});

	it('finds titles, rows of them and laws', () => {
		expect(exists('contract/logs-docs.test.mts > finds titles')).toBe(true);
		expect(exists('integration/logs-delivery.test.mts > line to stop at')).toBe(true);
		expect(exists('worlds/laws/logs.mts > no line is lost')).toBe(true);
		expect(exists('contract/logs-docs.test.mts > is nowhere a title')).toBe(false);
		expect(exists('contract/logs-docs.test.mts > ')).toBe(false);
	});
});
