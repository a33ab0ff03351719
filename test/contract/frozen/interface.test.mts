import { beforeAll, describe, expect, it } from 'vitest';
import { credentialTypeBreaks, nodeBreaks } from './contained.mts';
import { golden, goldenNames, isUpdate } from './golden.mts';
import { presentInterface, type PublicInterface } from './run.mts';

/** What n8n finds in the built package must hold what the golden files say; README.md has the rules. */
let present: PublicInterface;

beforeAll(async () => {
	present = await presentInterface();
});

const names = (folder: 'nodes' | 'credentials'): string[] =>
	isUpdate ? Object.keys(present[folder]) : goldenNames(`interface/${folder}`);

describe('the public interface', () => {
	it.each(['nodes', 'credentials'] as const)('%s: every frozen one is there', (folder) => {
		expect(names(folder).length).toBeGreaterThan(0);
		expect(Object.keys(present[folder])).toEqual(expect.arrayContaining(names(folder)));
	});

	it('nodes: nothing is removed or changed', () => {
		const breaks = names('nodes').flatMap((name) => {
			const node = present.nodes[name];
			return node ? nodeBreaks(golden('interface/nodes', name, node), node) : [];
		});
		expect(breaks).toEqual([]);
	});

	it('credentials: nothing is removed or changed', () => {
		const breaks = names('credentials').flatMap((name) => {
			const type = present.credentials[name];
			return type ? credentialTypeBreaks(golden('interface/credentials', name, type), type) : [];
		});
		expect(breaks).toEqual([]);
	});
});
