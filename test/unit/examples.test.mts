import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../pack.mts';

/** Somebody who imports an example knows what to fill in, and sees something happen at its end. */

interface Example {
	nodes: Array<{
		name: string;
		type: string;
		position: [number, number];
		parameters: {
			content?: string;
			width?: number;
			height?: number;
			amount?: number;
			unit?: string;
		};
	}>;
}

const NODE_PX = 96;
/** n8n keeps an execution that waits for less in memory, and its worker occupied (`Wait.node.ts`). */
const SHORTEST_WAIT_S = 65;

const folder = join(projectFolder, 'examples');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const readme = readFileSync(join(projectFolder, 'README.md'), 'utf8');

describe.each(files)('examples/%s', (file) => {
	const { nodes } = JSON.parse(read(file)) as Example;

	it('has one note, which says what to fill in and names nodes that exist', () => {
		const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
		expect(notes).toHaveLength(1);
		const content = notes[0]?.parameters.content ?? '';
		expect(content).toContain('**Fill in**');
		const named = [...content.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name);
		const known = ['Fill in', 'gpu_prices', ...nodes.map(({ name }) => name)];
		expect(named.filter((name) => !known.includes(name))).toEqual([]);
	});

	it('has no node below its note', () => {
		const note = nodes.find(({ type }) => type === 'n8n-nodes-base.stickyNote');
		const [left, top] = note?.position ?? [0, 0];
		const { width = 0, height = 0 } = note?.parameters ?? {};
		const covered = nodes.filter(({ position: [x, y] }) => {
			return x + NODE_PX > left && x < left + width && y + NODE_PX > top && y < top + height;
		});
		expect(covered.map(({ name }) => name)).toEqual([note?.name]);
	});

	it('has no node that does nothing', () => {
		expect(nodes.filter(({ type }) => type === 'n8n-nodes-base.noOp')).toEqual([]);
	});

	it('waits long enough for n8n to free the worker', () => {
		const waits = nodes.filter(
			({ type, parameters }) => type === 'n8n-nodes-base.wait' && parameters.amount !== undefined,
		);
		for (const { name, parameters } of waits) {
			expect(parameters.unit, name).toBe('seconds');
			expect(parameters.amount, name).toBeGreaterThanOrEqual(SHORTEST_WAIT_S);
		}
	});

	it('is in the README', () => {
		expect(readme).toContain(`(examples/${file})`);
	});
});

/** The parameters of a node of an example, as JSON. */
function parametersOf(file: string, node: string): string {
	const { nodes } = JSON.parse(read(file)) as Example;
	return JSON.stringify(nodes.find(({ name }) => name === node)?.parameters);
}

describe('examples that ask a person', () => {
	it('approve-before-deploy buys for the price that was approved at most', () => {
		const deploy = parametersOf('approve-before-deploy.json', 'Deploy');
		expect(deploy).toContain(`"maxPrice":"={{ $('Check the Price').first().json.total_price }}"`);
	});

	it('expiry-alert takes no answer within 30 minutes for a no', () => {
		const wait = parametersOf('expiry-alert.json', 'Wait for an Answer');
		expect(wait).toContain('"resumeAmount":30,"resumeUnit":"minutes"');
		expect(parametersOf('expiry-alert.json', 'Approved?')).toContain("$json.Decision === 'Extend'");
	});

	it('agent-with-approval shows the values that the model has chosen', () => {
		const review = parametersOf('agent-with-approval.json', 'Human Review');
		expect(review).toContain('JSON.stringify($tool.parameters)');
	});
});
