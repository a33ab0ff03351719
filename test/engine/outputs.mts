import path from 'node:path';
import { loadOutputSchema, type PackageDirectoryLoader } from 'n8n-core';
import type { IDataObject, INode, IRun } from 'n8n-workflow';
import { isSent } from '../sandbox/core/sent.mts';
import { PROJECT } from './loaded.mts';

/** The part of JSON Schema that the files of this package use. */
export interface OutputSchema {
	type?: string | string[];
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
	additionalProperties?: false;
	version?: number;
}

/** The schema of an operation, found as n8n finds it; undefined where it has none. */
export function outputSchema(
	{ known }: PackageDirectoryLoader,
	node: string,
	resource: string,
	operation: string,
): OutputSchema | undefined {
	const { sourcePath } = known.nodes[node] ?? {};
	if (sourcePath === undefined) throw new Error(`There is no node ${node}`);
	const nodeDir = path.dirname(sourcePath);
	return loadOutputSchema({ nodeDir, version: 1, resource, operation }) as OutputSchema | undefined;
}

/** What an output shows beside its schema. Paths are `.sources[].text`. */
export interface Comparison {
	/** The fields that the schema lists. */
	shown: Set<string>;
	/** The fields that it does not list, and whether the schema lets the service add some. */
	unlisted: Array<{ path: string; key: string; isOpen: boolean }>;
	/** Values of another type, in words. */
	misfits: string[];
}

/** Compares values with the schema of each. */
export function compare(schema: OutputSchema, values: unknown[]): Comparison {
	const found: Comparison = { shown: new Set(), unlisted: [], misfits: [] };
	for (const value of values) look(schema, value, '', found);
	return found;
}

function look(schema: OutputSchema, value: unknown, place: string, found: Comparison): void {
	const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
	if (![schema.type].flat().includes(type)) {
		found.misfits.push(`${place} is ${type}: ${JSON.stringify(value)?.slice(0, 100)}`);
		return;
	}
	const { properties, items } = schema;
	if (items && Array.isArray(value))
		for (const entry of value) look(items, entry, `${place}[]`, found);
	if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return;
	for (const [key, field] of Object.entries(value)) {
		const at = `${place}.${key}`;
		const listed = properties[key];
		if (listed) {
			found.shown.add(at);
			look(listed, field, at, found);
		} else {
			const isOpen = schema.additionalProperties !== false;
			found.unlisted.push({ path: at, key, isOpen });
		}
	}
}

/** Options that make another output of it. The schema is that of their defaults, and what is simplified or selected fits it. */
const isReshaped = (node: string, { simplify, output, groupBy, options }: IDataObject): boolean =>
	(node === 'chatCompletion' && simplify === false) ||
	(node === 'explorer' && !['device', undefined].includes(output as string | undefined)) ||
	!['none', undefined].includes(groupBy as string | undefined) ||
	!['chunks', undefined].includes(((options ?? {}) as IDataObject).output as string | undefined);

const contradictions = new Set<string>();

/** Compares what the nodes of this package have put out with their schemas: each field is listed, or the service has sent it. */
export function watchOutputs(loader: PackageDirectoryLoader, nodes: INode[], { data }: IRun): void {
	// The package as it is published: of that the speed is measured
	if (loader.directory === PROJECT) return;
	for (const { name, type, parameters } of nodes) {
		const node = type.startsWith(`${loader.packageName}.`)
			? type.split('.')[1]?.replace(/Tool$/, '')
			: undefined;
		const { resource, operation, ...others } = parameters as IDataObject;
		if (node === undefined || typeof resource !== 'string' || typeof operation !== 'string')
			continue;
		const schema = outputSchema(loader, node, resource, operation);
		if (!schema || isReshaped(node, others)) continue;
		const items = (data.resultData.runData[name] ?? [])
			.flatMap((task) => task.data?.main?.[0] ?? [])
			.map(({ json }) => json)
			.filter(({ error }) => typeof error !== 'string');
		for (const { path: place, key, isOpen } of compare(schema, items).unlisted)
			if (!isOpen || !isSent(key))
				contradictions.add(
					`${node} ${resource} ${operation} puts out ${place}, which its schema does not list`,
				);
	}
}

/** What was found since the last call. */
export function takeContradictions(): string[] {
	const found = [...contradictions];
	contradictions.clear();
	return found;
}
