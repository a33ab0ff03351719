import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caas, containerParameters, locator, RETRY } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { useCaasService, type Answered } from './caasService.mts';

/** Nothing is called done that the service does not show. */
const fixture = useCaasService();

async function deployed(changes: IDataObject = {}): Promise<string> {
	const node = caas('deployment', 'deploy', containerParameters(changes));
	return String(onlyJson(await fixture.engine.run(node)).deployment_id);
}

describe('update', () => {
	const update = async (id: string, updateFields: IDataObject = { trafficPort: 81 }) =>
		await fixture.engine.run(
			caas('deployment', 'update', { deploymentId: locator(id), updateFields }, RETRY),
		);
	/** What a PATCH answers; the work is done only where `answer` calls it. */
	const answering = (answer: (work: () => Answered) => Answered): void => {
		fixture.service.override = ({ method }, work) =>
			method === 'PATCH' ? answer(work) : undefined;
	};

	it.each<[string, Answered]>([
		['nothing', { status: 204, text: '' }],
		['an empty object', { body: {} }],
		['the former settings', { body: { data: { container_config: { traffic_port: 8080 } } } }],
		['another deployment', { body: { status: 'ok', deployment_id: 'another' } }],
	])('answered with %s: it counts when the details show it', async (_what, answer) => {
		const id = await deployed();
		answering(() => answer);
		expect(onlyJson(await update(id))).toMatchObject({
			deployment_id: id,
			updated: null,
			accepted: true,
			hint: 'The service accepted the update, but its details show traffic_port otherwise than sent.',
		});
		answering((work) => ({ ...work(), body: undefined, ...answer }));
		expect(onlyJson(await update(id))).toMatchObject({ deployment_id: id, updated: true });
		expect(fixture.service.sent('PATCH')).toHaveLength(2);
	});

	it('details in another form tell nothing: the outcome stays unknown', async () => {
		const id = await deployed();
		fixture.service.details = (shown) => ({
			...shown,
			container_config: { env_variables: [{ name: 'MODE', value: 'slow' }] },
		});
		answering((work) => (work(), { isLost: true }));
		const run = await update(id, { environmentJson: { MODE: 'fast' } });
		expect(errorOf(run).message).toMatch(/outcome unknown.* its details do not tell/);
		expect(fixture.service.sent('PATCH')).toHaveLength(1);
	});

	it.each<[string, IDataObject | undefined, number]>([
		['the former settings', {}, 2],
		['one of two new settings', { traffic_port: 81 }, 2],
		['none of the settings', undefined, 1],
	])('lost a quarter of an hour ago, where details show %s: sent %d times', async (...row) => {
		const [, shownSettings, times] = row;
		const id = await deployed();
		let looks = 0;
		fixture.service.override = ({ method, path }) => {
			const sent = fixture.service.sent('PATCH').length;
			if (sent === 1 && method === 'PATCH') return { isLost: true };
			// The last look of the first try
			if (sent === 1 && path.includes(id) && ++looks === 8) fixture.service.clock += 900_000;
			return undefined;
		};
		fixture.service.details = (shown) => {
			const sent = fixture.service.sent('PATCH').length;
			if (sent !== 1) return shown;
			const config = shown.container_config as IDataObject;
			return {
				...shown,
				container_config: shownSettings && { ...config, ...shownSettings },
				...(!shownSettings && { registry_config: null }),
			};
		};
		const run = await update(id, { trafficPort: 81, imageUrl: 'registry.example/web:2' });
		expect(fixture.service.sent('PATCH')).toHaveLength(times);
		if (times === 1) expect(errorOf(run).message).toContain('outcome unknown');
		else expect(onlyJson(run)).toMatchObject({ deployment_id: id, updated: true });
	});

	it.each(['Destroyed', 'termination_requested'])(
		'of one that is %s is not sent',
		async (status) => {
			const id = await deployed();
			fixture.service.details = (shown) => ({ ...shown, status });
			expect(errorOf(await update(id)).message).toBe(
				`Deployment ${id} is "${status}" and cannot be updated`,
			);
			expect(fixture.service.sent('PATCH')).toEqual([]);
		},
	);

	it('cancelled while it reads is not sent, and the log does not say that it was', async () => {
		const id = await deployed();
		const cancel = new AbortController();
		fixture.service.override = ({ method }) => {
			if (method === 'GET') cancel.abort();
			return undefined;
		};
		const node = caas('deployment', 'update', {
			deploymentId: locator(id),
			updateFields: { trafficPort: 81 },
		});
		await fixture.engine.run(node, [{}], { cancel: cancel.signal }).catch(() => undefined);
		expect(fixture.service.sent('PATCH')).toEqual([]);
		expect(fixture.log.map(({ message }) => message).join()).not.toContain('under way');
	});
});

describe('extend', () => {
	it('under a price limit asks for no price of a location without an ID', async () => {
		const id = await deployed();
		fixture.service.details = (shown) => ({ ...shown, locations: [{ iso2: 'FI' }] });
		const run = await fixture.engine.run(
			caas('deployment', 'extend', {
				deploymentId: locator(id),
				durationHours: 3,
				safety: { maxPrice: 100 },
			}),
		);
		expect(errorOf(run).message).toMatch(
			/^The price limit cannot be checked: .* do not show the ID of its location$/,
		);
		expect(fixture.service.sent('POST')).toHaveLength(1);
	});
});

describe('use the existing one', () => {
	it('that runs another image, or fewer containers, comes with a hint', async () => {
		await deployed();
		fixture.service.details = (shown) => ({
			...shown,
			total_containers: undefined,
			total_gpus: undefined,
		});
		const again = async (changes: IDataObject) =>
			onlyJson(
				await fixture.engine.run(
					caas(
						'deployment',
						'deploy',
						containerParameters({ safety: { ifNameExists: 'useExisting' }, ...changes }),
					),
				),
			);
		expect(await again({})).not.toHaveProperty('hint');
		expect(await again({ imageUrl: 'registry.example/web:2' })).toMatchObject({
			existing: true,
			hint: 'It runs the image registry.example/web:1, and registry.example/web:2 is ordered: Deployment > Update changes it.',
		});
		await expect(again({ replicaCount: 3 })).rejects.toThrow(
			'does not show how many containers and GPUs it has',
		);
		fixture.service.details = (shown) => ({ ...shown, total_containers: 3, total_gpus: 3 });
		expect(await again({ replicaCount: 3 })).toMatchObject({
			hint: 'The service may add its minutes up over GPUs, so less of its paid time may be left. It has 1 containers, and 3 are ordered.',
		});
	});
});

describe('reachable', () => {
	const asked: string[] = [];
	const answer = ({ url }: IncomingMessage, response: ServerResponse) => {
		asked.push(String(url));
		response.writeHead(url?.startsWith('/broken') ? 500 : 200).end();
	};
	const server = createServer(answer);
	let up = '';
	beforeAll(async () => {
		await once(server.listen(0, '127.0.0.1'), 'listening');
		up = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	afterAll(() => server.close());

	const wait = async (id: string, changes: IDataObject = {}) =>
		onlyJson(
			await fixture.engine.run(
				caas('deployment', 'waitFor', {
					deploymentId: locator(id),
					waitUntil: 'reachable',
					healthPath: '/health',
					pollInterval: 5,
					timeout: 20,
					onTimeout: 'output',
					...changes,
				}),
			),
		);
	const show = (...urls: unknown[]) => {
		fixture.service.containers = () =>
			urls.map((url, index) => ({ container_id: index, status: 'running', public_url: url }));
	};

	it.each<[string, IDataObject, RegExp]>([
		['no total', { total_containers: undefined }, /^1 of 2 containers are listed$/],
		['a total of 0', { total_containers: 0 }, /^1 of 2 containers are listed$/],
		[
			'no number at all',
			{ total_containers: 0, container_config: undefined },
			/^0 of 1 containers are listed$/,
		],
	])('with %s in the details waits for each container', async (_what, details, missing) => {
		const id = await deployed({ replicaCount: 2 });
		fixture.service.details = (shown) => ({ ...shown, ...details });
		show(...(details.container_config === undefined && 'container_config' in details ? [] : [up]));
		const { reached, missing: said } = await wait(id);
		expect(reached).toBe(false);
		expect(said).toMatch(missing);
	});

	it.each<[string, () => Answered]>([
		['is not there yet', () => ({ status: 404, text: 'Not found' })],
		['is null yet', () => ({ body: { data: { total: 0, workers: null } } })],
	])('a list that %s is waited for', async (_what, answered) => {
		const id = await deployed();
		show(up);
		let looks = 0;
		fixture.service.override = ({ path }) =>
			path.endsWith('/containers') && looks++ < 4 ? answered() : undefined;
		expect(await wait(id)).toMatchObject({ reached: true, public_url: up });
	});

	it('a URL with a path, a query or a slash at its end is asked under the health path', async () => {
		const id = await deployed({ replicaCount: 3 });
		show(`${up}/app/`, `${up}/?key=1`, up);
		asked.length = 0;
		expect(await wait(id)).toMatchObject({ reached: true });
		expect(asked).toEqual(['/app/health', '/health?key=1', '/health']);
		asked.length = 0;
		await wait(id, { healthPath: '/health?deep=1' });
		expect(asked).toEqual(['/app/health?deep=1', '/health?deep=1', '/health?deep=1']);
	});

	it('an address without a scheme is asked by HTTPS; what is no web address is none', async () => {
		const id = await deployed();
		show('web.example.invalid:8443/app');
		expect((await wait(id)).missing).toMatch(
			/^https:\/\/web\.example\.invalid:8443\/app\/health does not answer/,
		);
		for (const other of ['/app', 'pending', 'ftp://web.example.invalid/', {}, '']) {
			show(other);
			expect((await wait(id)).missing).toBe('1 of 1 containers have no public URL yet');
		}
	});

	it('one that answers with 500 is not', async () => {
		const id = await deployed({ replicaCount: 2 });
		show(up, `${up}/broken`);
		expect(await wait(id)).toMatchObject({
			reached: false,
			missing: `${up}/broken/health answers with 500`,
		});
	});

	it('a container that was replaced need not be', async () => {
		const id = await deployed();
		fixture.service.containers = () => [
			{ container_id: 'old', status: 'Replaced', public_url: null },
			{ container_id: 'new', status: 'running', public_url: up },
		];
		expect(await wait(id)).toMatchObject({ reached: true, public_urls: [up] });
	});
});
