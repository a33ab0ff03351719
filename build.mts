/**
 * Builds what is published into `dist`, and the same package on a clock of the tests into `dist-test`. The code is one
 * readable file, `index.js`, with names and the path of each source above its part; each node and credential has the small
 * file that n8n looks for. A file for each source takes four times as long to load (0.20 instead of 0.05 of `n8n-workflow`),
 * and n8n loads every node when it starts. Libraries are bundled, since n8n installs none. The schemas of outputs are files of
 * their own, which n8n reads when its editor asks.
 */
import {
	cpSync,
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform, type Plugin } from 'esbuild';
import { outputs as caas } from './nodes/Caas/outputs.ts';
import { outputs as chatCompletion } from './nodes/ChatCompletion/outputs.ts';
import { outputs as explorer } from './nodes/Explorer/outputs.ts';
import { outputs as rag } from './nodes/Rag/outputs.ts';
import { outputs as vmaas } from './nodes/Vmaas/outputs.ts';
import { schemaOf, type Outputs } from './nodes/shared/operation/output.ts';

const PROJECT = path.dirname(fileURLToPath(import.meta.url));

/** The package that the tests load. */
export const TEST_PACKAGE = path.join(PROJECT, 'dist-test');

/** The key in `globalThis` under which the test package looks up the functions of its clock. */
export const TEST_CLOCK = 'n8n-nodes-compute-marketplace.clock';

/** All code of the package, below `dist`. */
const BUNDLE = 'index.js';

/** What the items of each operation look like, by the folder of the node. */
const OUTPUTS: Record<string, Outputs> = {
	Caas: caas,
	ChatCompletion: chatCompletion,
	Explorer: explorer,
	Rag: rag,
	Vmaas: vmaas,
};

/** Where n8n looks for them, below the folder of a node of version 1. */
const SCHEMAS = '__schema__/v1.0.0';

/** The licences of the libraries, each under a heading with its name. */
const NOTICES = 'THIRD_PARTY_NOTICES.md';

/** A change to one source file, for tests that must notice it. */
export interface Change {
	/** Relative to the project. */
	file: string;
	from: string | RegExp;
	to: string;
}

/**
 * The functions of the package's only clock ask an object that tests change. In a block, so that no name elsewhere differs; in
 * `globalThis`, so that the object outlives the package when a test loads it again.
 */
const TEST_CLOCK_CHANGE: Change = {
	file: 'nodes/shared/time.ts',
	from: /$/,
	to: `
{
	const clock = (globalThis[Symbol.for('${TEST_CLOCK}')] ??= { now, elapsed, deadline, delay });
	now = () => clock.now();
	elapsed = () => clock.elapsed();
	deadline = (ms) => clock.deadline(ms);
	delay = (ms, signal) => clock.delay(ms, signal);
}
`,
};

export interface BuildSettings {
	/** Made to the sources on their way into the package; one whose text is not found is an error. */
	changes?: Change[];
	/** Whether tests can replace the functions of the clock. Nothing else differs from what is published. */
	hasTestClock?: boolean;
}

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
}

/** @param folder where `dist` will be, with a copy of `package.json` when it is not the project */
export async function buildPackage(
	folder: string,
	{ changes = [], hasTestClock = false }: BuildSettings = {},
): Promise<void> {
	const { nodes, credentials } = (
		JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as Manifest
	).n8n;
	const dist = path.join(folder, 'dist');
	rmSync(dist, { recursive: true, force: true });
	const entries = [...credentials, ...nodes].map((file) =>
		file.replace(/^dist\//, '').replace(/\.js$/, ''),
	);
	const { metafile } = await build({
		absWorkingDir: PROJECT,
		platform: 'node',
		format: 'cjs',
		target: 'es2022',
		charset: 'utf8',
		logLevel: 'silent',
		bundle: true,
		external: ['n8n-workflow', '@n8n/ai-node-sdk'],
		stdin: {
			contents: entries.map((entry) => `export * from './${entry}';`).join('\n'),
			resolveDir: PROJECT,
			loader: 'ts',
		},
		outfile: path.join(dist, BUNDLE),
		plugins: [changed(hasTestClock ? [...changes, TEST_CLOCK_CHANGE] : changes), shortLibraries],
		metafile: true,
	});
	for (const entry of entries) {
		const file = path.join(dist, `${entry}.js`);
		const className = path.basename(entry).split('.')[0];
		const bundle = path.relative(path.dirname(file), path.join(dist, BUNDLE));
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, `exports.${className} = require('${bundle}').${className};\n`);
		const codex = path.join(PROJECT, `${entry}.json`);
		if (existsSync(codex)) cpSync(codex, path.join(dist, `${entry}.json`));
	}
	for (const [node, outputs] of Object.entries(OUTPUTS))
		writeSchemas(path.join(dist, 'nodes', node, SCHEMAS), outputs);
	cpSync(path.join(PROJECT, 'icons'), path.join(dist, 'icons'), { recursive: true });
	const notices = noticesFor(Object.keys(metafile.inputs));
	if (notices !== undefined) writeFileSync(path.join(dist, NOTICES), notices);
	if (folder === PROJECT) return;
	cpSync(path.join(PROJECT, 'package.json'), path.join(folder, 'package.json'));
	const modules = path.join(folder, 'node_modules');
	if (!existsSync(modules)) symlinkSync(path.join(PROJECT, 'node_modules'), modules);
}

/** The file of each operation, from which n8n's editor shows the fields of its output before it was executed. */
function writeSchemas(folder: string, outputs: Outputs): void {
	for (const [resource, operations] of Object.entries(outputs)) {
		mkdirSync(path.join(folder, resource), { recursive: true });
		for (const [operation, output] of Object.entries(operations))
			writeFileSync(
				path.join(folder, resource, `${operation}.json`),
				`${JSON.stringify(schemaOf(output))}\n`,
			);
	}
}

/** The name of the library that a file belongs to. */
function libraryOf(file: string): string | undefined {
	return /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

/**
 * The licences of the libraries that are bundled.
 * @param inputs the files of the bundle
 */
function noticesFor(inputs: string[]): string | undefined {
	const libraries = new Set(inputs.map(libraryOf));
	libraries.delete(undefined);
	const [head, ...licences] = readFileSync(path.join(PROJECT, NOTICES), 'utf8').split(/^(?=## )/m);
	const wanted = [...libraries].map((library) => {
		const licence = licences.find((text) => text.startsWith(`## ${library}\n`));
		if (licence === undefined) throw new Error(`${NOTICES} has no licence of ${library}`);
		return licence;
	});
	return wanted.length > 0 ? [head, ...wanted].join('') : undefined;
}

function changed(changes: Change[]): Plugin {
	return {
		name: 'changed',
		setup({ onLoad }) {
			onLoad({ filter: /\.ts$/ }, ({ path: source }) => {
				const own = changes.filter(({ file }) => path.join(PROJECT, file) === source);
				if (own.length === 0) return undefined;
				let contents = readFileSync(source, 'utf8');
				for (const { file, from, to } of own) {
					const before = contents;
					contents = before.replace(from, () => to);
					if (contents === before) throw new Error(`${file} does not hold ${String(from)}`);
				}
				return { contents, loader: 'ts' };
			});
		},
	};
}

/** Short names and syntax in libraries, whose sources are public: what people read in the package is its own code. */
const shortLibraries: Plugin = {
	name: 'short libraries',
	setup({ onLoad }) {
		onLoad({ filter: /node_modules.*\.m?js$/ }, async ({ path: source }) => {
			const { code } = await transform(readFileSync(source, 'utf8'), {
				minifyIdentifiers: true,
				minifySyntax: true,
				charset: 'utf8',
			});
			return { contents: code, loader: 'js' };
		});
	},
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await buildPackage(PROJECT);
	await buildPackage(TEST_PACKAGE, { hasTestClock: true });
}
