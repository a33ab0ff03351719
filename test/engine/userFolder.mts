import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** What n8n's engine encrypts credentials with. */
export const ENCRYPTION_KEY = 'key-of-the-test-engine';

/**
 * One folder for n8n-core's settings for the whole test run: the workers are ended without notice and could not remove theirs.
 * The settings are written here, once, since a worker that reads them while another writes them fails.
 */
export default function setup(): () => void {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'n8n-engine-'));
	mkdirSync(path.join(folder, '.n8n'));
	writeFileSync(
		path.join(folder, '.n8n/config'),
		JSON.stringify({ encryptionKey: ENCRYPTION_KEY }),
		{ mode: 0o600 },
	);
	process.env.N8N_USER_FOLDER = folder;
	return () => rmSync(folder, { recursive: true, force: true });
}
