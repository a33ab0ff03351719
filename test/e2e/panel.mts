import type { Locator, Page } from 'playwright-core';
import { byTestId, CANVAS, type Browser } from './browser.mts';
import type { Editor } from './forms.mts';
import type { NodeTypeDescription } from './rest.mts';

/** Looks for each node in the panel where people look for it, in both themes */
export async function checkPanel(editor: Editor, types: NodeTypeDescription[]): Promise<void> {
	const { report, browser } = editor;
	// n8n offers nodes that only serve other nodes where they are plugged in, and not here
	const listed = types.filter(
		({ inputs, group }) =>
			group.includes('trigger') || (Array.isArray(inputs) && inputs.length > 0),
	);
	for (const theme of ['light', 'dark'] as const) {
		await report.step(
			`the node panel shows ${listed.length} nodes with their icons, ${theme}`,
			async () => {
				await showPanel(editor, theme, listed);
				for (const type of listed) await expectEntry(browser, type, theme);
				browser.expectSilence();
			},
		);
	}
	await browser.page.emulateMedia({ colorScheme: 'light' });
}

async function showPanel(
	{ browser: { page }, pictures, rest }: Editor,
	theme: 'light' | 'dark',
	listed: NodeTypeDescription[],
): Promise<void> {
	await page.emulateMedia({ colorScheme: theme });
	await page.setViewportSize(CANVAS);
	await page.goto(`${rest.url}/workflow/new`);
	await byTestId(page, 'node-creator-plus-button').first().click();
	await byTestId(page, 'node-creator-search-bar').fill('Compute');
	for (const type of listed) await entryOf(page, type).waitFor();
	await pictures.window(`panel ${theme}`);
}

async function expectEntry(
	{ page }: Browser,
	type: NodeTypeDescription,
	theme: 'light' | 'dark',
): Promise<void> {
	const { displayName, iconUrl } = type;
	await byTestId(page, 'node-creator-search-bar').fill(displayName);
	const entry = entryOf(page, type);
	await entry.waitFor();
	const icon = entry.locator('img').first();
	const source = await icon.getAttribute('src');
	const width: number = await icon.evaluate((image) =>
		image.decode().then(() => image.naturalWidth as number),
	);
	const expected = typeof iconUrl === 'object' ? iconUrl[theme] : iconUrl;
	if (expected === undefined || source?.endsWith(expected) !== true)
		throw new Error(`${displayName} shows ${String(source)}, not ${expected}`);
	if (width === 0) throw new Error(`the icon of ${displayName} is empty`);
}

function entryOf(page: Page, { name }: NodeTypeDescription): Locator {
	return page
		.locator(`[data-test-id="item-iterator-item"][data-keyboard-nav-id^="${name}-"]`)
		.first();
}
