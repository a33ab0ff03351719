import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Locator, type Page } from 'playwright-core';
import { projectFolder } from '../pack.mts';
import type { Report } from '../report.mts';
import { connect, exampleFiles, readExample } from './example.mts';
import { choicesOf } from './operations.mts';
import { owner, type NodeTypeDescription, type Rest } from './rest.mts';

/** Pictures of every form, to be looked at by a person. Not committed */
export const shotsFolder = join(projectFolder, 'test', 'e2e', 'shots');

export interface SavedCredential {
	id: string;
	type: string;
}

interface Forms {
	rest: Rest;
	nodeTypes: NodeTypeDescription[];
	credentials: SavedCredential[];
	/** Where the browser may keep its profile */
	temp: string;
}

const COLUMNS = 4;
const CANVAS = { width: 1600, height: 1000 };
/** The longest form with all its fields fits */
const FORM = { width: 1600, height: 3400 };

/** Opens the form of each operation and of each credential in a browser. A form that breaks says so on the console */
export async function checkForms(report: Report, forms: Forms): Promise<void> {
	rmSync(shotsFolder, { recursive: true, force: true });
	mkdirSync(shotsFolder, { recursive: true });
	const browser = await chromium.launchPersistentContext(join(forms.temp, 'browser'), {
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
	try {
		browser.setDefaultTimeout(15_000);
		const page = await browser.newPage();
		const complaints = listen(page);
		await report.step('the browser logs in', () => logIn(page, forms.rest.url));
		for (const type of forms.nodeTypes) await checkNode(report, forms, page, type, complaints);
		for (const file of exampleFiles()) {
			await report.step(`canvas of example ${file}`, () => openExample(page, forms, file, complaints));
		}
		for (const credential of forms.credentials) {
			await report.step(`form of credential ${credential.type}`, async () => {
				complaints.length = 0;
				await openCredential(page, forms.rest.url, credential);
				expectSilence(complaints);
			});
		}
	} finally {
		await browser.close();
	}
}

function listen(page: Page): string[] {
	const complaints: string[] = [];
	page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
	page.on('console', (message) => {
		if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`);
	});
	return complaints;
}

function expectSilence(complaints: string[]): void {
	if (complaints.length > 0) throw new Error(`the browser's console shows:\n${complaints.join('\n')}`);
}

async function logIn(page: Page, url: string): Promise<void> {
	await page.goto(`${url}/signin`);
	await page.locator('input[type="email"], input[name="emailOrLdapLoginId"]').fill(owner.email);
	await page.locator('input[type="password"]').fill(owner.password);
	await page.locator('[data-test-id="form-submit-button"]').click();
	await page.waitForURL((address) => !address.pathname.startsWith('/signin'));
}

/** One workflow with a node for each operation, then the form of each */
async function checkNode(
	report: Report,
	{ rest, credentials }: Forms,
	page: Page,
	type: NodeTypeDescription,
	complaints: string[],
): Promise<void> {
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
	const opened = await report.step(`canvas with ${type.displayName}`, async () => {
		complaints.length = 0;
		await page.setViewportSize(CANVAS);
		await page.goto(`${rest.url}/workflow/${id}`);
		await nodeOnCanvas(page, choices[0]?.label ?? '').waitFor();
		await page.waitForLoadState('networkidle');
		await page.screenshot({ path: shot(`canvas ${type.displayName}`) });
		expectSilence(complaints);
	});
	if (!opened) return;
	await page.setViewportSize(FORM);
	for (const { label } of choices) {
		const shown = await report.step(`form of ${label}`, async () => {
			complaints.length = 0;
			await openForm(page, label);
			expectSilence(complaints);
		});
		if (!shown) {
			await page.screenshot({ path: shot(`FAILED ${label}`) });
			// A form that hangs would stand in front of all that follow
			await page.goto(`${rest.url}/workflow/${id}`);
		}
	}
}

async function openForm(page: Page, label: string): Promise<void> {
	await nodeOnCanvas(page, label).dblclick();
	const form = page.locator('[data-test-id="node-parameters"]');
	await form.waitFor();
	await page.waitForLoadState('networkidle');
	await chooseFromLists(page, form, label);
	const text = await form.innerText();
	await page.screenshot({ path: shot(`form ${label}`), ...(await aroundOf(page, form)) });
	await page.keyboard.press('Escape');
	await form.waitFor({ state: 'hidden' });
	if (/\[object Object\]|\bundefined\b|Could not load|Error fetching/.test(text)) {
		throw new Error(`the form shows something that is not for people:\n${text}`);
	}
}

/** Opens each list that comes from the service and takes its first entry, since the next list may depend on it */
async function chooseFromLists(page: Page, form: Locator, label: string): Promise<void> {
	const lists = form.locator('[data-test-id="rlc-input"]');
	for (let index = 0; index < (await lists.count()); index++) {
		await lists.nth(index).click();
		const entries = page.locator('[data-test-id="rlc-item"]:visible');
		await entries.first().waitFor();
		await page.waitForLoadState('networkidle');
		await page.screenshot({ path: shot(`list ${index + 1} of ${label}`), ...(await aroundOf(page, form)) });
		await entries.first().click();
		await entries.first().waitFor({ state: 'hidden' });
	}
}

async function openExample(
	page: Page,
	{ rest, credentials }: Forms,
	file: string,
	complaints: string[],
): Promise<void> {
	const example = connect(readExample(file), Object.fromEntries(credentials.map(({ type, id }) => [type, id])));
	const workflowId = await rest.createWorkflow(example);
	complaints.length = 0;
	await page.setViewportSize(CANVAS);
	await page.goto(`${rest.url}/workflow/${workflowId}`);
	await nodeOnCanvas(page, example.nodes.at(-1)?.name ?? '').waitFor();
	await page.waitForLoadState('networkidle');
	await page.screenshot({ path: shot(`canvas of ${file.replace('.json', '')}`) });
	expectSilence(complaints);
}

async function openCredential(page: Page, url: string, { id, type }: SavedCredential): Promise<void> {
	await page.goto(`${url}/home/credentials/${id}`);
	const form = page.locator('[data-test-id="editCredential-modal"]');
	await form.getByText('Base URL').first().waitFor();
	await page.waitForLoadState('networkidle');
	await page.screenshot({ path: shot(`credential ${type}`) });
}

function nodeOnCanvas(page: Page, name: string) {
	return page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
}

/** The form alone: what is left and right of it is n8n's */
async function aroundOf(page: Page, form: Locator) {
	const box = await form.boundingBox();
	const height = page.viewportSize()?.height ?? 0;
	return box === null ? {} : { clip: { x: box.x - 20, y: 0, width: box.width + 40, height } };
}

function shot(name: string): string {
	return join(shotsFolder, `${name.replace(/[^a-zA-Z0-9]+/g, '-')}.png`);
}
