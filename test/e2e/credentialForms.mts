import { byTestId, CANVAS } from './browser.mts';
import type { Editor } from './forms.mts';

/** Opens each saved credential as a person would who wants to change it */
export async function openCredentials({
	report,
	browser,
	pictures,
	rest,
	credentials,
}: Editor): Promise<void> {
	const { page } = browser;
	for (const { id, type } of credentials) {
		await report.step(`form of credential ${type}`, async () => {
			await page.setViewportSize(CANVAS);
			await page.goto(`${rest.url}/home/credentials/${id}`);
			const form = byTestId(page, 'editCredential-modal');
			await form.getByText('Base URL').first().waitFor();
			await pictures.window(`credential ${type}`);
			browser.expectSilence();
		});
	}
}
