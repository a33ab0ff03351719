/**
 * The rule sets that `n8n-node lint` uses in strict mode, run without its command-line tool, which brings a far larger
 * tree of packages. `eslint.config.mjs` stays n8n's template, as strict mode wants it. The tests are linted here too.
 */
import eslint from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { globalIgnores } from 'eslint/config';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommended;

export default tseslint.config(
	globalIgnores(['dist', 'test/e2e/shots']),
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
			// A peer that n8n brings along, and that does not install everywhere: see nodes/LmChatCompute/ai-node-sdk.d.ts
			'import-x/no-unresolved': ['error', { ignore: ['^@n8n/ai-node-sdk$'] }],
		},
	},
	{
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		settings: {
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
		// TypeScript itself finds undefined names, and knows Node's globals
		files: ['**/*.mts', '**/*.mjs'],
		rules: { 'no-undef': 'off' },
	},
);
