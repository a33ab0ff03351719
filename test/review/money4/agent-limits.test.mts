import { describe, expect, it } from 'vitest';
import { LIMIT } from '../../engine/nodes.mts';
import { deploy, openService, twoAccounts } from './harness.mts';

describe('the limits of an agent', () => {
	const EXPRESSION = '={{ 999 }}';
	it.each<[string, object, boolean]>([
		['a fixed Maximum Price', { safety: LIMIT }, true],
		['none', { safety: {} }, false],
		['an expression', { safety: { maxPrice: EXPRESSION } }, false],
		['another currency by expression', { safety: { ...LIMIT, currency: '={{ "usdc" }}' } }, false],
		[
			'hours by expression and an hourly limit',
			{ safety: { maxHourlyPrice: 5 }, durationHours: '={{ 8 }}' },
			false,
		],
		['a fixed limit below the price', { safety: { maxPrice: 1 } }, false],
		['Maximum Running Cost alone', { safety: { maxRunningCost: 5 } }, false],
		[
			'a fixed limit and Use the Existing One',
			{ safety: { ...LIMIT, ifNameExists: 'useExisting' } },
			true,
		],
	])('%s', async (_, changes, isBought) => {
		const service = await openService();
		const engine = await twoAccounts(service);
		const tool = engine.tool(deploy({ ...changes }));
		await service.clock.during(tool({}).catch(() => ''));
		expect(service.machines).toHaveLength(isBought ? 1 : 0);
	});
});
