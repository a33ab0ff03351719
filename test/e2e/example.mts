import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { projectFolder } from '../pack.mts';
import { runN8n, type Ended, type Home } from './n8n.mts';

export interface WorkflowFile {
	id?: string;
	name: string;
	nodes: Array<{
		name: string;
		credentials?: Record<string, { id?: string | null; name: string }>;
		[setting: string]: unknown;
	}>;
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

/** What n8n reports of a node: one entry for each time that it ran */
export type Runs = Record<
	string,
	Array<{
		executionStatus?: string;
		error?: { message: string };
		data?: { main?: Array<Array<{ json: IDataObject }> | null> };
	}>
>;

interface Execution {
	data: {
		resultData: {
			error?: { message: string };
			runData: Runs;
		};
	};
}

/** Secrets by credential type */
export type Secrets = Record<string, Record<string, unknown>>;

export function exampleFiles(): string[] {
	return readdirSync(join(projectFolder, 'examples')).filter((file) => file.endsWith('.json'));
}

export function readExample(file: string): WorkflowFile {
	return JSON.parse(readFileSync(join(projectFolder, 'examples', file), 'utf8')) as WorkflowFile;
}

export async function runExample(home: Home, file: string, secrets: Secrets): Promise<string[]> {
	return await runWorkflow(home, basename(file, '.json'), readExample(file), secrets);
}

/**
 * Imports a workflow and runs it, with n8n's own commands and nothing else. Gives the names of the nodes that ran, in the
 * order in which n8n reports them
 */
export async function runWorkflow(
	home: Home,
	name: string,
	workflow: WorkflowFile,
	secrets: Secrets,
): Promise<string[]> {
	return Object.keys(await runForData(home, name, workflow, secrets));
}

/** The same; gives what every node has put out */
export async function runForData(home: Home, name: string, workflow: WorkflowFile, secrets: Secrets): Promise<Runs> {
	const id = workflow.id ?? `Example${name.replace(/\W/g, '')}`;
	const credentials = new Map<string, unknown>();
	for (const node of workflow.nodes) {
		for (const [type, reference] of Object.entries(node.credentials ?? {})) {
			reference.id ??= `Credential${type}`;
			credentials.set(reference.id, { id: reference.id, name: reference.name, type, data: secrets[type] ?? {} });
		}
	}

	const workflowFile = join(home.folder, `${name}.json`);
	const credentialsFile = join(home.folder, `${name}.credentials.json`);
	writeFileSync(workflowFile, JSON.stringify({ active: false, ...workflow, id }));
	writeFileSync(credentialsFile, JSON.stringify([...credentials.values()]));
	await succeed(home, ['import:credentials', `--input=${credentialsFile}`], [0]);
	await succeed(home, ['import:workflow', `--input=${workflowFile}`], [0]);

	// When n8n has printed the result, its expression engine now and then crashes while the process ends
	const output = await succeed(home, ['execute', `--id=${id}`, '--rawOutput'], [0, 'SIGSEGV']);
	const { resultData } = executionIn(output).data;
	const failed = Object.entries(resultData.runData).flatMap(([node, runs]) =>
		runs
			.filter((run) => run.executionStatus !== 'success')
			.map((run) => `${node}: ${run.error?.message ?? run.executionStatus}`),
	);
	if (resultData.error !== undefined || failed.length > 0) {
		throw new Error([resultData.error?.message, ...failed].filter(Boolean).join('\n'));
	}
	return resultData.runData;
}

async function succeed(home: Home, args: string[], endings: Array<Ended['ending']>): Promise<string> {
	const { ending, output } = await runN8n(home, args);
	if (!endings.includes(ending)) throw new Error(`n8n ${args.join(' ')} ended with ${ending}:\n${output}`);
	return output;
}

/** n8n prints lines of its log before and after the result */
function executionIn(output: string): Execution {
	const begin = /^\{/m.exec(output)?.index ?? -1;
	const end = output.lastIndexOf('\n}');
	const text = begin < 0 ? '' : output.slice(begin, end < 0 ? undefined : end + 2);
	try {
		return JSON.parse(text) as Execution;
	} catch {
		throw new Error(`n8n printed no result:\n${output}`);
	}
}
