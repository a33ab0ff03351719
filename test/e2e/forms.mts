import type { Locator } from 'playwright-core';
import type { Report } from '../report.mts';
import { byTestId, CANVAS, nodeOnCanvas, type Browser } from './browser.mts';
import { connect, exampleFiles, readExample } from './example.mts';
import { expectedFields, switchesOf } from './fields.mts';
import { chooseFromLists } from './lists.mts';
import { choicesOf, type Choice } from './operations.mts';
import type { Pictures } from './pictures.mts';
import type { NodeProperty, NodeTypeDescription, Rest } from './rest.mts';

export interface SavedCredential {
	id: string;
	type: string;
}

export interface Editor {
	report: Report;
	browser: Browser;
	pictures: Pictures;
	rest: Rest;
	credentials: SavedCredential[];
}

const COLUMNS = 4;

/** The widths that people have */
export const WIDTHS = [1280, 1920] as const;

/** A field inside a collection is inside the item of its collection */
const ITEM = '[data-test-id="parameter-item"]';
const FIELD = `${ITEM}:not(${ITEM} ${ITEM})`;

/** For the browser: nothing moves, but for what always does */
const FADED_IN =
	'document.getAnimations().every(({ playState, effect }) => playState !== "running" || effect.getComputedTiming().endTime === Infinity)';

/** How long the editor may take to show or hide a field */
const SETTLE_MS = 10_000;

/** Opens the form of each operation of a node. A form that breaks says so on the console. Gives the number of forms opened */
export async function checkNode(editor: Editor, type: NodeTypeDescription): Promise<number> {
	const { report, browser, pictures, rest, credentials } = editor;
	const { page } = browser;
	const choices = choicesOf(type);
	const nodes = choices.map((choice, index) => ({
		id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
		name: choice.label,
		type: type.name,
		typeVersion: Math.max(...[type.version].flat()),
		position: [(index % COLUMNS) * 260, Math.floor(index / COLUMNS) * 200],
		parameters: choice.parameters,
		credentials: Object.fromEntries(
			credentials
				.filter((saved) => type.credentials?.some(({ name }) => name === saved.type))
				.map((saved) => [saved.type, { id: saved.id, name: saved.type }]),
		),
	}));
	const id = await rest.createWorkflow({ name: type.displayName, nodes, connections: {} });
	const address = `${rest.url}/workflow/${id}`;
	const opened = await report.step(`canvas with ${type.displayName}`, async () => {
		await openCanvas(editor, address, choices[0]?.label ?? '');
		await pictures.window(`canvas ${type.displayName}`);
		browser.expectSilence();
	});
	if (!opened) return 0;
	let forms = 0;
	for (const choice of choices) {
		const shown = await report.step(`form of ${choice.label}`, async () => {
			await openForm(editor, type, choice);
			browser.expectSilence();
		});
		if (shown) {
			forms += 1;
		} else {
			await pictures.failure(choice.label);
			// A form that hangs would stand in front of all that follow
			await page.goto(address);
		}
	}
	return forms;
}

/** Loads a workflow and waits until its canvas is there, which n8n lets appear slowly */
export async function openCanvas(
	{ browser: { page } }: Editor,
	address: string,
	node: string,
): Promise<void> {
	await page.setViewportSize(CANVAS);
	await page.goto(address);
	await nodeOnCanvas(page, node).waitFor();
	await page.waitForFunction(FADED_IN);
}

async function openForm(
	{ browser, pictures }: Editor,
	type: NodeTypeDescription,
	{ label, parameters }: Choice,
): Promise<void> {
	const { page } = browser;
	const [narrow, wide] = WIDTHS;
	await page.setViewportSize({ width: narrow, height: pictures.height });
	await nodeOnCanvas(page, label).dblclick();
	const form = byTestId(page, 'node-parameters');
	await form.waitFor();
	await expectFields(form, type, parameters);
	await chooseFromLists(form, type, label, pictures);
	const text = await form.innerText();
	await pictures.form(form, `form ${label}`);
	await page.setViewportSize({ width: wide, height: pictures.height });
	await expectFields(form, type, parameters);
	await pictures.form(form, `wide ${label}`);
	await flipSwitches(form, type, parameters);
	await byTestId(page, 'ndv-close-button').click();
	await form.waitFor({ state: 'hidden' });
	if (/\[object Object\]|\bundefined\b|Could not load|Error fetching/.test(text)) {
		throw new Error(`the form shows something that is not for people:\n${text}`);
	}
}

/** Compares the fields on the screen with those that the description asks for */
async function expectFields(
	form: Locator,
	type: NodeTypeDescription,
	parameters: Record<string, unknown>,
): Promise<void> {
	const expected = expectedFields(type, parameters);
	const known = new Set(type.properties.map(({ displayName }) => displayName));
	const deadline = Date.now() + SETTLE_MS;
	for (;;) {
		const texts: string[] = await form
			.locator(FIELD)
			.evaluateAll((items) =>
				items.map(
					(item) =>
						item.querySelector('[data-test-id="input-label"]')?.innerText.trim().split('\n')[0] ??
						'',
				),
			);
		const shown = texts.filter((text) => known.has(text));
		if (shown.join() === expected.join()) return;
		if (Date.now() > deadline)
			throw new Error(`the fields are\n${shown.join(', ')}\nand should be\n${expected.join(', ')}`);
		await form.page().waitForTimeout(100);
	}
}

/** Chooses, as a person does, each value of each field that others depend on, and puts the first one back */
async function flipSwitches(
	form: Locator,
	type: NodeTypeDescription,
	parameters: Record<string, unknown>,
): Promise<void> {
	for (const { field, chosen, others } of switchesOf(type, parameters)) {
		for (const value of [...others, chosen]) {
			await choose(form, field, value);
			await expectFields(form, type, { ...parameters, [field.name]: value });
		}
	}
}

async function choose(
	form: Locator,
	{ name, type, options }: NodeProperty,
	value: unknown,
): Promise<void> {
	const input = byTestId(form, `parameter-input-${name}`).first();
	if (type === 'boolean') return await input.locator('.el-switch, [role="switch"]').first().click();
	const words = options?.find((option) => option.value === value)?.name ?? '';
	await input.click();
	const page = form.page();
	await page
		.locator('.el-select-dropdown__item:visible, [role="option"]:visible')
		.filter({ has: page.getByText(words, { exact: true }) })
		.first()
		.click();
}

export async function openExamples(editor: Editor): Promise<void> {
	const { report, browser, pictures, rest, credentials } = editor;
	const ids = Object.fromEntries(credentials.map(({ type, id }) => [type, id]));
	for (const file of exampleFiles()) {
		await report.step(`canvas of example ${file}`, async () => {
			const example = connect(readExample(file), ids);
			const id = await rest.createWorkflow(example);
			await openCanvas(editor, `${rest.url}/workflow/${id}`, example.nodes.at(-1)?.name ?? '');
			await pictures.window(`canvas of ${file.replace('.json', '')}`);
			browser.expectSilence();
		});
	}
}
