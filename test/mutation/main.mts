/**
 * `npm run test:mutation -- ROOM [PART] [STRYKER'S OPTIONS]`: Stryker changes the sources of a room, one place at a time, and the
 * tests of the room have to notice. A part such as `3/20` is every 20th block of lines from the third on: a sample of all files
 * of the room, and the shard of one night.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { projectFolder } from '../pack.mts';

interface Room {
	/** Folders of `nodes`. */
	folders: string[];
	/** The tests that are asked, but for those of `test/unit`, which all rooms ask. */
	tests: string[];
}

const integration = (names: string) => `test/integration/{${names}}.test.mts`;
const contract = (names: string) => `test/contract/{${names}}.test.mts`;
const review = (room: string) => `test/review/${room}/*.test.mts`;

const ROOMS: Record<string, Room> = {
	shared: {
		folders: ['shared'],
		// Those of the shared code itself, and the fastest of those that use all of it
		tests: [
			integration(
				'request,exchange,stream,pages,operation*,http,execute*,bad-*,oauth2,deploy,list-search,tool,rag-documents*,rag-groups,ssh-*,unknown-outcome-*,waitFor',
			),
		],
	},
	marketplace: {
		folders: ['marketplace', 'Vmaas', 'Caas', 'Explorer'],
		tests: [
			// All but those of the other rooms
			'test/integration/!(chat*|compute-trigger*|embeddings*|logs*|paid-results|rag-*|sandbox*|sub-nodes).test.mts',
			contract(
				'caas*,container,deploy*,device*,extend-destroy,hardware,log-get-many,price,service,vms',
			),
			review('money'),
			review('jobs'),
		],
	},
	intelligence: {
		folders: [
			'intelligence',
			'ChatCompletion',
			'EmbeddingsCompute',
			'LmChatCompute',
			'MemoryCompute',
			'Rag',
			'RetrieverCompute',
		],
		tests: [
			integration(
				'chat,chat-{breaks,guided,independent,limits,lists,messages,schema,strange,stream*,timeouts,whole},embeddings*,paid-results,rag-*,sub-nodes',
			),
			contract('chat*,embedding-agent,rag*'),
			review('intelligence'),
		],
	},
	triggers: {
		folders: ['CaasLogsTrigger', 'ComputeTrigger'],
		tests: [integration('compute-trigger*,logs*'), contract('log'), review('logs')],
	},
};

const LINES_OF_A_BLOCK = 40;

const [name = '', ...rest] = process.argv.slice(2);
const room = ROOMS[name];
if (!room) throw new Error(`"${name}" is not one of ${Object.keys(ROOMS).join(', ')}`);
const [, number, parts] = rest[0]?.match(/^(\d+)\/(\d+)$/) ?? [];
const files = room.folders.flatMap(sourcesIn).sort();
const mutated =
	number === undefined
		? files
		: files.flatMap(blocksOf).filter((_, index) => index % Number(parts) === Number(number) - 1);

const { status } = spawnSync(
	'npx',
	[
		...['stryker', 'run', 'test/mutation/stryker.config.mjs', '--mutate', mutated.join(',')],
		...rest.slice(number === undefined ? 0 : 1),
	],
	{
		cwd: projectFolder,
		stdio: 'inherit',
		env: { ...process.env, MUTATION_TESTS: JSON.stringify(room.tests) },
	},
);
process.exitCode = status ?? 1;

function sourcesIn(folder: string): string[] {
	return readdirSync(`${projectFolder}/nodes/${folder}`, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => `nodes/${folder}/${file}`);
}

function blocksOf(file: string): string[] {
	const lines = readFileSync(`${projectFolder}/${file}`, 'utf8').split('\n').length;
	return Array.from({ length: Math.ceil(lines / LINES_OF_A_BLOCK) }, (_, index) => {
		const start = index * LINES_OF_A_BLOCK + 1;
		return `${file}:${start}-${Math.min(lines, start + LINES_OF_A_BLOCK - 1)}`;
	});
}
