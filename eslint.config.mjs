/**
 * The rule sets that `n8n-node lint` uses in strict mode, without that command, which brings a tree of packages that does not
 * install everywhere, and the rules of this house. The tests are linted too. Strict mode also compares this file with a
 * template of two lines, which imports the command's package and so would not load in a fresh clone.
 */
import { readdirSync } from 'node:fs';
import eslint from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { globalIgnores } from 'eslint/config';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommended;

/** Folders of `nodes` that nodes may import from, beside their own. */
const COMMON = ['shared', 'marketplace', 'intelligence'];

/** Only these folders of `nodes` may be imported in one of them. */
const onlyFrom = (folder, allowed, message) => ({
	target: `./nodes/${folder}`,
	from: './nodes',
	except: [folder, ...allowed],
	message,
});

/** A room knows only the rooms below it: nodes, then `marketplace` and `intelligence`, then `shared`. */
const zones = [
	...readdirSync(new URL('nodes', import.meta.url))
		.filter((folder) => !COMMON.includes(folder))
		.map((node) => onlyFrom(node, COMMON, 'A node imports no sibling.')),
	onlyFrom(
		'marketplace',
		['shared'],
		'The client of the compute API knows no node and no other API.',
	),
	onlyFrom(
		'intelligence',
		['shared'],
		'The client of the intelligence API knows no node and no other API.',
	),
	onlyFrom('shared', [], 'What is shared knows no node and no API.'),
	{
		target: ['http', 'stream', 'regex'].map((folder) => `./nodes/shared/${folder}`),
		from: './nodes/shared/operation',
		message: 'Requests, streams and expressions know no operation.',
	},
	{
		target: './nodes/shared/regex',
		from: ['./nodes/shared/http', './nodes/shared/stream'],
		message: 'Expressions know no request.',
	},
	{
		target: ['guards', 'numbers', 'time', 'json'].map((file) => `./nodes/shared/${file}.ts`),
		from: ['operation', 'http', 'stream', 'regex'].map((folder) => `./nodes/shared/${folder}`),
		message: 'The base of all rooms imports none of them.',
	},
	{
		target: './nodes/*/resources/**',
		from: './nodes/shared/operation/execute.ts',
		message: 'An operation does not know what runs it: its context has what it needs.',
	},
];

export default tseslint.config(
	globalIgnores(['dist', 'dist-test', 'test/e2e/shots']),
	{
		linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
	},
	{
		files: ['**/*.ts'],
		extends: [
			eslint.configs.recommended,
			tseslint.configs.recommended,
			communityNodes,
			importX.flatConfigs.recommended,
		],
		rules: {
			'prefer-spread': 'off',
			'no-console': 'error',
			// A peer that n8n brings along, and that does not install everywhere: see nodes/intelligence/ai-node-sdk.d.ts
			'import-x/no-unresolved': ['error', { ignore: ['^@n8n/ai-node-sdk$'] }],
		},
	},
	{
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		settings: {
			'import-x/extensions': ['.ts', '.mts', '.js', '.mjs'],
			'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.mts'] },
			'import-x/resolver-next': [
				// As a TypeScript resolver would: types first, for packages too
				createNodeResolver({
					conditionNames: ['types', 'import', 'require', 'node', 'default'],
					extensions: ['.ts', '.d.ts', '.js', '.json', '.node'],
					extensionAlias: { '.js': ['.ts', '.js'] },
					mainFields: ['types', 'module', 'main'],
				}),
			],
		},
	},
	{
		files: ['package.json'],
		extends: [communityNodes],
		rules: n8nNodesBase.configs.community.rules,
		languageOptions: {
			parser: tseslint.parser,
			parserOptions: { extraFileExtensions: ['.json'] },
		},
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// The same exceptions as in n8n's own set, here and below: such rules were made for nodes inside n8n, or the
			// community plugin has a more exact one
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		rules: { '@typescript-eslint/no-explicit-any': 'error' },
	},
	{
		files: ['nodes/shared/**/*.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				...['Literal[value=', 'TemplateElement[value.raw=', 'Identifier[name='].map((node) => ({
					selector: `${node}/compute[A-Z]\\w*Api/]`,
					message: 'What is shared knows no credential type: the client of a service passes it in.',
				})),
			],
		},
	},
	{
		// Tests run on Node and may use all of it, so n8n's rules about what a node may touch are not for them
		files: ['**/*.mts', '**/*.mjs'],
		extends: [eslint.configs.recommended, tseslint.configs.strict],
		rules: {
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
			],
			// A service that leaves out fields is what much of the sandbox is about
			'@typescript-eslint/no-dynamic-delete': 'off',
		},
	},
	{
		files: ['**/*.ts', '**/*.mts'],
		plugins: { 'import-x': importX },
		rules: {
			// As CONTRIBUTING.md says, blank lines and comments included
			'max-lines': ['error', 300],
			'import-x/no-cycle': ['error', { ignoreExternal: true }],
			'import-x/no-restricted-paths': ['error', { zones }],
		},
	},
	{
		// TypeScript itself finds undefined names, and knows Node's globals
		files: ['**/*.mts', '**/*.mjs'],
		rules: { 'no-undef': 'off' },
	},
);
