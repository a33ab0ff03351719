import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What stands in for n8n's SDK for AI nodes: it hands out what the package gives it. */
const SDK = `
class WindowedChatMemory { constructor(history, config) { this.history = history; this.config = config; } }
module.exports = {
	WindowedChatMemory,
	supplyMemory: (functions, memory) => ({ response: memory.history, memory }),
	supplyModel: (functions, model) => ({ response: model }),
	getParametersJsonSchema: (tool) => tool.inputSchema,
};`;

/** Lets the package find it, as it finds n8n's own. */
export function provideSdk(): void {
	const folder = mkdtempSync(path.join(tmpdir(), 'sdk-'));
	const own = path.join(folder, '@n8n', 'ai-node-sdk');
	mkdirSync(own, { recursive: true });
	writeFileSync(path.join(own, 'package.json'), '{"name":"@n8n/ai-node-sdk","main":"index.js"}');
	writeFileSync(path.join(own, 'index.js'), SDK);
	process.env.NODE_PATH = [folder, process.env.NODE_PATH].filter(Boolean).join(path.delimiter);
	(Module as unknown as { _initPaths(): void })._initPaths();
}
