import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { hardwareRows } from '../../nodes/marketplace/hardwareRows.ts';
import { entryJson } from '../../nodes/marketplace/log/entry.ts';
import { loadContainers, searchContainers } from '../../nodes/marketplace/log/listSearch.ts';
import type { Offer } from '../../nodes/marketplace/offers.ts';
import { getSpending } from '../../nodes/marketplace/operations/getSpending.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { entry, functionsOf, LOG } from './log-parts.mts';
import { Market, productContext } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';

describe('the output of a log entry', () => {
	const at = '2026-01-01T00:00:00.000Z';

	it('has no more than what is there', () => {
		expect(entryJson(LOG, 3, entry('text'), at)).toStrictEqual({
			line: 'text',
			stream: 'stdout',
			deployment_id: 'd',
			container_id: 'c',
			offset: 3,
			received_at: at,
		});
		expect(entryJson(LOG, null, entry('text', { type: 'message' }), at)).not.toHaveProperty(
			'event',
		);
	});

	it('has the JSON of a line, the name of its event, and whether it was cut', () => {
		const event = entry('{"a":1}', { type: 'warning', truncated: true });
		expect(entryJson(LOG, 'x', event, at)).toStrictEqual({
			line: '{"a":1}',
			stream: 'stdout',
			deployment_id: 'd',
			container_id: 'c',
			offset: 'x',
			received_at: at,
			data: { a: 1 },
			event: 'warning',
			truncated: true,
		});
	});
});

describe('the list of hardware', () => {
	const label = ({ deploy_id, price }: Offer) => `${deploy_id} for ${price}`;

	it('has each hardware once, by its cheapest offer, and those without GPUs last', () => {
		const rows = hardwareRows(
			[
				{ deploy_id: 1, num_cards: 0, price: 1 },
				{ deploy_id: 2, num_cards: 1, price: 9 },
				{ deploy_id: 3, num_cards: 1, price: 4 },
				{ deploy_id: 2, num_cards: 1, price: 3 },
				{ deploy_id: 4, num_cards: 0, price: 0.5 },
				{ deploy_id: 5, num_cards: 8, price: 2, sold_out: true },
			],
			label,
		);
		expect(rows).toEqual([
			{ name: '2 for 3', value: 2 },
			{ name: '3 for 4', value: 3 },
			{ name: '5 for 2', value: 5 },
			{ name: '4 for 0.5', value: 4 },
			{ name: '1 for 1', value: 1 },
		]);
	});

	it('leaves out what cannot be ordered', () => {
		const offers = [{ num_cards: 1, price: 1 }, { deploy_id: null }, { deploy_id: 'a', price: 2 }];
		expect(hardwareRows(offers as Offer[], label)).toEqual([{ name: 'a for 2', value: 'a' }]);
	});
});

describe('the list of containers', () => {
	const containers = [
		{ container_id: '0123456789ab', hardware: 'H100', status: 'running' },
		{ container_id: 42 },
	];
	const asked: string[] = [];
	const formWith = (deploymentId: unknown) =>
		functionsOf(
			({ url }) => {
				asked.push(new URL(url).pathname);
				return { json: { data: { workers: containers } } };
			},
			{ getCurrentNodeParameter: () => deploymentId },
		) as unknown as ILoadOptionsFunctions;

	it.each([undefined, ''])('is empty while the deployment is %j', async (deploymentId) => {
		asked.length = 0;
		expect(await loadContainers.call(formWith(deploymentId))).toEqual([]);
		expect(asked).toEqual([]);
	});

	it('shows number, hardware, state and the beginning of the ID', async () => {
		const rows = [
			{ name: '1 · H100 · running · 01234567', value: '0123456789ab' },
			{ name: '2 · hardware unknown · state unknown · 42', value: '42' },
		];
		expect(await loadContainers.call(formWith('d1'))).toEqual(rows);
		expect(asked.at(-1)).toMatch(/\/caas\/deployment\/d1\/containers$/);
		expect(await searchContainers.call(formWith('d1'), '89AB h100')).toEqual({
			results: [rows[0]],
		});
	});
});

describe('what was spent', () => {
	const operation = getSpending(VMAAS);
	const inputOf = (filters: IDataObject = {}) =>
		operation.input(
			formOf(operation, { groupBy: 'deployment', filters, options: {} }),
			() => undefined,
		);

	it.each(['namePrefix', 'createdAfter', 'createdBefore'])(
		'is not that of all where the filter %s is left empty',
		(name) => {
			for (const empty of ['', ' ', null])
				expect(message(() => inputOf({ [name]: empty }))).toContain(
					'must not be empty; remove the filter to include everything',
				);
		},
	);

	it('is that of all without a filter', () => {
		expect(inputOf()).toEqual({
			groupBy: 'deployment',
			namePrefix: undefined,
			createdAfter: -Infinity,
			createdBefore: Infinity,
			maxDeployments: 500,
		});
	});

	it('is that of a time from its begin to before its end, in UTC', async () => {
		const market = new Market();
		for (const [id, created_at] of [
			['before', '2026-01-01T23:59:59Z'],
			['first', '2026-01-02T00:00:00Z'],
			['last', '2026-01-02T23:59:59Z'],
			['after', '2026-01-03T00:00:00Z'],
		] as const)
			market.add(id, { status: 'destroyed', amount_paid: 2, created_at });
		const input = inputOf({ createdAfter: '2026-01-02', createdBefore: '2026-01-03' });
		const items = (await operation.run(await productContext(market), input)) as IDataObject[];
		expect(items.map(({ deployment_id, paid }) => [deployment_id, paid])).toEqual([
			['first', 2],
			['last', 2],
		]);
		expect(market.asked.filter((request) => request !== 'GET deployments')).toEqual([]);
	});
});
