/**
 * Builds what is published into dist: one minified bundle with all nodes and credentials, and for each of them the small
 * file that n8n looks for. In separate files the package took one and a half times as long to load and a quarter more to
 * download; n8n loads all nodes at its start, also those that nobody uses.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'esbuild';

const PROJECT = path.dirname(fileURLToPath(import.meta.url));

/** Stays a file of its own, so that tests can put another clock in its place. */
const TIME = 'nodes/shared/time';

/** A change to one source file, for tests that must notice it. */
export interface Change {
	/** Relative to the project. */
	file: string;
	from: string;
	to: string;
}

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
}

/**
 * @param folder where `package.json` stands (a copy is made elsewhere than in the project) and `dist` will be
 * @param changes made to the sources on their way into the bundle; one whose text is not found is an error
 */
export async function buildPackage(folder = PROJECT, changes: Change[] = []): Promise<void> {
	const { nodes, credentials } = (
		JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as Manifest
	).n8n;
	// gzip looks back 32 kB: the package is smaller where what is alike stands side by side, as in the order of the manifest
	const entries = [...credentials, ...nodes].map((file) =>
		file.slice('dist/'.length, -'.js'.length),
	);
	const dist = path.join(folder, 'dist');
	rmSync(dist, { recursive: true, force: true });
	const options: BuildOptions = {
		absWorkingDir: PROJECT,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'es2022',
		minify: true,
		external: ['n8n-workflow', '@n8n/ai-node-sdk'],
		logLevel: 'error',
	};
	await build({
		...options,
		stdin: {
			contents: entries.map((entry) => `export * from './${entry}';`).join('\n'),
			resolveDir: PROJECT,
			loader: 'ts',
		},
		outfile: path.join(dist, 'index.js'),
		plugins: [timeOutside, changed(changes)],
	});
	// esbuild exports getters; plain properties are what a test can replace
	const footer = { js: 'module.exports = { ...module.exports };' };
	await build({
		...options,
		entryPoints: [`${TIME}.ts`],
		outfile: path.join(dist, `${TIME}.js`),
		footer,
	});
	for (const entry of entries) {
		const file = path.join(dist, `${entry}.js`);
		const className = path.basename(entry).split('.')[0];
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(
			file,
			`exports.${className} = require('${path.relative(path.dirname(file), path.join(dist, 'index.js'))}').${className};\n`,
		);
		if (nodes.includes(`dist/${entry}.js`))
			cpSync(path.join(PROJECT, `${entry}.json`), path.join(dist, `${entry}.json`));
	}
	cpSync(path.join(PROJECT, 'icons'), path.join(dist, 'icons'), { recursive: true });
	if (folder === PROJECT) return;
	cpSync(path.join(PROJECT, 'package.json'), path.join(folder, 'package.json'));
	symlinkSync(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'));
}

const timeOutside: Plugin = {
	name: 'time outside',
	setup({ onResolve }) {
		onResolve({ filter: /\/time$/ }, () => ({ path: `./${TIME}.js`, external: true }));
	},
};

function changed(changes: Change[]): Plugin {
	return {
		name: 'changed',
		setup({ onLoad }) {
			for (const { file, from, to } of changes) {
				onLoad({ filter: new RegExp(`${file.replaceAll('.', '\\.')}$`) }, ({ path: source }) => {
					const text = readFileSync(source, 'utf8');
					if (!text.includes(from)) throw new Error(`${file} does not hold "${from}"`);
					return { contents: text.replace(from, to), loader: 'ts' };
				});
			}
		},
	};
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage();
