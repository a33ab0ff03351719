import type { Locator } from 'playwright-core';
import type { Report } from '../report.mts';
import { byTestId, CANVAS, nodeOnCanvas, shot, type Browser } from './browser.mts';
import { connect, exampleFiles, readExample } from './example.mts';
import { expectedFields, switchesOf } from './fields.mts';
import { choicesOf, type Choice } from './operations.mts';
import type { NodeProperty, NodeTypeDescription, Rest } from './rest.mts';

export interface SavedCredential {
	id: string;
	type: string;
}

export interface Editor {
	report: Report;
	browser: Browser;
	rest: Rest;
	credentials: SavedCredential[];
}

const COLUMNS = 4;

/** The widths that people have, and a height at which the longest form with all its fields fits */
const FORM = { width: 1280, height: 3400 };
const WIDE = { width: 1920, height: 3400 };

/** A field inside a collection is inside the item of its collection */
const ITEM = '[data-test-id="parameter-item"]';
const FIELD = `${ITEM}:not(${ITEM} ${ITEM})`;

/** How long the editor may take to show or hide a field */
const SETTLE_MS = 5_000;

/** Opens the form of each operation of a node. A form that breaks says so on the console. Gives the number of forms opened */
export async function checkNode(editor: Editor, type: NodeTypeDescription): Promise<number> {
	const { report, browser, rest, credentials } = editor;
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
		await page.setViewportSize(CANVAS);
		await page.goto(address);
		await nodeOnCanvas(page, choices[0]?.label ?? '').waitFor();
		await page.waitForLoadState('networkidle');
		await page.screenshot({ path: shot(`canvas ${type.displayName}`) });
		browser.expectSilence();
	});
	if (!opened) return 0;
	let forms = 0;
	for (const choice of choices) {
		const shown = await report.step(`form of ${choice.label}`, async () => {
			await openForm(browser, address, type, choice);
			browser.expectSilence();
		});
		if (shown) {
			forms += 1;
		} else {
			await page.screenshot({ path: shot(`FAILED ${choice.label}`) });
			// A form that hangs would stand in front of all that follow
			await page.goto(address);
		}
	}
	return forms;
}

async function openForm({ page }: Browser, address: string, type: NodeTypeDescription, { label, parameters }: Choice): Promise<void> {
	await page.setViewportSize(FORM);
	await nodeOnCanvas(page, label).dblclick();
	const form = byTestId(page, 'node-parameters');
	await form.waitFor();
	await page.waitForLoadState('networkidle');
	await expectFields(form, type, parameters);
	await chooseFromLists(form, label);
	const text = await form.innerText();
	await page.screenshot({ path: shot(`form ${label}`), ...(await aroundOf(form)) });
	await page.setViewportSize(WIDE);
	await page.screenshot({ path: shot(`wide ${label}`), ...(await aroundOf(form)) });
	await page.setViewportSize(FORM);
	await flipSwitches(form, type, parameters);
	await closeForm(form, address);
	if (/\[object Object\]|\bundefined\b|Could not load|Error fetching/.test(text)) {
		throw new Error(`the form shows something that is not for people:\n${text}`);
	}
}

/** The first Escape may only leave a field; the form of a trigger may take none at all, and then the canvas is loaded again. */
async function closeForm(form: Locator, address: string): Promise<void> {
	for (let tries = 0; tries < 3 && (await form.isVisible()); tries++) {
		await form.page().keyboard.press('Escape');
		await form.waitFor({ state: 'hidden', timeout: 1_000 }).catch(() => undefined);
	}
	if (await form.isVisible()) await form.page().goto(address);
	await form.waitFor({ state: 'hidden' });
}

/** Compares the fields on the screen with those that the description asks for */
async function expectFields(form: Locator, type: NodeTypeDescription, parameters: Record<string, unknown>): Promise<void> {
	const expected = expectedFields(type, parameters);
	const known = new Set(type.properties.map(({ displayName }) => displayName));
	const deadline = Date.now() + SETTLE_MS;
	for (;;) {
		const texts: string[] = await form
			.locator(FIELD)
			.evaluateAll((items) => items.map((item) => item.querySelector('[data-test-id="input-label"]')?.innerText.trim().split('\n')[0] ?? ''));
		const shown = texts.filter((text) => known.has(text));
		if (shown.join() === expected.join()) return;
		if (Date.now() > deadline) throw new Error(`the fields are\n${shown.join(', ')}\nand should be\n${expected.join(', ')}`);
		await form.page().waitForTimeout(100);
	}
}

/** Chooses, as a person does, each value of each field that others depend on, and puts the first one back */
async function flipSwitches(form: Locator, type: NodeTypeDescription, parameters: Record<string, unknown>): Promise<void> {
	for (const { field, chosen, others } of switchesOf(type, parameters)) {
		for (const value of [...others, chosen]) {
			await choose(form, field, value);
			await expectFields(form, type, { ...parameters, [field.name]: value });
		}
	}
}

async function choose(form: Locator, { name, type, options }: NodeProperty, value: unknown): Promise<void> {
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

/** Opens each list that comes from the service, searches it, and takes an entry, since the next list may depend on it */
async function chooseFromLists(form: Locator, label: string): Promise<void> {
	const page = form.page();
	const lists = byTestId(form, 'rlc-input');
	for (let index = 0; index < (await lists.count()); index++) {
		await lists.nth(index).click();
		const entries = page.locator('[data-test-id="rlc-item"]:visible');
		await entries.first().waitFor();
		await page.waitForLoadState('networkidle');
		await page.screenshot({ path: shot(`list ${index + 1} of ${label}`), ...(await aroundOf(form)) });
		await search(form, entries, index);
		await entries.first().click();
		await entries.first().waitFor({ state: 'hidden' });
	}
}

/** What is found must hold what was asked for, and what cannot be found must not */
async function search(form: Locator, entries: Locator, index: number): Promise<void> {
	const page = form.page();
	const box = page.locator('[data-test-id="rlc-search"]:visible input, input[data-test-id="rlc-search"]:visible').first();
	if ((await box.count()) === 0) return;
	const wanted = (await entries.last().innerText()).trim().split(/\s+/)[0] ?? '';
	await box.fill(wanted);
	await page.waitForLoadState('networkidle');
	await entries.first().waitFor();
	const found = (await entries.allInnerTexts()).filter((text) => !text.toLowerCase().includes(wanted.toLowerCase()));
	if (found.length > 0) throw new Error(`list ${index + 1} finds for "${wanted}":\n${found.join('\n')}`);
}

export async function openExamples({ report, browser, rest, credentials }: Editor): Promise<void> {
	const { page } = browser;
	const ids = Object.fromEntries(credentials.map(({ type, id }) => [type, id]));
	for (const file of exampleFiles()) {
		await report.step(`canvas of example ${file}`, async () => {
			const example = connect(readExample(file), ids);
			const id = await rest.createWorkflow(example);
			await page.setViewportSize(CANVAS);
			await page.goto(`${rest.url}/workflow/${id}`);
			await nodeOnCanvas(page, example.nodes.at(-1)?.name ?? '').waitFor();
			await page.waitForLoadState('networkidle');
			await page.screenshot({ path: shot(`canvas of ${file.replace('.json', '')}`) });
			browser.expectSilence();
		});
	}
}

/** The form alone: what is left and right of it is n8n's */
async function aroundOf(form: Locator) {
	const box = await form.boundingBox();
	const height = form.page().viewportSize()?.height ?? 0;
	return box === null ? {} : { clip: { x: box.x - 20, y: 0, width: box.width + 40, height } };
}
