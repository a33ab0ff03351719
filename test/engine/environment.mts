import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ENCRYPTION_KEY } from './userFolder.mts';

/** What n8n-core reads from the environment when it is loaded; this module has to be imported before it. */
if (process.env.N8N_USER_FOLDER === undefined) {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'n8n-engine-'));
	process.env.N8N_USER_FOLDER = folder;
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}
process.env.N8N_ENCRYPTION_KEY ??= ENCRYPTION_KEY;
process.env.N8N_LOG_LEVEL ??= 'silent';
process.env.N8N_DIAGNOSTICS_ENABLED = 'false';
