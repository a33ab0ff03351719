import { describe, expect, it } from 'vitest';
import { destroyEach } from '../../nodes/marketplace/destroy.ts';
import type { Reference } from '../../nodes/marketplace/references.ts';
import type { DestroyOptions } from '../../nodes/marketplace/teardown.ts';
import { Market, productContext, REFUSED, refusalOf } from './market-parts.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

const OPTIONS: DestroyOptions = { verify: true, verifyTimeout: 120, ifNotFound: 'error' };

const destroy = async (market: Market, references: Reference[], options = OPTIONS) =>
	await destroyEach(await productContext(market), references, options);

const deletes = ({ asked }: Market) => asked.filter((request) => request.startsWith('DELETE'));

const GONE = { deleted: true, already_gone: false, verified: true };

describe('a deployment that cannot be destroyed', () => {
	it('is named, since it may go on billing', async () => {
		const market = new Market().add('d1');
		market.instead = (request) => (request.startsWith('DELETE') ? REFUSED : undefined);
		const refusal = await refusalOf(destroy(market, [{ id: 'd1' }]));
		expect(refusal?.description).toMatch(/^Deployment d1 may still run and bill\. \S/);
		expect(refusal?.known).toEqual({ deployment_id: 'd1' });
		const byName = await refusalOf(destroy(market, [{ name: 'job' }]));
		expect(byName?.description).toMatch(/^Deployment "job" may still run and bill\. \S/);
		expect(byName?.known).toEqual({ resource_private_name: 'job' });
	});

	it('is named without more, where the error has no advice', async () => {
		const market = new Market().add('d1').add('d2');
		const refusal = await refusalOf(destroy(market, [{ name: 'job' }]));
		expect(refusal?.message).toMatch(/^2 deployments named "job" have not ended: d1, d2/);
		expect(refusal?.description).toBe('Deployment "job" may still run and bill.');
	});

	it('does not keep another one, and the error tells of both', async () => {
		const market = new Market().add('d1').add('d2');
		market.instead = (request) => (request === 'DELETE deployment/d1' ? REFUSED : undefined);
		const refusal = await refusalOf(destroy(market, [{ id: 'd1' }, { id: 'd2' }]));
		expect(refusal?.message).toBe('1 of 2 deployments may still run: d1');
		expect(refusal?.description).toMatch(/^d1: .+\nd2 was destroyed$/);
		expect(refusal?.known).toMatchObject({
			failed: ['d1'],
			done: [{ deployment_id: 'd2', ...GONE }],
		});
	});
});

describe('a deployment that is destroyed', () => {
	it('by its name is told by its name', async () => {
		const market = new Market().add('d1');
		expect(await destroy(market, [{ name: 'job' }])).toEqual([
			expect.objectContaining({ ...GONE, deployment_id: 'd1', resource_private_name: 'job' }),
		]);
	});

	it.each([[['job']], [['job', 'other']]])(
		'by the names %j is the one that the first try meant, though a newer one has its name',
		async (names) => {
			const market = new Market().add('d1').add('d2', { resource_private_name: 'other' });
			market.instead = (request) => (request === 'DELETE deployment/d1' ? REFUSED : undefined);
			const context = await productContext(market);
			const references = names.map((name) => ({ name }));
			const destroying = async () => await destroyEach(context, references, OPTIONS);
			await refusalOf(destroying());
			market.instead = () => undefined;
			market.add('d1', { status: 'destroyed' });
			market.add('d3');
			expect(await destroying()).toMatchObject([
				{ deleted: true, already_gone: true, deployment_id: 'd1', resource_private_name: 'job' },
				...names.slice(1).map(() => ({ deleted: true, deployment_id: 'd2' })),
			]);
			expect(deletes(market)).not.toContain('DELETE deployment/d3');
		},
	);

	it('by a name is looked for again, where nothing shows what the first try meant', async () => {
		const market = new Market();
		const context = await productContext(market);
		context.journal.note({ what: 'Destroy Many', meant: { job: 'd0' } });
		market.add('d1');
		const items = await destroyEach(context, [{ name: 'job' }], OPTIONS);
		expect(items).toMatchObject([{ ...GONE, deployment_id: 'd1' }]);
		expect(context.journal.intent()).toEqual({ what: 'Destroy Many', meant: { job: 'd1' } });
	});

	it('by its ID is told without a name', async () => {
		const [item] = await destroy(new Market().add('d1'), [{ id: 'd1' }]);
		expect(item).toMatchObject({ ...GONE, deployment_id: 'd1' });
		expect(item).not.toHaveProperty('resource_private_name');
	});

	it('with others is told to end once', async () => {
		const market = new Market().add('d1').add('d2', { resource_private_name: 'other' });
		expect(await destroy(market, [{ id: 'd1' }, { name: 'other' }])).toEqual([
			expect.objectContaining({ ...GONE, deployment_id: 'd1' }),
			expect.objectContaining({ ...GONE, deployment_id: 'd2', resource_private_name: 'other' }),
		]);
		expect(deletes(market)).toEqual(['DELETE deployment/d1', 'DELETE deployment/d2']);
	});

	it('and is meant twice, is gone already the second time', async () => {
		const market = new Market().add('d1').add('d2');
		const items = await destroy(market, [{ id: 'd1' }, { id: 'd2' }, { id: 'd1' }]);
		expect(items.map(({ deployment_id, already_gone }) => [deployment_id, already_gone])).toEqual([
			['d1', false],
			['d2', false],
			['d1', true],
		]);
	});

	it('by a name whose deployments have ended is gone already', async () => {
		const market = new Market().add('d1', { status: 'destroyed' });
		const destroyed = await ended(destroy(market, [{ name: 'job' }]));
		expect(destroyed.value).toEqual([
			{
				deleted: true,
				deployment_id: 'd1',
				already_gone: true,
				verified: true,
				resource_private_name: 'job',
				hint: 'Every deployment of this name has ended: d1',
			},
		]);
		expect(deletes(market)).toEqual([]);
	});
});

describe('a name that does not show', () => {
	it('is looked for for two minutes, and then at once said to be unknown', async () => {
		const context = await productContext(new Market());
		const again = async () =>
			await ended(destroyEach(context, [{ name: 'job' }], { ...OPTIONS, ifNotFound: 'output' }));
		const unknown = [
			{
				deleted: null,
				deployment_id: null,
				resource_private_name: 'job',
				already_gone: false,
				verified: false,
				accepted: false,
				reason: 'not found',
				hint: 'There is no deployment named "job"',
			},
		];
		expect(await again()).toEqual({ value: unknown, seconds: 120 });
		expect(await again()).toEqual({ value: unknown, seconds: 0 });
	});

	it('is destroyed once it shows', async () => {
		const market = new Market();
		setTimeout(() => market.add('d1'), 5_000);
		const { value, seconds } = await ended(destroy(market, [{ name: 'job' }]));
		expect(value).toMatchObject([{ ...GONE, deployment_id: 'd1', resource_private_name: 'job' }]);
		expect(seconds).toBe(6);
	});
});
