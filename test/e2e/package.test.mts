import { describe, expect } from 'vitest';
import { test as shared } from './fixture.mts';
import { credentialNames, nodeNames, packageName } from './manifest.mts';
import type { CredentialTypeDescription, Rest } from './rest.mts';
import { loaderWarnings } from './traces.mts';

const test = shared
	.extend('nodeTypes', { scope: 'file' }, async ({ rest }) => await rest.nodeTypes())
	.extend('credentialTypes', { scope: 'file' }, async ({ rest }) => await rest.credentialTypes());

async function expectIcons(
	rest: Rest,
	{ iconUrl }: Pick<CredentialTypeDescription, 'iconUrl'>,
): Promise<void> {
	expect(iconUrl).toEqual({ light: expect.any(String), dark: expect.any(String) });
	for (const url of Object.values(iconUrl as { light: string; dark: string })) {
		expect(await rest.file(url)).toEqual({
			type: expect.stringMatching(/^image\/svg/),
			text: expect.stringMatching(/^<svg/),
		});
	}
}

test('n8n loads the package without a warning', ({ n8n }) => {
	expect(loaderWarnings(n8n.folder)).toEqual([]);
});

describe.each(nodeNames)('node %s', (name) => {
	test('is loaded with a light and a dark icon', async ({ rest, nodeTypes }) => {
		const type = nodeTypes.find((loaded) => loaded.name === `${packageName}.${name}`);
		await expectIcons(rest, type ?? {});
	});

	test('has a category in the node panel, and so has its tool for AI agents', ({ nodeTypes }) => {
		const types = nodeTypes.filter((loaded) =>
			[`${packageName}.${name}`, `${packageName}.${name}Tool`].includes(loaded.name),
		);
		expect(types).not.toEqual([]);
		for (const { codex } of types) expect(codex?.categories).toContainEqual(expect.any(String));
	});
});

describe.each(credentialNames)('credential %s', (name) => {
	test('is loaded with a light and a dark icon', async ({ rest, credentialTypes }) => {
		const type = credentialTypes.find((loaded) => loaded.name === name);
		await expectIcons(rest, type ?? {});
	});
});
