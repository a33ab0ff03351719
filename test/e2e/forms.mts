import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { byTestId, nodeOnCanvas, type Browser } from './browser.mts';
import { expectedFields, switchesOf } from './fields.mts';
import { chooseFromLists } from './lists.mts';
import type { Choice } from './operations.mts';
import type { NodeProperty, NodeTypeDescription } from './rest.mts';

/** The widths that people have */
export const WIDTHS = [1280, 1920] as const;

/** A field inside a collection is inside the item of its collection */
const ITEM = '[data-test-id="parameter-item"]';
const FIELD = `${ITEM}:not(${ITEM} ${ITEM})`;

/** How long the editor may take to show or hide a field */
const SETTLE_MS = 10_000;

/**
 * Opens the form of a node that is on the canvas, in both widths. Expects exactly the fields of the description, takes an entry
 * of each dropdown, sets each switch to each of its values, and closes the form again
 */
export async function tryForm(
	{ page, pictures }: Browser,
	type: NodeTypeDescription,
	{ label, parameters }: Choice,
): Promise<void> {
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
	expect(text).not.toMatch(/\[object Object\]|\bundefined\b|Could not load|Error fetching/);
}

/** Compares the fields on the screen with those that the description asks for */
async function expectFields(
	form: Locator,
	type: NodeTypeDescription,
	parameters: Record<string, unknown>,
): Promise<void> {
	const known = new Set(type.properties.map(({ displayName }) => displayName));
	await expect
		.poll(async () => (await labelsOf(form)).filter((text) => known.has(text)), {
			timeout: SETTLE_MS,
		})
		.toEqual(expectedFields(type, parameters));
}

async function labelsOf(form: Locator): Promise<string[]> {
	return await form
		.locator(FIELD)
		.evaluateAll((items) =>
			items.map(
				(item) =>
					item.querySelector('[data-test-id="input-label"]')?.innerText.trim().split('\n')[0] ?? '',
			),
		);
}

/** Chooses, as a person does, each value of each field that others depend on, and in the end the first one again */
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
	const entry = page
		.locator('.el-select-dropdown__item:visible, [role="option"]:visible')
		.filter({ has: page.getByText(words, { exact: true }) })
		.first();
	await entry.click();
	// A click into the field of a list that still closes would not open it again
	await entry.waitFor({ state: 'hidden' });
}
