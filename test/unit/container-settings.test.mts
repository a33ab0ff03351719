import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	environmentField,
	moreContainerFields,
	readContainerSettings,
	secretEnvironmentField,
	secretsIn,
} from '../../nodes/Caas/containerFields.ts';
import { openFields, settingIn, shows } from '../../nodes/Caas/shownSettings.ts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';

const FIELDS = [environmentField, secretEnvironmentField, ...moreContainerFields];

/** What a form with these values says of a container. */
function read(values: IDataObject) {
	const form = formOf({ fields: FIELDS }, values);
	return readContainerSettings(form, form);
}

const rows = (...variables: IDataObject[]) => ({ variables });
const SECRET = 'top-secret-value';

describe('the settings of a container', () => {
	it('are all that is set', () => {
		expect(
			read({
				environment: rows({ name: 'MODEL', value: 'llama' }, { name: 'PORT', value: 80 }),
				environmentJson: '{"DEBUG": true, "EMPTY": ""}',
				secretEnvironment: rows({ name: 'TOKEN', value: SECRET }),
				secretEnvironmentJson: { OTHER: 1.5 },
				entrypoint: ['python3', '-c'],
				args: [' ', 'a,b'],
				registryUsername: ' me ',
				registrySecret: ' word ',
			}),
		).toEqual({
			env_variables: { MODEL: 'llama', PORT: '80', DEBUG: 'true', EMPTY: '' },
			secret_env_variables: { TOKEN: SECRET, OTHER: '1.5' },
			entrypoint: ['python3', '-c'],
			args: [' ', 'a,b'],
			registry_username: 'me',
			registry_secret: ' word ',
		});
	});

	it('are none where nothing is set, or what is added is empty', () => {
		const none = {
			env_variables: undefined,
			secret_env_variables: undefined,
			entrypoint: undefined,
			args: undefined,
			registry_username: undefined,
			registry_secret: undefined,
		};
		expect(read({})).toStrictEqual(none);
		const empty = { environment: {}, environmentJson: '{}', entrypoint: [], args: [] };
		expect(read(empty)).toStrictEqual(none);
	});

	it('take a command as one part where an expression gives a text', () => {
		expect(read({ entrypoint: 'serve', args: '--port 80' })).toMatchObject({
			entrypoint: ['serve'],
			args: ['--port 80'],
		});
	});

	it.each<[string, IDataObject, string]>([
		[
			'a variable without a name',
			{ environment: rows({ name: '', value: 'x' }) },
			'Environment Variables 1: Name is required and must not be empty',
		],
		[
			'a name with white space',
			{ environment: rows({ name: 'A B', value: 'x' }) },
			'Environment Variables 1: Name must not be empty and must not contain = or white space, got "A B"',
		],
		[
			'a name that holds a value, too',
			{ environment: rows({ name: 'A', value: 'x' }, { name: 'B=', value: 'x' }) },
			'Environment Variables 2: Name must not be empty and must not contain = or white space, got "B="',
		],
		[
			'a name in JSON that begins with =',
			{ environmentJson: { '=A': 'x' } },
			'Variables (JSON) must not be empty and must not contain = or white space, got "=A"',
		],
		[
			'the same name twice',
			{ environment: rows({ name: 'A', value: 'x' }, { name: 'A', value: 'y' }) },
			'Environment Variables 2: Name has the variable A twice',
		],
		[
			'the same name in rows and JSON',
			{ environment: rows({ name: 'A', value: 'x' }), environmentJson: { A: 'y' } },
			'Variables (JSON) has the variable A twice',
		],
		[
			'a value that is a list',
			{ environment: rows({ name: 'A', value: ['x'] }) },
			'Environment Variables 1: Value must give A a text, a number, true or false',
		],
		[
			'a value that is nothing',
			{ environmentJson: { A: null } },
			'Variables (JSON) must give A a text, a number, true or false',
		],
	])('are an error with %s', (_, values, text) => {
		expect(message(() => read(values))).toBe(text);
	});

	it.each<[string, IDataObject, string]>([
		[
			'in a row',
			{ secretEnvironment: rows({ name: `A=${SECRET}`, value: '' }) },
			'Secret Environment Variables 1: Name must not be empty and must not contain = or white space, got a value of type text, which is not shown',
		],
		[
			'in JSON',
			{ secretEnvironmentJson: { A: [SECRET] } },
			'Secret Variables (JSON) must give A a text, a number, true or false',
		],
	])('are an error that shows no secret %s', (_, values, text) => {
		expect(message(() => read(values))).toBe(text);
	});

	it('may have the same name openly and secretly, which the service judges', () => {
		const values = { environmentJson: { A: 'x' }, secretEnvironmentJson: { A: 'y' } };
		expect(read(values)).toMatchObject({
			env_variables: { A: 'x' },
			secret_env_variables: { A: 'y' },
		});
	});

	it('have values that must not be repeated, those of a login also as one text', () => {
		expect(secretsIn({ env_variables: { A: 'open' }, registry_username: 'me' })).toEqual([]);
		expect(
			secretsIn({
				secret_env_variables: { A: 'one', B: 2 },
				registry_username: 'me',
				registry_secret: 'word',
			}),
		).toEqual(['one', '2', 'word', 'me:word']);
		expect(secretsIn({ registry_secret: 'word' })).toEqual(['word', ':word']);
	});
});

describe('the settings that details show', () => {
	it('are those that no service masks', () => {
		const body = {
			image_url: 'i',
			env_variables: {},
			secret_env_variables: {},
			registry_secret: 's',
			registry_username: 'u',
		};
		expect(openFields(body)).toEqual(['image_url', 'env_variables', 'registry_username']);
	});

	it('are at the top, or among those of the container or the registry', () => {
		const details = {
			top: 1,
			image_url: null,
			container_config: { top: 2, traffic_port: 80, image_url: undefined },
			registry_config: { image_url: 'i', traffic_port: 81 },
		};
		const shown = ['top', 'traffic_port', 'image_url', 'other'].map((key) =>
			settingIn(details, key),
		);
		expect(shown).toEqual([1, 80, 'i', undefined]);
		expect(settingIn({ container_config: 'none', registry_config: null }, 'a')).toBeUndefined();
	});

	it.each<[string, unknown, unknown, boolean | undefined]>([
		['the same text', 'a', 'a', true],
		['a number as text', 80, '80', true],
		['another text', 'a', 'b', false],
		['another number', 80, 81, false],
		['the same list', ['a', 'b'], ['a', 'b'], true],
		['a longer list', ['a'], ['a', 'b'], false],
		['a list of other parts', ['a,b'], ['a', 'b'], false],
		['the variables and others', { A: 1 }, { A: '1', B: '2' }, true],
		['one of the variables', { A: 1, B: 2 }, { A: '1', B: '3' }, false],
		['nothing', 'a', undefined, undefined],
		['what is not sent', undefined, 'a', undefined],
		['nothing of what is not sent', undefined, undefined, undefined],
		['a text in place of a list', ['a'], 'a', undefined],
		['a list in place of variables', { A: 1 }, [{ name: 'A', value: 1 }], undefined],
		['a text in place of variables', { A: 1 }, '***', undefined],
	])('may be %s', (_, wanted, shown, expected) => {
		const details = { container_config: { key: shown } } as IDataObject;
		expect(shows(details, { key: wanted } as IDataObject, 'key')).toBe(expected);
	});
});
