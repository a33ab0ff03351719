import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { byTestId, CANVAS } from './browser.mts';
import { colorScheme } from './pictures.mts';
import { test } from './fixture.mts';
import { ownNodeTypes, type NodeTypeDescription } from './rest.mts';

test.for(['light', 'dark'] as const)(
	'the node panel finds each node by its name, with its %s icon',
	async (theme, { rest, editor: { page, pictures, url } }) => {
		// n8n lists a node that only serves other nodes where it is plugged in
		const types = (await ownNodeTypes(rest)).filter(
			({ inputs, group }) =>
				group.includes('trigger') || (Array.isArray(inputs) && inputs.length > 0),
		);
		expect(types).not.toEqual([]);
		await page.emulateMedia({ colorScheme: theme });
		await page.setViewportSize(CANVAS);
		await page.goto(`${url}/workflow/new`);
		await byTestId(page, 'node-creator-plus-button').first().click();
		await byTestId(page, 'node-creator-search-bar').fill('Compute');
		for (const type of types) await entryOf(page, type).waitFor();
		await pictures.window(`panel ${theme}`);
		for (const type of types) await expectEntry(page, type, theme);
		await page.emulateMedia({ colorScheme });
	},
);

async function expectEntry(
	page: Page,
	type: NodeTypeDescription,
	theme: 'light' | 'dark',
): Promise<void> {
	const { displayName, iconUrl } = type;
	await byTestId(page, 'node-creator-search-bar').fill(displayName);
	const entry = entryOf(page, type);
	await entry.waitFor();
	const icon = entry.locator('img').first();
	const width: number = await icon.evaluate((image) =>
		image.decode().then(() => image.naturalWidth as number),
	);
	const expected = typeof iconUrl === 'object' ? iconUrl[theme] : iconUrl;
	const source = await icon.getAttribute('src');
	expect(source?.endsWith(expected ?? '?'), `${displayName} shows ${source}`).toBe(true);
	expect(width, `the icon of ${displayName} is empty`).toBeGreaterThan(0);
}

function entryOf(page: Page, { name }: NodeTypeDescription): Locator {
	return page
		.locator(`[data-test-id="item-iterator-item"][data-keyboard-nav-id^="${name}-"]`)
		.first();
}
