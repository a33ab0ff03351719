import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { catalogue, offer } from '../engine/offers.mts';
import type { PolledTrigger } from '../engine/poll.mts';
import { ids, pollsOf } from './polls.mts';

const fixture = useFixture();
let trigger: PolledTrigger;
const { watch, next } = pollsOf(fixture, (one) => (trigger = one));

describe('offer matches', () => {
	const price = (value: number) => catalogue(fixture.sandbox, offer({ price: value }));

	it('tells an offer that appears or gets cheap enough, and again when it has gone', async () => {
		price(3);
		await watch('offerMatches', { maxHourlyPrice: 2, filters: { gpu: 'H100' } });
		expect(await next()).toEqual([]);
		price(1.9);
		expect(await next()).toMatchObject([
			{ event: 'offerMatches', name: 'H100', price: 1.9, hourly_price: 1.9, former_price: null },
		]);
		price(1.5);
		expect(await next()).toEqual([]);
		price(2.1);
		expect(await next()).toEqual([]);
		price(1.5);
		expect(await next()).toHaveLength(1);
		catalogue(fixture.sandbox, offer({ price: 1.5, capacity: 0 }));
		expect(await next()).toEqual([]);
		price(1.5);
		expect(await next()).toHaveLength(1);
		expect(ids(trigger.items)).toBe(3);
	});

	it('tells a lower price where that is wanted', async () => {
		price(3);
		await watch('offerMatches', { offerOptions: { alsoCheaper: true } });
		price(2);
		expect(await next()).toMatchObject([{ price: 2, former_price: 3 }]);
		price(4);
		expect(await next()).toEqual([]);
		price(2.5);
		expect(await next()).toEqual([]);
		price(1.5);
		expect(await next()).toMatchObject([{ price: 1.5, former_price: 2 }]);
	});

	it('one empty answer is not believed', async () => {
		price(1);
		await watch('offerMatches');
		const hardware = { match: { path: '/vmaas/hardware' }, status: 200 };
		fixture.sandbox.faults.add({ ...hardware, body: { data: { hardware: [] } } });
		expect([await next(), await next()]).toEqual([[], []]);
		fixture.sandbox.faults.add({ ...hardware, times: 2, body: { data: { hardware: [] } } });
		expect([await next(), await next()]).toEqual([[], []]);
		expect(await next()).toHaveLength(1);
	});

	it('a service that ignores the filters shows nothing that does not pass', async () => {
		fixture.sandbox.adopt({ filters: 'ignored' });
		price(1);
		await watch('offerMatches', { filters: { gpuMemoryMin: 80 } });
		catalogue(
			fixture.sandbox,
			offer({ vram_per_card: 80, deploy_id: 2 }),
			offer({ vram_per_card: 24, deploy_id: 3 }),
		);
		expect(await next()).toMatchObject([{ deploy_id: 2 }]);
	});
});
