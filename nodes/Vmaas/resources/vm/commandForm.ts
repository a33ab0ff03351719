import type { INodeProperties } from 'n8n-workflow';
import { allowAiAgentsField } from '../../../marketplace/agentLimit';
import { collectionField } from '../../../shared/fields';
import type { Parameters } from '../../../shared/operation/parameters';

/** A command and how it is run, as the form gives it. */
export interface Command {
	/** With folder and environment, for a POSIX shell. */
	script: string;
	stdin?: string;
	timeoutMs: number;
	maxOutputBytes: number;
	onNonZeroExit: 'error' | 'output';
}

/** In seconds; n8n may end the execution before. */
const TIMEOUT = { default: 600, max: 86_400 };

/** Of stdout and of stderr: both go into an item, which n8n saves. */
const OUTPUT_BYTES = { default: 262_144, max: 16_777_216 };

export const environmentField: INodeProperties = {
	displayName: 'Environment',
	name: 'environment',
	type: 'fixedCollection',
	typeOptions: {
		multipleValues: true,
		fixedCollection: { itemTitle: '={{ $collection.item.value.name }}' },
	},
	placeholder: 'Add Variable',
	default: {},
	description: 'Variables that are set for the command',
	options: [
		{
			displayName: 'Variable',
			name: 'variables',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. EPOCHS',
				},
				{ displayName: 'Value', name: 'value', type: 'string', default: '' },
			],
		},
	],
};

export const commandFields: INodeProperties[] = [
	{
		displayName: 'Command',
		name: 'command',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'e.g. nvidia-smi',
		description: 'One line or several, for the login shell of the user',
	},
	collectionField('options', 'Options', 'Add Option', [
		allowAiAgentsField('Whether an AI agent may run commands with this node as its tool'),
		environmentField,
		{
			displayName: 'Max Output Bytes',
			name: 'maxOutputBytes',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: OUTPUT_BYTES.max, numberPrecision: 0 },
			default: 262144,
			description: 'How much of stdout, and of stderr, is returned: the end of it',
		},
		{
			displayName: 'On Non-Zero Exit',
			name: 'onNonZeroExit',
			type: 'options',
			options: [
				{
					name: 'Return an Item',
					value: 'output',
					description: 'Return the output with its exit_code',
				},
				{ name: 'Stop With an Error', value: 'error' },
			],
			default: 'error',
			description: 'What to do if the command ends with another exit code than 0, or by a signal',
		},
		{
			displayName: 'Standard Input',
			name: 'stdin',
			type: 'string',
			typeOptions: { rows: 2 },
			default: '',
			description: 'What the command reads from its standard input',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: TIMEOUT.max, numberPrecision: 0 },
			default: 600,
			description: 'Maximum time for the command, which occupies an n8n worker meanwhile',
		},
		{
			displayName: 'Working Directory',
			name: 'cwd',
			type: 'string',
			default: '',
			placeholder: 'e.g. ~/job',
			description: 'Folder on the VM in which the command runs; default: the home folder',
		},
	]),
];

/** Reads and checks the fields of {@link commandFields}. */
export function readCommand(parameters: Parameters): Command {
	const options = parameters.group('options');
	const has = (name: string) => options.value(name) !== undefined;
	const limits = (max: number) => ({ min: 1, max, optional: true }) as const;
	const stdin = has('stdin') ? textOf(options, 'stdin') : '';
	const timeout = options.integer('timeout', limits(TIMEOUT.max)) ?? TIMEOUT.default;
	const cwd = options.text('cwd', { optional: true });
	if (cwd?.includes('\0')) options.fail('cwd', 'must not contain a null character');
	const command = parameters.text('command', { trim: false }).replace(/\r\n/g, '\n');
	if (command.includes('\0')) parameters.fail('command', 'must not contain a null character');
	return {
		script: scriptOf(command, cwd, readEnvironment(options)),
		...(stdin !== '' && { stdin }),
		timeoutMs: timeout * 1000,
		maxOutputBytes:
			options.integer('maxOutputBytes', limits(OUTPUT_BYTES.max)) ?? OUTPUT_BYTES.default,
		onNonZeroExit: has('onNonZeroExit')
			? options.choice('onNonZeroExit', ['error', 'output'] as const)
			: 'error',
	};
}

/** A text that may be empty; its value is in no message, since it may be a secret. */
function textOf(parameters: Parameters, name: string): string {
	const value = parameters.value(name);
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	return typeof value === 'string' ? value : parameters.fail(name, 'must be text');
}

/** The variables of {@link environmentField} in a collection. */
export function readEnvironment(options: Parameters): Array<[name: string, value: string]> {
	return options.rows('environment', 'variables').map((row) => {
		const name = row.text('name');
		if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
			row.fail('name', 'must consist of letters, digits and _, and not begin with a digit');
		const value = textOf(row, 'value');
		if (value.includes('\0')) row.fail('value', 'must not contain a null character');
		return [name, value];
	});
}

/**
 * The command behind what sets it up. Servers refuse variables that the protocol sends (`AcceptEnv` of OpenSSH names a few),
 * and the protocol knows no folder.
 */
export function scriptOf(
	command: string,
	cwd: string | undefined,
	environment: Array<[name: string, value: string]>,
): string {
	const lines = environment.map(([name, value]) => `export ${name}=${quoted(value)}`);
	if (cwd !== undefined && cwd !== '~') {
		// Relative paths begin with ./ and so neither with - nor with what CDPATH is for
		const folder = cwd.startsWith('~/')
			? `"$HOME"/${quoted(cwd.slice(2))}`
			: quoted(cwd.startsWith('/') ? cwd : `./${cwd}`);
		lines.push(`cd ${folder} || exit`);
	}
	return [...lines, command].join('\n');
}

/** A text as one word of a POSIX shell: in single quotes nothing has a meaning but the quote itself. */
export function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
