import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { projectFolder } from '../pack.mts';

/** Pictures of everything that was opened, to be looked at by a person. Not committed */
export const shotsFolder = join(projectFolder, 'test', 'e2e', 'shots');

/** A height at which the longest form fits with all its fields */
const TALL = 3800;

/** Below the last field */
const MARGIN = 40;

/** Takes pictures where somebody wants to see them: without them the tests are twice as fast */
export class Pictures {
	/** How high the window has to be for the pictures of forms */
	readonly height: number;

	constructor(
		readonly page: Page,
		readonly wanted: boolean,
	) {
		this.height = wanted ? TALL : 1000;
		rmSync(shotsFolder, { recursive: true, force: true });
		mkdirSync(shotsFolder, { recursive: true });
	}

	/** All that the window shows */
	async window(name: string): Promise<void> {
		if (this.wanted) await this.page.screenshot({ path: pathOf(name) });
	}

	/** The same, also where nobody wants to see what is right */
	async failure(name: string): Promise<void> {
		await this.page.screenshot({ path: pathOf(`FAILED ${name}`) });
	}

	/** The form alone, down to its last field: what is left and right of it is n8n's */
	async form(form: Locator, name: string): Promise<void> {
		if (!this.wanted) return;
		const box = await form.boundingBox();
		if (box === null) throw new Error(`${name} is not to be seen`);
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
