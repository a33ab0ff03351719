/**
 * Builds what is published into `dist`, and the same package on a clock of the tests into `dist-test`. The code is readable
 * CommonJS without comments, in parts: one file for each folder of `nodes`, so that a stack trace names node and function. Each
 * credential has its own, as n8n wants it. One file for each source file would name more, but takes 2.4 times as long to load,
 * and n8n loads every node when it starts. Libraries go into `dist/vendor`, since n8n installs none.
 */
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';

const PROJECT = path.dirname(fileURLToPath(import.meta.url));

/** The package that the tests load. */
export const TEST_PACKAGE = path.join(PROJECT, 'dist-test');

/** The key in `globalThis` under which the test package looks up the functions of its clock. */
export const TEST_CLOCK = 'n8n-nodes-compute-marketplace.clock';

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
	const clock = (globalThis[Symbol.for('${TEST_CLOCK}')] ??= { now, deadline, delay });
	now = () => clock.now();
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

const OPTIONS: BuildOptions = {
	absWorkingDir: PROJECT,
	platform: 'node',
	format: 'cjs',
	target: 'es2022',
	charset: 'utf8',
	logLevel: 'silent',
};

/** @param folder where `dist` will be, with a copy of `package.json` when it is not the project */
export async function buildPackage(
	folder: string,
	{ changes = [], hasTestClock = false }: BuildSettings = {},
): Promise<void> {
	const { nodes, credentials } = (
		JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as Manifest
	).n8n;
	const entries = [...credentials, ...nodes].map((file) =>
		file.replace(/^dist\//, '').replace(/\.js$/, '.ts'),
	);
	const dist = path.join(folder, 'dist');
	rmSync(dist, { recursive: true, force: true });

	const options: BuildOptions = {
		...OPTIONS,
		outdir: dist,
		bundle: true,
		external: ['n8n-workflow', '@n8n/ai-node-sdk'],
	};
	const edits = changed(hasTestClock ? [...changes, TEST_CLOCK_CHANGE] : changes);
	const { metafile } = await build({
		...options,
		entryPoints: entries,
		plugins: [edits],
		metafile: true,
		write: false,
	});
	const { entryPoints, plugin } = await parts(metafile.inputs, entries, edits);
	await build({ ...options, entryPoints, plugins: [edits, plugin] });

	for (const node of nodes) {
		const codex = node.replace(/\.js$/, '.json');
		cpSync(path.join(PROJECT, codex.replace(/^dist\//, '')), path.join(folder, codex));
	}
	cpSync(path.join(PROJECT, 'icons'), path.join(dist, 'icons'), { recursive: true });
	const notices = noticesFor(metafile.inputs);
	if (notices !== undefined) writeFileSync(path.join(dist, NOTICES), notices);
	if (folder === PROJECT) return;
	cpSync(path.join(PROJECT, 'package.json'), path.join(folder, 'package.json'));
	const modules = path.join(folder, 'node_modules');
	if (!existsSync(modules)) symlinkSync(path.join(PROJECT, 'node_modules'), modules);
}

type Inputs = Metafile['inputs'];
type Import = Inputs[string]['imports'][number];

/**
 * Divides the sources into the files of `dist`. Each exports what others import from it, as plain properties at its end: the
 * accessors that esbuild makes of `export` cost a tenth of the time to load.
 */
async function parts(inputs: Inputs, entries: string[], edits: Plugin) {
	/** The file of `dist` that a source file goes into, without its ending. */
	const partOf = (file: string) => {
		const folder = file.split('/', 2).join('/');
		const node = entries.find((entry) => path.posix.dirname(entry) === folder);
		return (node ?? folder).replace(/\.ts$/, '');
	};
	const targetOf = ({ path: file, original = '' }: Import) =>
		libraryOf(file) ? `vendor/${original}` : partOf(file);

	const libraries = new Map<string, string>();
	/** The source files of each part that others import. */
	const used = new Map(entries.map((entry) => [partOf(entry), new Set([entry])]));
	for (const [file, { imports }] of Object.entries(inputs)) {
		if (libraryOf(file)) continue;
		for (const found of imports) {
			const target = targetOf(found);
			if (found.external || target === partOf(file)) continue;
			if (libraryOf(found.path)) libraries.set(target, found.original ?? '');
			else used.set(target, (used.get(target) ?? new Set()).add(found.path));
		}
	}
	const exported = await exportsOf(
		[...used.values()].flatMap((files) => [...files]),
		edits,
	);
	const contentsOf = (part: string) => {
		const files = [...(used.get(part) ?? [])].sort();
		const names = files.map((file) => exported.get(file) ?? []);
		return [
			...files.map((file, index) => `import { ${names[index]?.join(', ')} } from './${file}';`),
			`module.exports = {\n${names.flat().sort().join(',\n')} };`,
		].join('\n');
	};

	const plugin: Plugin = {
		name: 'parts',
		setup({ onResolve, onLoad }) {
			onResolve({ filter: /^exports:/ }, ({ path: name }) => ({
				path: name.slice('exports:'.length),
				namespace: 'exports',
			}));
			onLoad({ filter: /./, namespace: 'exports' }, ({ path: part }) => ({
				contents: contentsOf(part),
				resolveDir: PROJECT,
			}));
			onResolve({ filter: /./ }, ({ path: original, importer }) => {
				const file = path.relative(PROJECT, importer);
				const found = inputs[file]?.imports.find((other) => other.original === original);
				if (!found || found.external || libraryOf(file)) return undefined;
				const [from, to] = [partOf(file), targetOf(found)];
				if (from === to) return undefined;
				const relative = path.posix.relative(path.posix.dirname(from), to);
				return { path: `${relative.startsWith('.') ? '' : './'}${relative}.js`, external: true };
			});
		},
	};
	const entryPoints = [
		...[...used.keys()].map((part) => ({ in: `exports:${part}`, out: part })),
		...[...libraries].map(([part, library]) => ({ in: library, out: part })),
	];
	return { entryPoints, plugin };
}

/** What each file exports. By name, so that the build fails where two files of a part export the same. */
async function exportsOf(files: string[], edits: Plugin): Promise<Map<string, string[]>> {
	const { metafile } = await build({
		...OPTIONS,
		format: 'esm',
		entryPoints: files,
		plugins: [edits],
		outdir: PROJECT,
		metafile: true,
		write: false,
	});
	return new Map(
		Object.values(metafile.outputs).map(({ entryPoint = '', exports }) => [entryPoint, exports]),
	);
}

/** The name of the library that a file belongs to. */
function libraryOf(file: string): string | undefined {
	return /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

/** The licences of the libraries that are bundled. */
function noticesFor(inputs: Inputs): string | undefined {
	const libraries = new Set(Object.keys(inputs).map(libraryOf));
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await buildPackage(PROJECT);
	await buildPackage(TEST_PACKAGE, { hasTestClock: true });
}
