import { chromium, type Browser as Chromium, type Locator, type Page } from 'playwright-core';
import { owner } from './rest.mts';

export const CANVAS = { width: 1600, height: 1000 };

/** On a machine that has much else to do */
const LONGEST_WAIT_MS = 30_000;

/** A browser that is logged in, and what its console complained about */
export interface Browser {
	page: Page;
	/** Throws when the console has shown an error since the last look */
	expectSilence(): void;
	/** Errors that the console has shown since somebody is logged in */
	errors(): number;
	close(): Promise<void>;
}

export async function openBrowser(url: string): Promise<Browser> {
	const opened = await launch();
	try {
		const page = await opened.newPage({ viewport: CANVAS });
		page.setDefaultTimeout(LONGEST_WAIT_MS);
		const complaints: string[] = [];
		page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
		page.on('console', (message) => {
			if (message.type() === 'error')
				complaints.push(`${message.text()} (${message.location().url})`);
		});
		await logIn(page, url);
		// Before somebody is logged in, n8n asks who that is, and its own answer 401 is on the console
		const before = complaints.length;
		let seen = before;
		return {
			page,
			expectSilence: () => {
				const fresh = complaints.slice(seen);
				seen = complaints.length;
				if (fresh.length > 0) throw new Error(`the browser's console shows:\n${fresh.join('\n')}`);
			},
			errors: () => complaints.length - before,
			close: () => opened.close(),
		};
	} catch (error) {
		await opened.close();
		throw error;
	}
}

async function launch(): Promise<Chromium> {
	return await chromium.launch({
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
}

async function logIn(page: Page, url: string): Promise<void> {
	await page.goto(`${url}/signin`);
	await page.locator('input[type="email"], input[name="emailOrLdapLoginId"]').fill(owner.email);
	await page.locator('input[type="password"]').fill(owner.password);
	await byTestId(page, 'form-submit-button').click();
	await page.waitForURL((address) => !address.pathname.startsWith('/signin'));
}

/** n8n's editor marks what its own tests look for */
export function byTestId(within: Page | Locator, id: string): Locator {
	return within.locator(`[data-test-id="${id}"]`);
}

export function nodeOnCanvas(page: Page, name: string): Locator {
	return page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
}
