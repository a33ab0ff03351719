import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { projectFolder } from '../pack.mts';
import { owner } from './rest.mts';

/** Pictures of everything that was opened, to be looked at by a person. Not committed */
export const shotsFolder = join(projectFolder, 'test', 'e2e', 'shots');

export const CANVAS = { width: 1600, height: 1000 };

/** A browser that is logged in, and what its console complained about */
export interface Browser {
	page: Page;
	/** Throws when the console has shown an error since the last look */
	expectSilence(): void;
	/** Errors that the console has shown so far */
	errors(): number;
	close(): Promise<void>;
}

export async function openBrowser(url: string, profile: string): Promise<Browser> {
	rmSync(shotsFolder, { recursive: true, force: true });
	mkdirSync(shotsFolder, { recursive: true });
	const context = await launch(profile);
	try {
		context.setDefaultTimeout(15_000);
		const page = await context.newPage();
		const complaints: string[] = [];
		page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
		page.on('console', (message) => {
			if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`);
		});
		await logIn(page, url);
		let seen = complaints.length;
		return {
			page,
			expectSilence: () => {
				const fresh = complaints.slice(seen);
				seen = complaints.length;
				if (fresh.length > 0) throw new Error(`the browser's console shows:\n${fresh.join('\n')}`);
			},
			errors: () => complaints.length,
			close: () => context.close(),
		};
	} catch (error) {
		await context.close();
		throw error;
	}
}

async function launch(profile: string): Promise<BrowserContext> {
	return await chromium.launchPersistentContext(profile, {
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		headless: true,
		viewport: CANVAS,
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

export function shot(name: string): string {
	return join(shotsFolder, `${name.replace(/[^a-zA-Z0-9]+/g, '-')}.png`);
}
