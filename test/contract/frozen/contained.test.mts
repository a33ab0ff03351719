import { describe, expect, it } from 'vitest';
import { nodeBreaks } from './contained.mts';
import type { NodeInterface, Parameter } from './describe.mts';
import { readGolden } from './golden.mts';

/** What counts as a break: changes of the frozen VMaaS and CaaS nodes. */
const vmaas = readGolden<NodeInterface>('interface/nodes', 'vmaas');
const caas = readGolden<NodeInterface>('interface/nodes', 'caas');

type Change = (node: NodeInterface) => unknown;

function breaksOf(node: NodeInterface, change: Change): string[] {
	const present = structuredClone(node);
	change(present);
	return nodeBreaks(node, present);
}

function find(node: NodeInterface, name: string, operation: string): Parameter {
	const found = node.parameters.find(
		(one) => one.name === name && one.show?.operation?.includes(operation),
	);
	if (!found) throw new Error(`${operation} has no ${name}`);
	return found;
}

const MATCH: Parameter = {
	name: 'match',
	type: 'options',
	default: 'prefix',
	show: { resource: ['deployment'], operation: ['destroyMany'] },
	values: ['exact', 'prefix'],
};

/** Shows the name prefix of Destroy Many for one value of a new parameter. */
const prefixFor =
	(match: string): Change =>
	(node) => {
		node.parameters.push(MATCH);
		const prefix = find(node, 'namePrefix', 'destroyMany');
		prefix.show = { ...prefix.show, match: [match] };
	};

describe('an addition is no break', () => {
	it.each<[string, Change]>([
		['nothing', () => undefined],
		['version', (node) => node.versions.push(2)],
		['parameter', (node) => node.parameters.push(MATCH)],
		['option value', (node) => find(node, 'placement', 'deploy').values?.push('anywhere')],
		['collection entry', (node) => find(node, 'safety', 'deploy').parameters?.push(MATCH)],
		[
			'operation that shows it',
			(node) => find(node, 'safety', 'deploy').show?.operation?.push('x'),
		],
		['optional credential', (node) => node.credentials.push({ name: 'ssh', required: false })],
		[
			'locator mode',
			(node) => find(node, 'deploymentId', 'get').modes?.push({ name: 'name', type: 'string' }),
		],
		[
			'a list for a text',
			(node) =>
				Object.assign(find(node, 'vmId', 'getJobs'), {
					type: 'resourceLocator',
					default: { mode: 'list', value: '' },
					modes: [
						{ name: 'list', type: 'list' },
						{ name: 'id', type: 'string' },
					],
				}),
		],
		[
			'credential of a new operation',
			(node) =>
				node.credentials.push({ name: 'ssh', required: true, show: { operation: ['runCommand'] } }),
		],
		['condition that a default meets', prefixFor('prefix')],
	])('%s', (_title, change) => {
		expect(breaksOf(vmaas, change)).toEqual([]);
	});
});

describe('a removal or change is a break', () => {
	const at = 'vmaas > safety {"operation":["deploy"],"resource":["deployment"]}';
	it.each<[string, Change]>([
		['vmaas: version 1 is gone', (node) => (node.versions = [2])],
		['vmaas: no longer a tool', (node) => (node.usableAsTool = false)],
		['vmaas: outputs was ["main"], is []', (node) => (node.outputs = [])],
		[
			'vmaas: listSearch method searchHardware is gone',
			(node) => node.methods.listSearch.splice(1, 1),
		],
		[
			`${at}: default was {}, is {"dryRun":true}`,
			(node) => (find(node, 'safety', 'deploy').default = { dryRun: true }),
		],
		[
			`${at}: type was "collection", is "json"`,
			(node) => (find(node, 'safety', 'deploy').type = 'json'),
		],
		[
			'vmaas > vmId {"operation":["getJobs"],"resource":["vm"]}: type was "string", is "number"',
			(node) => (find(node, 'vmId', 'getJobs').type = 'number'),
		],
		[`${at}: is required now`, (node) => (find(node, 'safety', 'deploy').required = true)],
		[
			`${at}: no expressions now`,
			(node) => (find(node, 'safety', 'deploy').noDataExpression = true),
		],
		[
			`${at} > currency: is gone`,
			(node) => find(node, 'safety', 'deploy').parameters?.splice(0, 1),
		],
		[
			`${at}: no longer shown with {"operation":"deploy","resource":"deployment"}`,
			(node) => (find(node, 'safety', 'deploy').show = { resource: ['vm'], operation: ['deploy'] }),
		],
		[
			'vmaas > namePrefix {"operation":["destroyMany"],"resource":["deployment"]}: no longer shown with {"operation":"destroyMany","resource":"deployment"}',
			prefixFor('exact'),
		],
		[
			'vmaas > placement {"operation":["deploy"],"resource":["deployment"]}: option value "location" is gone',
			(node) => (find(node, 'placement', 'deploy').values = ['nodePool']),
		],
		[
			'vmaas > deploymentId {"operation":["get"],"resource":["deployment"]}: mode id is gone',
			(node) => (find(node, 'deploymentId', 'get').modes = [{ name: 'list', type: 'list' }]),
		],
	])('%s', (sentence, change) => {
		expect(breaksOf(vmaas, change)).toEqual([sentence]);
	});

	it('a credential that one more way to authenticate needs', () => {
		const found = breaksOf(caas, ({ credentials }) => {
			for (const use of credentials) delete use.hide;
		});
		expect(found).toHaveLength(3);
		expect(found[0]).toContain('with {"authentication":"accessToken"} it needed');
	});
});
