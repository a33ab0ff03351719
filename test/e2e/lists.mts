import type { Locator } from 'playwright-core';
import { byTestId } from './browser.mts';
import type { Pictures } from './pictures.mts';
import type { NodeTypeDescription } from './rest.mts';

/** What the editor asks n8n for the entries of a list */
const LIST_PATH = '/rest/dynamic-node-parameters/resource-locator-results';

/** Opens each list that comes from the service, searches it, and takes an entry, since the next list may depend on it */
export async function chooseFromLists(
	form: Locator,
	type: NodeTypeDescription,
	label: string,
	pictures: Pictures,
): Promise<void> {
	const lists = byTestId(form, 'rlc-input');
	for (let index = 0; index < (await lists.count()); index++) {
		await lists.nth(index).click();
		const entries = form.page().locator('[data-test-id="rlc-item"]:visible');
		await entries.first().waitFor();
		await pictures.form(form, `list ${index + 1} of ${label}`);
		await search(form, entries, index);
		await entries.first().click();
		await entries.first().waitFor({ state: 'hidden' });
	}
	await chooseSeveral(form, type, label, pictures);
}

/** Takes an entry of each list of which a person may choose several. Such a list stays open until something else is clicked */
export async function chooseSeveral(
	form: Locator,
	type: NodeTypeDescription,
	label: string,
	pictures: Pictures,
): Promise<void> {
	const entries = form.page().locator('.el-select-dropdown__item:visible');
	for (const { name } of type.properties.filter(
		({ typeOptions }) => typeOptions?.loadOptionsMethod !== undefined,
	)) {
		const field = byTestId(form, `parameter-input-${name}`);
		// Another operation has it
		if ((await field.count()) === 0) continue;
		await field.locator('input:not([readonly])').click();
		await entries.first().waitFor();
		await pictures.form(form, `choice of ${label}`);
		await entries.first().click();
		await form.page().getByText('Parameters', { exact: true }).first().click();
		await entries.first().waitFor({ state: 'hidden' });
	}
}

/** What is found must hold what was asked for, and what cannot be found must not */
async function search(form: Locator, entries: Locator, index: number): Promise<void> {
	const page = form.page();
	const box = page
		.locator('[data-test-id="rlc-search"]:visible input, input[data-test-id="rlc-search"]:visible')
		.first();
	const wanted = (await entries.last().innerText()).trim().split(/\s+/)[0] ?? '';
	const answered = page.waitForResponse(
		(response) =>
			response.url().endsWith(LIST_PATH) &&
			(response.request().postData() ?? '').includes(`"filter":${JSON.stringify(wanted)}`),
	);
	await Promise.all([answered, box.fill(wanted)]);
	await entries.first().waitFor();
	const found = (await entries.allInnerTexts()).filter(
		(text) => !text.toLowerCase().includes(wanted.toLowerCase()),
	);
	if (found.length > 0)
		throw new Error(`list ${index + 1} finds for "${wanted}":\n${found.join('\n')}`);
}
