import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** One folder for n8n-core's settings for the whole test run. The workers are ended without notice, so they could not remove theirs. */
export default function setup(): () => void {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'n8n-engine-'));
	process.env.N8N_USER_FOLDER = folder;
	return () => rmSync(folder, { recursive: true, force: true });
}
