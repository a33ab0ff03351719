import { createRequire } from 'node:module';
import path from 'node:path';
import type { INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../pack.mts';

/** What the forms of all nodes have in common (n8n's UX guidelines, and ours for money). */
const require = createRequire(import.meta.url);
const { n8n } = require(path.join(projectFolder, 'package.json')) as { n8n: { nodes: string[] } };

const descriptions = n8n.nodes.map((file) => {
	const module = require(path.join(projectFolder, file)) as Record<string, new () => INodeType>;
	const [Node] = Object.values(module);
	if (!Node) throw new Error(`${file} has no node`);
	return new Node().description;
});

/** Collections of a form, also those in others. */
function collectionsOf(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) =>
		property.type === 'collection'
			? [property, ...collectionsOf(property.options as INodeProperties[])]
			: [],
	);
}

const labelsOf = ({ options = [] }: INodeProperties) =>
	options.map((option) => (option as INodeProperties).displayName);

const groupOf = (label: string) => {
	if (label.endsWith('(Deprecated)')) return 2;
	return label.includes(': ') ? 1 : 0;
};

describe.each(descriptions.map((one) => [one.displayName, one] as const))('%s', (_, one) => {
	it('action texts have no articles', () => {
		const actions = one.properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ options = [] }) => options as INodePropertyOptions[])
			.map(({ action }) => action);
		for (const action of actions) expect(action).not.toMatch(/\b(a|an|the)\b/i);
	});

	it('options that belong to no group come first, and deprecated ones last', () => {
		for (const collection of collectionsOf(one.properties)) {
			const ranks = labelsOf(collection).map(groupOf);
			expect(ranks, collection.displayName).toEqual(ranks.toSorted());
		}
	});

	it('what spends money shows its price limits, empty, and says that they are', () => {
		const safeties = one.properties.filter(({ name }) => name === 'safety');
		for (const safety of safeties)
			expect(safety.default).toEqual({ maxHourlyPrice: '', maxPrice: '' });
		const warnings = (one.hints ?? []).filter(({ type }) => type === 'warning');
		expect(warnings.map(({ message }) => message)).toEqual(
			safeties.length > 0 ? [expect.stringMatching(/^No price limit is set/)] : [],
		);
	});
});
