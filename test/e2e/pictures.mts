import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { projectFolder } from '../pack.mts';

/** Screenshots of everything that was opened, for a person to look at. Not committed */
export const shotsFolder = join(projectFolder, 'test', 'e2e', 'shots');

/** Whether pictures are wanted: `SHOTS=1 npm run test:e2e`. Without them the tests are twice as fast */
export const takesShots = Boolean(process.env.SHOTS);

/** `SHOTS='dark 1920'`: in n8n's other colours, in a window of another width */
export const colorScheme = process.env.SHOTS?.includes('dark') ? 'dark' : 'light';
export const windowWidth = Number(process.env.SHOTS?.match(/\d{3,}/)?.[0] ?? 1600);

/** A height at which the longest form fits with all its fields */
const TALL = 3800;

/** Below the last field */
const MARGIN = 40;

/** Takes pictures where they are wanted */
export class Pictures {
	/** How high the window must be for the pictures of forms */
	readonly height = takesShots ? TALL : 1000;

	constructor(readonly page: Page) {}

	/** All that the window shows */
	async window(name: string): Promise<void> {
		if (takesShots) await this.page.screenshot({ path: pathOf(name) });
	}

	/** The same after a test has failed, wanted or not */
	async failure(name: string): Promise<void> {
		await this.page.screenshot({ path: pathOf(`FAILED ${name}`) });
	}

	/** The form alone, down to its last field: what is left and right of it is n8n's */
	async form(form: Locator, name: string): Promise<void> {
		if (!takesShots) return;
		const box = await form.boundingBox();
		if (box === null) throw new Error(`${name} is not visible`);
		const fields = form.locator('[data-test-id="parameter-item"], [data-test-id="rlc-item"]');
		const bottom: number = await fields.evaluateAll((items) =>
			Math.max(300, ...items.map((item) => item.getBoundingClientRect().bottom)),
		);
		const height = Math.min(bottom + MARGIN, TALL) - box.y + 80;
		await this.page.screenshot({
			path: pathOf(name),
			clip: { x: box.x, y: box.y - 80, width: box.width, height },
		});
	}
}

function pathOf(name: string): string {
	return join(shotsFolder, `${name.replace(/[^a-zA-Z0-9]+/g, '-')}.png`);
}
