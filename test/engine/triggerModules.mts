import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { INodeType } from 'n8n-workflow';
import { packageFolder } from './engine.mts';

const require = createRequire(import.meta.url);

/** The class of a trigger as this process has loaded it. */
export function loadTrigger(name: string): new () => INodeType {
	const className = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
	const loaded = require(
		`${packageFolder()}/dist/nodes/${className}/${className}.node.js`,
	) as Record<string, new () => INodeType>;
	const Type = loaded[className];
	if (!Type) throw new Error(`There is no trigger ${name}`);
	return Type;
}

/** The process ends: its modules, and what they hold in memory, are loaded again. */
export function forgetModules(): void {
	const dist = `${realpathSync(packageFolder())}/dist/`;
	for (const file of Object.keys(require.cache))
		if (file.startsWith(dist)) Reflect.deleteProperty(require.cache, file);
}
