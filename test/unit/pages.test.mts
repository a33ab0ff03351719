import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INodeProperties, INodeType } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../pack.mts';

const PAGES = {
	Caas: 'caas',
	CaasLogsTrigger: 'logs-trigger',
	ChatCompletion: 'chat-completion',
	Explorer: 'explorer',
	LmChatCompute: 'chat-model',
	Rag: 'rag',
	Vmaas: 'vmaas',
};

const docs = join(projectFolder, 'docs');
const LARGEST_BYTES = 60_000;

function propertiesOf(node: string): INodeProperties[] {
	const nodes = createRequire(import.meta.url)(
		join(projectFolder, 'dist', 'nodes', node, `${node}.node.js`),
	) as Record<string, new () => INodeType>;
	const NodeType = nodes[node];
	if (NodeType === undefined) throw new Error(`${node} is not built`);
	return new NodeType().description.properties;
}

function choices(properties: INodeProperties[], name: string): string[] {
	return properties
		.filter((property) => property.name === name)
		.flatMap(({ options = [] }) => options.map((option) => option.name));
}

describe.each(Object.entries(PAGES))('the page of %s', (node, page) => {
	const text = readFileSync(join(docs, `${page}.md`), 'utf8');

	it('names every resource and operation of the node', () => {
		const properties = propertiesOf(node);
		const names = new Set([
			...choices(properties, 'resource'),
			...choices(properties, 'operation'),
		]);
		expect([...names].filter((name) => !text.includes(name))).toEqual([]);
	});

	it('shows pictures that exist and are small', () => {
		const pictures = [...text.matchAll(/!\[[^\]]+\]\((images\/[^)]+)\)/g)].map(([, path]) =>
			join(docs, path ?? ''),
		);
		expect(pictures.length).toBeGreaterThan(0);
		for (const picture of pictures) expect(statSync(picture).size).toBeLessThan(LARGEST_BYTES);
	});

	it('is linked from the README', () => {
		expect(readFileSync(join(projectFolder, 'README.md'), 'utf8')).toContain(`(docs/${page}.md)`);
	});
});
