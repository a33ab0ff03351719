import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, describe, expect, it } from 'vitest';
import { packageFolder } from '../engine/engine.mts';
import { compare, outputSchema, type OutputSchema } from '../engine/outputs.mts';
import { startFixture } from '../engine/start.mts';
import { useJobs } from '../integration/jobFixture.mts';
import { allOperations } from '../property/hostile/nodes.mts';
import { sampleOutputs, SELDOM } from './output-samples.mts';

/** What n8n's editor shows of an output before it was executed, beside what the operations put out on the sandbox. */
const first = await startFixture();
const { loader } = first.engine;
const operations = allOperations(first.engine);
await first.sandbox.close();
const jobs = useJobs();

/** The fee of a price has the name of the service in its name: no schema can list it. */
const FEE = /^\.svc_fee(_percent)?$/;

function schemaOf(title: string): OutputSchema {
	const [node = '', resource = '', operation = ''] = title.split(' ');
	const schema = outputSchema(loader, node, resource, operation);
	if (!schema) throw new Error(`${title} has no schema`);
	return schema;
}

/** The place of each field, as in a comparison, with what lists it. */
function fieldsOf(schema: OutputSchema, place = ''): Array<{ place: string; remove(): void }> {
	const { items, properties = {} } = schema;
	return [
		...(items ? fieldsOf(items, `${place}[]`) : []),
		...Object.entries(properties).flatMap(([name, field]) => [
			{ place: `${place}.${name}`, remove: () => delete properties[name] },
			...fieldsOf(field, `${place}.${name}`),
		]),
	];
}

const contradictions = (schema: OutputSchema, outputs: IDataObject[]): string[] => {
	const { unlisted, misfits } = compare(schema, outputs);
	return [
		...unlisted.map(({ path: place }) => place).filter((place) => !FEE.test(place)),
		...misfits,
	];
};

it('each operation has a schema, and nothing else has one', () => {
	const nodes = path.join(packageFolder(), 'dist', 'nodes');
	const files = readdirSync(nodes, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.includes('__schema__') && file.endsWith('.json'))
		.map((file) => file.replaceAll(path.sep, '/'));
	const folderOf = (node: string) =>
		path.basename(path.dirname(String(loader.known.nodes[node]?.sourcePath)));
	expect(files.sort()).toEqual(
		operations
			.map(({ node, parameters: { resource, operation } }) =>
				[folderOf(node), '__schema__/v1.0.0', resource, `${String(operation)}.json`].join('/'),
			)
			.sort(),
	);
});

const counts = { fields: 0, seldom: 0 };
afterAll(() =>
	console.log(
		`${counts.fields} fields in the schemas of ${operations.length} operations; no sample shows ${counts.seldom} of them`,
	),
);

describe.each(operations.map((operation) => [operation.title, operation] as const))(
	'%s',
	(title, operation) => {
		it('lists each field that it puts out, and no other but those that are seldom', async () => {
			const schema = schemaOf(title);
			expect(schema).toMatchObject({ type: 'object', version: 1 });
			const outputs = await sampleOutputs(jobs, operation);
			expect(outputs).not.toEqual([]);
			expect(contradictions(schema, outputs)).toEqual([]);
			const { shown } = compare(schema, outputs);
			const places = fieldsOf(schema).map(({ place }) => place);
			const seldom = places.filter((place) => !shown.has(place));
			expect(seldom).toEqual(SELDOM[title] ?? []);
			counts.fields += places.length;
			counts.seldom += seldom.length;
			const unnoticed = [...shown].filter((missing) => {
				const without = structuredClone(schema);
				fieldsOf(without)
					.find(({ place }) => place === missing)
					?.remove();
				return !contradictions(without, outputs).includes(missing);
			});
			expect(unnoticed).toEqual([]);
		});
	},
);
