import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { caas, containerParameters, CONTINUE, deployment, locator } from '../../engine/nodes.mts';
import type { Call, Said } from './service.mts';
import { deploy, destroy, extend, KEY, stage, told } from './stage.mts';

const isWrite = ({ method }: Call) => method !== 'GET';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Places in which a service may repeat what it was sent. */
const REPEATED: Array<[string, (secret: string) => Said]> = [
	['in an error', (secret) => ({ status: 403, json: { detail: `bad key ${secret}` } })],
	[
		'in a field of a validation error',
		(secret) => ({
			status: 422,
			json: {
				detail: [{ loc: ['header', secret], msg: `got ${secret}`, type: 'x', input: secret }],
			},
		}),
	],
	['in a page', (secret) => ({ status: 500, text: `<html><title>${secret}</title></html>` })],
	['in a text', (secret) => ({ status: 400, text: `x-api-key: ${secret}` })],
	['in a success', (secret) => ({ json: { status: 'ok', deployment_id: 'dep-1', note: secret } })],
	['in a key of a success', (secret) => ({ json: { deployment_id: 'dep-1', [secret]: 1 } })],
	['in the ID', (secret) => ({ json: { deployment_id: secret } })],
	['in a redirect', (secret) => ({ status: 302, headers: { location: `/login?key=${secret}` } })],
	[
		'in the type of an answer',
		(secret) => ({
			status: 500,
			text: 'x',
			headers: { 'content-type': `text/plain; key=${secret}` },
		}),
	],
	['in Retry-After', (secret) => ({ status: 503, text: 'x', headers: { 'retry-after': secret } })],
	[
		'as URL in an error',
		(secret) => ({
			status: 400,
			json: { message: `/deploy?api_key=${encodeURIComponent(secret)}` },
		}),
	],
	[
		'as JSON in JSON',
		(secret) => ({
			status: 400,
			json: { message: JSON.stringify({ headers: { 'x-api-key': secret } }) },
		}),
	],
];

describe.each([KEY, 'k"e\\y/+=&<é>-0815', '1234567890123456'])('the key %j', (key) => {
	it.each(REPEATED)('that is repeated %s is told nowhere', async (_, said) => {
		for (const make of [
			() => deploy({}, CONTINUE),
			() => destroy('dep-1'),
			() => extend('dep-1'),
		]) {
			const { service, engine, run } = await stage({}, key);
			service.add({ key: [...Buffer.from(key)].every((one) => one < 128) ? key : '' });
			service.instead = (call) => (isWrite(call) ? said(key) : undefined);
			const from = engine.log.length;
			const result = await run(make());
			const all = JSON.stringify([told(result), result.data, engine.log.slice(from)]);
			expect(all).not.toContain(key);
			expect(all).not.toContain(JSON.stringify(key).slice(1, -1));
			expect(all).not.toContain(encodeURIComponent(key));
		}
	});
});

const SECRET = 'hunter2-pässwort-4711';
const USER = 'builder';

const container = (settings = {}) =>
	caas(
		'deployment',
		'deploy',
		containerParameters({
			secretEnvironment: { values: [{ name: 'TOKEN', value: SECRET }] },
			additionalFields: { registryUsername: USER, registrySecret: SECRET },
		}),
		settings,
	);

/** What a service, or the program that pulls the image, may say of a login. */
const LOGINS: Array<[string, (user: string, secret: string) => IDataObject]> = [
	[
		'the request',
		(username, secret) => ({
			registry_config: { registry_username: username, registry_secret: secret },
			container_config: { secret_env_variables: { TOKEN: secret } },
		}),
	],
	['an environment of its own', (_, secret) => ({ env: [{ name: 'TOKEN', value: secret }] })],
	[
		'a URL with a login',
		(user, secret) => ({
			image: `https://${user}:${encodeURIComponent(secret)}@registry.example/web`,
		}),
	],
	[
		'the login as it is sent to a registry',
		(user, secret) => ({
			message: `Authorization: Basic ${base64(`${user}:${secret}`)}`,
		}),
	],
	[
		'the settings of Docker',
		(user, secret) => ({
			auths: { 'registry.example': { auth: base64(`${user}:${secret}`) } },
		}),
	],
	[
		'a pull secret',
		(user, secret) => ({
			dockerconfigjson: base64(
				JSON.stringify({ auths: { r: { username: user, password: secret } } }),
			),
		}),
	],
	['a command line', (user, secret) => ({ command: `docker login -u ${user} -p '${secret}'` })],
];

/** All that can be read of a run, and what is found in it that is base64. */
function readable(text: string): string {
	const decoded = [...text.matchAll(/[A-Za-z0-9+/_-]{12,}={0,2}/g)].map(([one]) =>
		Buffer.from(one, 'base64').toString(),
	);
	return [text, ...decoded].join('\n');
}

describe('the secrets of a container', () => {
	describe.each(LOGINS)('in %s', (_, said) => {
		it.each(['a refusal', 'a success', 'details', 'what Get shows later'])(
			'of %s',
			async (where) => {
				const { service, engine, run } = await stage();
				const words = said(USER, SECRET);
				const from = engine.log.length;
				if (where === 'details' || where.startsWith('what'))
					service.detailed = (_machine, details) => ({ ...details, ...words });
				service.instead = (call) =>
					isWrite(call) && where === 'a refusal'
						? { status: 400, json: { detail: JSON.stringify(words), ...words } }
						: undefined;
				if (where === 'a success')
					service.deployed = ({ id }) => ({
						status: 'deployment requested',
						deployment_id: id,
						...words,
					});
				const first = await run(container(CONTINUE));
				const get = caas('deployment', 'get', { deploymentId: locator('dep-1') }, CONTINUE);
				// A later execution does not know the secrets
				const second = where === 'what Get shows later' ? undefined : first;
				if (!second && _ === 'the request') await run(get);
				const all = readable(JSON.stringify([told(first), engine.log.slice(from)]));
				expect(all).not.toContain(SECRET);
				expect(all).not.toContain(encodeURIComponent(SECRET));
			},
		);
	});

	it('are in no output of the lists that mask them', async () => {
		const { service, run } = await stage();
		service.add({ product: 'caas' });
		const config = { secret_env_variables: { TOKEN: SECRET }, registry_secret: SECRET };
		service.listed = (_machine, entry) => ({ ...entry, container_config: config });
		service.detailed = (_machine, details) => ({ ...details, container_config: config });
		const lists = [
			caas('deployment', 'getAll', { returnAll: true, filters: {} }),
			caas('deployment', 'get', { deploymentId: locator('dep-1') }),
			caas('deployment', 'destroyMany', {
				namePrefix: 'jo',
				match: 'prefix',
				limit: 5,
				dryRun: true,
				options: {},
			}),
			deployment('getAll', { returnAll: true, filters: {} }),
		];
		for (const node of lists) expect(told(await run(node)).all).not.toContain(SECRET);
	});
});
