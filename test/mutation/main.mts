/**
 * `npm run test:mutation -- ROOM [PART] [changed] [STRYKER'S OPTIONS]`: Stryker changes the sources of a room, one place at a time, and
 * the tests of the room have to notice. A part such as `3/20` is every 20th block of lines from the third on: a sample of all files
 * of the room, and the shard of one night. `changed` adds the files that the commits of the last day have changed.
 *
 * Results are kept in `reports/mutation-ROOM.json`: what is as it was is not tried again, so the score of a night is that of all
 * shards so far, of the sources as they are. `--force` tries it again.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../pack.mts';

interface Room {
	/** Folders of `nodes`. Those inside one that are a room of their own are not part of it. */
	folders: string[];
	/** The tests that are asked beside those of `test/unit` that import its sources. */
	tests: string[];
}

const UNIT_TESTS = 'test/unit';

// The empty name makes braces of a single one alternatives, too
const integration = (names: string) => `test/integration/{${names},}.test.mts`;
const contract = (names: string) => `test/contract/{${names},}.test.mts`;
const review = (room: string) => `test/review/${room}/*.test.mts`;

const ROOMS: Record<string, Room> = {
	shared: {
		folders: ['shared'],
		// Those of the shared code itself, and the fastest of those that use all of it
		tests: [
			`${UNIT_TESTS}/*.test.mts`,
			integration(
				'request,exchange,stream,pages*,operation*,http,execute*,bad-*,oauth2,deploy,deploy-lost-answers,list-search,tool,rag-documents*,rag-groups,rag-errors,simplify,unknown-outcome-*,waitFor,waitFor-outages,deployment-filters,caas-secrets',
			),
			contract('log-get-many,simplified,output-schemas,frozen/interface'),
		],
	},
	// Its tests start servers and processes, which the rest of the shared code need not wait for
	ssh: {
		folders: ['shared/ssh'],
		tests: [integration('ssh-*')],
	},
	marketplace: {
		folders: ['marketplace', 'Vmaas', 'Caas', 'Explorer'],
		tests: [
			// All but those of the other rooms
			'test/integration/!(chat*|compute-trigger*|embeddings*|logs*|memory*|paid-results|rag-*|sandbox*|sub-nodes).test.mts',
			contract(
				'caas*,container,deploy*,device*,extend-destroy,hardware,log-get-many,price,service,vms,output-schemas,frozen/interface',
			),
			review('{money*,jobs,watch}'),
		],
	},
	intelligence: {
		folders: ['intelligence', 'ChatCompletion', 'EmbeddingsCompute', 'Rag', 'RetrieverCompute'],
		tests: [
			integration(
				'chat,chat-{breaks,guided,independent,limits,lists,messages,schema,strange,stream*,timeouts,whole},embeddings*,paid-results,rag-*,sub-nodes',
			),
			contract('chat*,embedding-agent,rag*,output-schemas,frozen/interface'),
			review('intelligence*'),
		],
	},
	// With the SDK of a real n8n, which a process either has or has not
	models: {
		folders: ['LmChatCompute'],
		tests: [integration('chat-{adapter,breaks,model}')],
	},
	// With what stands in for that SDK
	memory: {
		folders: ['MemoryCompute'],
		tests: [integration('memory*'), 'test/review/intelligence*/{memory,rag-memory}*.test.mts'],
	},
	triggers: {
		folders: ['CaasLogsTrigger', 'ComputeTrigger'],
		tests: [integration('compute-trigger*,logs*'), contract('log,frozen/interface')],
	},
};

const LINES_OF_A_BLOCK = 40;

const FILES_OF_A_GROUP = 8;
/** Tests of functions are short: what takes so long never comes to an end. */
const TIMEOUT_MS_OF_FUNCTIONS = 15_000;
const IMPORTED = /\b(?:from|import\()\s*'(\.[^']+)'/g;

/** A night and the time until its run begins. */
const RECENT = '25 hours ago';

/** What this file needs of Stryker's report. */
interface Report {
	files: Record<string, { mutants: Mutant[] }>;
}
interface Mutant {
	status: string;
	location: { start: { line: number }; end: { line: number } };
}

const [name = '', ...rest] = process.argv.slice(2);
const reportFile = `reports/mutation-${name}.json`;
const room = ROOMS[name];
if (!room) throw new Error(`"${name}" is not one of ${Object.keys(ROOMS).join(', ')}`);
const inner = Object.values(ROOMS)
	.flatMap(({ folders }) => folders)
	.filter((folder) => room.folders.some((outer) => folder.startsWith(`${outer}/`)));
const files = room.folders
	.flatMap(sourcesIn)
	.filter((file) => !inner.some((folder) => file.startsWith(`nodes/${folder}/`)))
	.sort();
const isPart = (word: string) => word === 'changed' || /^\d+\/\d+$/.test(word);
const parts = rest.filter(isPart);
const mutated = parts.length === 0 ? files : [...new Set(parts.flatMap(filesOf))];
if (mutated.length === 0) process.exit();

const options = rest.filter((word) => !isPart(word));
const importers = unitTestsBySource();
for (const some of groupsOf(mutated)) {
	const tests = unitTestsOf(some);
	if (tests.length > 0)
		run(some, tests, [...options, '--timeoutMS', String(TIMEOUT_MS_OF_FUNCTIONS)]);
}
mutated.forEach(forgetUnreached);
process.exitCode = run(
	mutated,
	[...unitTestsOf(files), ...room.tests],
	// What has just been tried need not be tried again
	options.filter((word) => word !== '--force'),
);

function run(sources: string[], tests: string[], options: string[]): number {
	const { status } = spawnSync(
		'npx',
		[
			...['stryker', 'run', 'test/mutation/stryker.config.mjs', '--mutate', sources.join(',')],
			...['--incremental', '--incrementalFile', reportFile],
			...options,
		],
		{
			cwd: projectFolder,
			stdio: 'inherit',
			env: { ...process.env, MUTATION_TESTS: JSON.stringify(tests) },
		},
	);
	return status ?? 1;
}

/**
 * What no test of functions reaches is not known yet: most of it runs while the package is loaded, which Stryker only finds where it
 * tries a mutant anew, and leaves out.
 */
function forgetUnreached(source: string): void {
	const report = `${projectFolder}/${reportFile}`;
	if (!existsSync(report)) return;
	const [, first = 1, last = Infinity] = (/:(\d+)-(\d+)$/.exec(source) ?? []).map(Number);
	const { files: results, ...others } = JSON.parse(readFileSync(report, 'utf8')) as Report;
	const result = results[fileOf(source)];
	if (!result) return;
	result.mutants = result.mutants.filter(
		({ status, location: { start, end } }) =>
			status !== 'NoCoverage' || start.line < first || end.line > last,
	);
	writeFileSync(report, JSON.stringify({ ...others, files: results }));
}

/** So many files that the start of a run is little beside it, and so few that their tests are soon read. */
function groupsOf(sources: string[]): string[][] {
	const names = [...new Set(sources.map(fileOf))];
	const groups = new Map<number, string[]>();
	for (const source of sources) {
		const number = Math.floor(names.indexOf(fileOf(source)) / FILES_OF_A_GROUP);
		groups.set(number, [...(groups.get(number) ?? []), source]);
	}
	return [...groups.values()];
}

/** Of a file, or of some of its lines. */
function fileOf(source: string): string {
	return source.replace(/:.*/, '');
}

function unitTestsOf(sources: string[]): string[] {
	return [...new Set(sources.flatMap((source) => importers.get(fileOf(source)) ?? []))];
}

/** Which test files of functions import a source, themselves or with what they share. */
function unitTestsBySource(): Map<string, string[]> {
	const importers = new Map<string, string[]>();
	for (const test of readdirSync(`${projectFolder}/${UNIT_TESTS}`))
		if (test.endsWith('.test.mts'))
			for (const source of importsOf(`${UNIT_TESTS}/${test}`))
				importers.set(source, [...(importers.get(source) ?? []), `${UNIT_TESTS}/${test}`]);
	return importers;
}

function importsOf(test: string, seen = new Set([test])): Set<string> {
	for (const [, name = ''] of readFileSync(`${projectFolder}/${test}`, 'utf8').matchAll(IMPORTED)) {
		const file = path.posix.join(path.posix.dirname(test), name);
		if (seen.has(file)) continue;
		seen.add(file);
		if (file.startsWith(`${UNIT_TESTS}/`)) importsOf(file, seen);
	}
	return seen;
}

function sourcesIn(folder: string): string[] {
	return readdirSync(`${projectFolder}/nodes/${folder}`, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => `nodes/${folder}/${file}`);
}

function filesOf(part: string): string[] {
	if (part === 'changed') return changedFiles().filter((file) => files.includes(file));
	const [number = 0, parts = 1] = part.split('/').map(Number);
	return files.flatMap(blocksOf).filter((_, index) => index % parts === number - 1);
}

function changedFiles(): string[] {
	const log = ['log', `--since=${RECENT}`, '--name-only', '--format='];
	return execFileSync('git', log, { cwd: projectFolder, encoding: 'utf8' }).split('\n');
}

function blocksOf(file: string): string[] {
	const lines = readFileSync(`${projectFolder}/${file}`, 'utf8').split('\n').length;
	return Array.from({ length: Math.ceil(lines / LINES_OF_A_BLOCK) }, (_, index) => {
		const start = index * LINES_OF_A_BLOCK + 1;
		return `${file}:${start}-${Math.min(lines, start + LINES_OF_A_BLOCK - 1)}`;
	});
}
