import { chromium, type Locator, type Page } from 'playwright-core';
import { colorScheme, Pictures, windowWidth } from './pictures.mts';

export const CANVAS = { width: windowWidth, height: 1000 };

/** On a machine that has much else to do, n8n's editor may take a minute until it shows something */
const LONGEST_WAIT_MS = 120_000;

/** For the browser: no animation is under way but those that never end */
const FADED_IN =
	'document.getAnimations().every(({ playState, effect }) => playState !== "running" || effect.getComputedTiming().endTime === Infinity)';

/** In the browser: nothing fades, slides or blinks, so that no test waits for it */
const STILL = `addEventListener('DOMContentLoaded', () => {
	const style = document.createElement('style');
	style.textContent = '*, *::before, *::after { transition: none !important; animation: none !important; }';
	document.head.append(style);
})`;

/** The editor in a browser */
export interface Browser {
	url: string;
	page: Page;
	pictures: Pictures;
	/** Throws when the console has shown an error since the last look */
	expectSilence(): void;
	close(): Promise<void>;
}

/** The editor asks for the output schema of each node that it shows, and n8n's own nodes have none */
const SCHEMA_OF_N8N = /\/schemas\/n8n-nodes-base\./;

/**
 * Opens Chromium: `/usr/bin/chromium`, or what the environment variable `CHROMIUM` names.
 * @param session the cookies of somebody who is logged in at this n8n
 */
export async function openBrowser(url: string, session: string): Promise<Browser> {
	const chrome = await chromium.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		headless: true,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
	const context = await chrome.newContext({ viewport: CANVAS, colorScheme });
	await context.addCookies(
		session.split('; ').map((cookie) => {
			const [name = '', value = ''] = cookie.split('=');
			return { name, value, url };
		}),
	);
	await context.addInitScript(STILL);
	const page = await context.newPage();
	page.setDefaultTimeout(LONGEST_WAIT_MS);
	const complaints: string[] = [];
	page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
	page.on('console', (message) => {
		const { url: place } = message.location();
		if (message.type() === 'error' && !SCHEMA_OF_N8N.test(place))
			complaints.push(`${message.text()} (${place})`);
	});
	return {
		url,
		page,
		pictures: new Pictures(page),
		expectSilence: () => {
			const found = complaints.splice(0);
			if (found.length > 0) throw new Error(`the browser's console shows:\n${found.join('\n')}`);
		},
		close: () => chrome.close(),
	};
}

/** n8n's editor marks what its own tests look for */
export function byTestId(within: Page | Locator, id: string): Locator {
	return within.locator(`[data-test-id="${id}"]`);
}

export function nodeOnCanvas(page: Page, name: string): Locator {
	return page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
}

/** Loads a workflow and waits until its canvas is there with this node, which n8n fades in */
export async function openCanvas(
	{ url, page }: Browser,
	workflowId: string,
	node: string,
): Promise<void> {
	await page.setViewportSize(CANVAS);
	await page.goto(`${url}/workflow/${workflowId}`);
	await nodeOnCanvas(page, node).waitFor();
	await page.waitForFunction(FADED_IN);
}
