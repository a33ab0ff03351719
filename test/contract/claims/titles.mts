import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { projectFolder } from '../../pack.mts';

const TEST_FUNCTIONS = new Set(['describe', 'it', 'test']);
/** Steps of the nightly programs (`test/report.mts`). */
const REPORT_METHODS = new Set(['check', 'step']);
/** Laws and worlds are named by their `name`, from which vitest makes the titles. */
const NAMED = /^(?:worlds|sandbox\/worlds)\//;
/** What each example must do in a real n8n (`e2e/examples.test.mts`), by its name. */
const EXPECTATIONS = /^e2e\/expectations/;

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

function readTitles(file: string): string[] {
	const text = readFileSync(path.join(projectFolder, 'test', file), 'utf8');
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const titles: string[] = [];
	/** Rows of `it.each` may be a constant of the file. */
	const constants = new Map(
		source.statements
			.filter(ts.isVariableStatement)
			.flatMap(({ declarationList }) => [...declarationList.declarations])
			.map(({ name, initializer }) => [name.getText(), initializer] as const),
	);
	const allTexts = (node: ts.Node): void => {
		const constant = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
		if (constant) {
			constants.delete(node.getText());
			allTexts(constant);
		}
		if (ts.isPropertyAssignment(node)) titles.push(...textOf(node.name));
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
		if (EXPECTATIONS.test(file) && ts.isPropertyAssignment(node)) titles.push(...textOf(node.name));
		ts.forEachChild(node, visit);
	};
	visit(source);
	return titles;
}

const known = new Map<string, string[]>();

/** Titles of the tests of a file below `test/`: of `it.each`, also the texts in its rows. */
export function titlesIn(file: string): string[] {
	const titles = known.get(file) ?? readTitles(file);
	known.set(file, titles);
	return titles;
}

/** Whether `file below test/ > part of a title` names a test. */
export function exists(reference: string): boolean {
	const [file = '', ...rest] = reference.split(' > ');
	const title = rest.join(' > ');
	return title !== '' && titlesIn(file).some((one) => one.includes(title));
}
