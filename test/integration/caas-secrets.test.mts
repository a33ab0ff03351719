import type { IDataObject, IRun, NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { caas, containerParameters, CONTINUE, locator } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { useCaasService, type Answered } from './caasService.mts';

/** What a person keeps secret is in nothing that n8n shows or saves of a run, and hides nothing that has to be read. */
const fixture = useCaasService();
const SECRET = 'hf_sEcReT_4711';

const deploy = (changes: IDataObject = {}, settings = {}) =>
	caas('deployment', 'deploy', containerParameters(changes), settings);
const secretly = (value: unknown, name = 'TOKEN'): IDataObject => ({
	secretEnvironment: { variables: [{ name, value: value as string }] },
});
const LOGIN = { additionalFields: { registryUsername: 'me', registrySecret: SECRET } };

/** What this package gives n8n to show, save or log; n8n saves the form as it was typed. */
function seen({ data: { resultData, executionData } }: IRun): string {
	const { message, description, context } = (resultData.error ?? {}) as Partial<NodeApiError>;
	const outputs = Object.values(resultData.runData).flatMap((tasks) =>
		tasks.map(({ data }) => data),
	);
	const log = fixture.log.map((line) => line.message);
	return JSON.stringify([outputs, message, description, context, executionData?.contextData, log]);
}

const run = async (node: ReturnType<typeof caas>) => await fixture.engine.run(node);

/** The service refuses each deploy in these words. */
function refuse(answer: Answered): void {
	fixture.service.override = ({ method }) =>
		method === 'POST' ? { status: 422, ...answer } : undefined;
}

describe('a secret that is a word of the service', () => {
	it.each([
		'deployment',
		'deployments',
		'deployment_id',
		'resource_private_name',
		'status',
		'replica_count',
		'running',
		'2026-01',
	])('%s: the answers are read all the same', async (word) => {
		const item = onlyJson(await run(deploy({ ...secretly(word), safety: { maxPrice: 100 } })));
		expect(item).toMatchObject({
			deployment_id: fixture.service.first.id,
			status: 'deployment requested',
			total_price: 2,
		});
		expect(errorOf(await run(deploy(secretly(word)))).message).toMatch(/"web" already exists/);
		expect(fixture.service.made).toHaveLength(1);
	});

	it('the digits of an ID: the answers stay JSON', async () => {
		fixture.service.newId = () => 1234567;
		const item = onlyJson(await run(deploy(secretly('123456'))));
		expect(item.deployment_id).toBe('1234567');
	});

	it('the name itself: the deployment is found by it', async () => {
		const item = onlyJson(await run(deploy(secretly('web-service', 'SERVICE_NAME'))));
		expect(item.resource_private_name).toBe('web');
		const named = { ...secretly('web-service'), resourcePrivateName: 'web-service' };
		expect(onlyJson(await run(deploy(named)))).toMatchObject({
			resource_private_name: 'web-service',
		});
		expect(errorOf(await run(deploy(named))).message).toMatch(/"web-service" already exists/);
	});
});

describe('a secret that the service repeats', () => {
	const odd = 'pä"ss/wörd & <7>';
	const json = JSON.stringify({ detail: [{ loc: ['body', 'x'], msg: `bad ${odd} here` }] });
	const ascii = (text: string) =>
		text.replace(
			/[\u0080-\uffff]/g,
			(one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
		);
	it.each<[string, Answered]>([
		['as it is', { text: json }],
		['with its letters escaped', { text: ascii(json) }],
		['with its slashes escaped', { text: json.replaceAll('/', '\\/') }],
		['as JSON inside a text', { body: { detail: JSON.stringify({ token: odd }) } }],
		['as ASCII JSON inside a text', { body: { detail: ascii(JSON.stringify({ token: odd })) } }],
		['as text', { text: `bad ${odd}`, type: 'text/plain' }],
		['in a URL', { body: { detail: `GET /x?token=${encodeURIComponent(odd)}` } }],
		['in Base64', { body: { detail: `Basic ${Buffer.from(odd).toString('base64')}` } }],
		[
			'in a page',
			{
				text: '<html><title>bad pä&quot;ss/wörd &amp; &lt;7&gt; here</title>',
				type: 'text/html',
			},
		],
	])('%s is masked', async (_how, answer) => {
		refuse(answer);
		const text = seen(await run(deploy(secretly(odd), CONTINUE)));
		expect(text).toContain('***');
		for (const part of ['ss/w', 'ss\\\\/w', 'p\\\\u00e4', 'p%C3%A4', 'cMOk'])
			expect(text).not.toContain(part);
	});

	it('as the login of the registry is masked', async () => {
		const login = Buffer.from(`me:${SECRET}`).toString('base64');
		refuse({ body: { detail: `cannot pull with ${login}` } });
		expect(errorOf(await run(deploy(LOGIN))).message).not.toContain(login.slice(0, -2));
	});

	it('under any key, in the answer, in what is looked up and in an update, is masked', async () => {
		fixture.service.override = ({ method }, work) => {
			if (method === 'GET') return undefined;
			return { body: { ...(work().body as object), env: { A: SECRET }, [SECRET]: `x${SECRET}` } };
		};
		fixture.service.details = (shown, { order }) => ({ ...shown, ...order, env: [SECRET] });
		const bought = await run(deploy({ ...LOGIN, ...secretly(SECRET) }));
		expect(onlyJson(bought)).toMatchObject({ env: { A: '***' }, '***': 'x***' });
		const { id } = fixture.service.first;
		const update = await run(
			caas('deployment', 'update', {
				deploymentId: locator(String(id)),
				updateFields: { trafficPort: 81, registryUsername: 'me', registrySecret: SECRET },
			}),
		);
		expect(fixture.service.first.order.registry_config).toMatchObject({
			registry_secret: SECRET,
		});
		for (const each of [bought, update]) expect(seen(each)).not.toContain(SECRET);
	});

	it('in the lists of containers and jobs, and in settings that are text, is masked', async () => {
		await run(deploy({ ...LOGIN, ...secretly(SECRET) }));
		const { id, order } = fixture.service.first;
		fixture.service.details = (shown) => ({
			...shown,
			container_config: JSON.stringify(order.container_config),
			registryPassword: SECRET,
		});
		fixture.service.containers = () => [
			{ container_id: 'c', ...order, secretEnv: [`TOKEN=${SECRET}`] },
		];
		const of = { deploymentId: locator(String(id)) };
		const containers = await run(caas('container', 'getAll', { ...of, returnAll: true }));
		expect(onlyJson(containers)).toMatchObject({
			container_config: { secret_env_variables: { TOKEN: '***' } },
		});
		const details = await run(caas('deployment', 'get', of));
		expect(onlyJson(details).container_config).toContain('"TOKEN":"***"');
		for (const each of [containers, details]) expect(seen(each)).not.toContain(SECRET);
	});

	it('of a variable that is called "name" is masked', async () => {
		const dry = await run(deploy({ ...secretly(SECRET, 'name'), safety: { dryRun: true } }));
		expect(onlyJson(dry).request).toMatchObject({
			container_config: { secret_env_variables: { name: '***' } },
		});
		expect(seen(dry)).not.toContain(SECRET);
	});
});

describe('a secret of a wrong form is not in the error', () => {
	const rows = (...variables: unknown[]) => ({ secretEnvironment: { variables } }) as IDataObject;
	const more = (field: string, value: unknown): IDataObject => ({
		additionalFields: { registryUsername: 'me', [field]: value as string },
	});
	it.each<[string, IDataObject, RegExp]>([
		[
			'broken JSON',
			more('secretEnvironmentJson', `{"TOKEN": "${SECRET}"`),
			/Secret Variables \(JSON\) must be valid JSON, got a value of type text, which is not shown$/,
		],
		[
			'a list',
			more('secretEnvironmentJson', [`TOKEN=${SECRET}`]),
			/Secret Variables \(JSON\) must be a JSON object .*, got a value of type list/,
		],
		[
			'an object for a text',
			more('registrySecret', { token: SECRET }),
			/Registry Secret must be text, got a value of type object/,
		],
		[
			'NAME=value as the name',
			rows({ name: `TOKEN=${SECRET}`, value: 'x' }),
			/Secret Environment Variables 1: Name must not be empty and must not contain =/,
		],
		[
			'NAME=value in JSON',
			more('secretEnvironmentJson', { [`TOKEN=${SECRET}`]: 1 }),
			/Secret Variables \(JSON\) must not be empty and must not contain =/,
		],
		[
			'an object as the name',
			rows({ name: { TOKEN: SECRET }, value: 'x' }),
			/Secret Environment Variables 1: Name must be text, got a value of type object/,
		],
		[
			'an object as the value',
			rows({ name: 'TOKEN', value: { SECRET } }),
			/Secret Environment Variables 1: Value must give TOKEN a text, a number, true or false$/,
		],
	])('%s', async (_what, changes, message) => {
		const failed = await run(deploy(changes));
		expect(errorOf(failed).message).toMatch(message);
		expect(seen(failed)).not.toContain(SECRET);
		expect(fixture.service.asked).toEqual([]);
	});

	it('what is no number is not sent as one, and half a character is sent', async () => {
		const json = '={{ { "A": Number("x") } }}';
		const failed = await run(deploy({ additionalFields: { environmentJson: json } }));
		expect(errorOf(failed).message).toMatch(/must give A a text, a number, true or false$/);
		await run(deploy(secretly('half \ud800 character')));
		expect(fixture.service.made).toHaveLength(1);
	});
});
