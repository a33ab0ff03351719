/**
 * `npx tsx test/e2e/install.mts`: a pinned real n8n with its own Node.js, in a folder of the user's cache that all clones share.
 * It takes minutes and 2.3 GB the first time, and nothing after that.
 */
import { execFileSync } from 'node:child_process';
import {
	closeSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	readdirSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFolder, unpack } from '../pack.mts';

const PINNED = join(projectFolder, 'test', 'n8n');
const FILES = ['package.json', 'package-lock.json'];

/** Where it is installed. Another folder: `REAL_N8N` */
export const installation =
	process.env.REAL_N8N ?? join(homedir(), '.cache', 'n8n-nodes-compute-marketplace', 'n8n');

/** Its commands, and the Node.js that they run on */
export const binaries = join(installation, 'node_modules', '.bin');

/** Native add-ons of n8n: prebuilt where there is one for this system and it can be fetched, compiled otherwise */
const NATIVE = ['sqlite3', 'isolated-vm'];

const LINES_SHOWN = 30;

/** Installs n8n unless exactly this one is there already */
export function installN8n(): void {
	const ready = join(installation, '.ready');
	if (
		existsSync(ready) &&
		FILES.every((file) => isSame(join(PINNED, file), join(installation, file)))
	)
		return;
	console.log(`Installing n8n in ${installation}: some minutes, once`);
	mkdirSync(installation, { recursive: true });
	rmSync(ready, { force: true });
	for (const file of FILES) cpSync(join(PINNED, file), join(installation, file));
	// `install`, not `ci`: optional packages for other systems are missing from the lock. Scripts run below, where needed
	npm([
		'install',
		'--ignore-scripts',
		'--legacy-peer-deps',
		'--prefer-offline',
		'--no-audit',
		'--no-fund',
	]);
	npm(['rebuild', 'node']);
	npm(['rebuild', ...NATIVE], headers());
	// npm may write the lock in another order; a second start compares it with ours
	cpSync(join(PINNED, 'package-lock.json'), join(installation, 'package-lock.json'));
	writeFileSync(ready, '');
}

/** What n8n's page of a public chat loads from a network for files, in its latest version */
const CHAT = { name: '@n8n/chat', version: '1.37.0' };

/** The folder of the files that the page of a public chat loads. Fetched once, with npm */
export function installChatPage(): string {
	const folder = join(dirname(installation), `chat-${CHAT.version}`);
	if (!existsSync(folder)) {
		const packed = mkdtempSync(`${folder}-`);
		npm(['pack', `${CHAT.name}@${CHAT.version}`, '--pack-destination', packed]);
		const [tarball = ''] = readdirSync(packed);
		unpack({ path: join(packed, tarball) }, packed);
		renameSync(packed, folder);
	}
	return join(folder, 'dist');
}

/** Its output goes to a file, since compilers warn about what is not ours; the end of it is shown when it did not work */
function npm(args: string[], settings: NodeJS.ProcessEnv = {}): void {
	const log = join(installation, 'install.log');
	const file = openSync(log, 'a');
	try {
		execFileSync('npm', [...args, '--foreground-scripts', '--loglevel=error'], {
			cwd: installation,
			// A npm that runs this script hands its own settings down, such as that no scripts shall run
			env: {
				...outside(/^npm_/i),
				...settings,
				PATH: [binaries, process.env.PATH].join(delimiter),
			},
			stdio: ['ignore', file, file],
		});
	} catch (error) {
		console.error(readFileSync(log, 'utf8').split('\n').slice(-LINES_SHOWN).join('\n'));
		throw error;
	} finally {
		closeSync(file);
	}
}

/**
 * The C++ headers that came with the Node.js that n8n runs on, so that nothing has to be fetched in order to compile. Where
 * there are none, the compiler's own tool fetches them
 */
function headers(): NodeJS.ProcessEnv {
	const modules = join(installation, 'node_modules');
	const found = [join(modules, 'node', 'node_modules'), modules]
		.filter((folder) => existsSync(folder))
		.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
		.find((folder) => existsSync(join(folder, 'include', 'node', 'common.gypi')));
	return found === undefined ? {} : { npm_config_nodedir: found };
}

/** Whether two JSON files say the same. How they are formatted does not matter: an installation takes minutes */
function isSame(one: string, other: string): boolean {
	const read = (file: string) => JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
	return existsSync(other) && read(one) === read(other);
}

/** The environment of this process without the variables whose name matches */
export function outside(names: RegExp): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.test(name)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installN8n();
