import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { caas, deployment, locator } from '../../engine/nodes.mts';
import { HOUR, type Json } from './service.mts';
import { begin, deploy, destroy, extend } from './stage.mts';

/** How a service says no with 200. */
const NOES: Json[] = [
	{ errors: { base: ['upstream connection refused'] } },
	{ errors: 'upstream connection refused' },
	{ code: '503', message: 'upstream connection refused' },
	{ statusCode: '503', message: 'upstream connection refused' },
];
const EMPTY = { deployments: [], total: 0 };

describe.each(NOES)('a list that is empty beside %j', (no) => {
	const withoutList = async (product: string) => {
		const stage = await begin();
		stage.service.instead = (call) =>
			call.what === 'list' && call.product === product
				? { body: { ...no, data: EMPTY } }
				: undefined;
		return stage;
	};

	it('does not make a name free', async () => {
		const { service, run } = await withoutList('vmaas');
		service.add('job');
		const { error } = await run(deploy());
		expect(service.bought).toEqual([]);
		expect(error).not.toBe('');
	});

	it.each([
		['destroyMany', { namePrefix: 'job', match: 'prefix', limit: 50, dryRun: false, options: {} }],
		['getAll', { returnAll: true, filters: { namePrefix: 'job' } }],
	] satisfies Array<[string, IDataObject]>)('is not nothing for %s', async (operation, form) => {
		const { service, run } = await withoutList('vmaas');
		service.add('job-1');
		const { items, error } = await run(deployment(operation, form));
		expect([items.length, error]).not.toEqual([0, '']);
	});

	it('is not an account in which nothing runs', async () => {
		const { service, run } = await withoutList('caas');
		service.add('web', { product: 'caas', paid: 24 * 100 });
		const { error } = await run(deploy({ safety: { maxRunningCost: 10 } }));
		expect(service.bought).toEqual([]);
		expect(error).toContain('Maximum Running Cost');
	});

	it('is no end while the backend is away, which took nothing', async () => {
		const { service, run } = await begin();
		const rental = service.add('train', { beganAt: service.clock.now() - 5 * HOUR });
		service.instead = ({ what }) => {
			if (what === 'details' && service.sent('details').length === 1) return undefined;
			return { body: { ...no, data: what === 'list' ? EMPTY : null } };
		};
		const { items } = await run(destroy(rental.id));
		expect(rental.asked).toBe(0);
		expect(items.filter(({ deleted }) => deleted === true)).toEqual([]);
	});
});

describe.each(NOES)('a refusal of %j', (no) => {
	const refusing = async (refused: string) => {
		const stage = await begin();
		stage.service.instead = ({ what }) => (what === refused ? { body: no } : undefined);
		return stage;
	};

	it('is not a deploy that was confirmed', async () => {
		const { service, run } = await refusing('deploy');
		const { all, error } = await run(deploy());
		expect(service.bought).toEqual([]);
		expect(all).not.toContain('confirmed');
		expect(error).not.toBe('');
	});

	it('is not an extension that was accepted', async () => {
		const { service, run } = await refusing('extend');
		const { items, error } = await run(extend(service.add('train').id, 1));
		expect(items.filter(({ accepted }) => accepted === true)).toEqual([]);
		expect(error).not.toBe('');
	});

	it('is not an update that was made', async () => {
		const { service, run } = await begin();
		service.instead = ({ method }) => (method === 'PATCH' ? { body: no } : undefined);
		const { id } = service.add('web', { product: 'caas' });
		const form = {
			deploymentId: locator(id),
			updateFields: { imageUrl: 'registry.example/web:2' },
		};
		const { items, error } = await run(caas('deployment', 'update', form));
		expect(items.filter(({ updated }) => updated === true)).toEqual([]);
		expect(error).not.toBe('');
	});

	it.each(['vmaas', 'caas'] as const)(
		'is not a destruction in %s that was accepted',
		async (product) => {
			const { service, run } = await refusing('destroy');
			const { id } = service.add('train', { product });
			const { parameters } = destroy(id, 'id', { verify: false });
			const node = product === 'vmaas' ? deployment : caas.bind(undefined, 'deployment');
			const { items, error } = await run(node('destroy', parameters as IDataObject));
			expect(items.filter(({ accepted }) => accepted === true)).toEqual([]);
			expect(error).toContain('may still');
		},
	);
});
