import { describe, expect, it } from 'vitest';
import { chain, destroy, openService, told, twoAccounts } from './harness.mts';

describe('a DELETE that is taken, after which the deployment', () => {
	it.each([3, 10, 15])(
		'is hidden for %i seconds and runs on is not called ended',
		async (seconds) => {
			const service = await openService();
			const one = service.add();
			service.add({ name: 'other' });
			let requests = 0;
			service.before = ({ method, at }) => {
				if (method !== 'DELETE') return undefined;
				// The end fails the first time
				if (requests++ > 0) return undefined;
				Object.assign(one, { hiddenFrom: at, hiddenUntil: at + seconds * 1_000 });
				return { json: { status: 'termination requested', deployment_id: one.id } };
			};
			const run = await chain(await twoAccounts(service), service, [destroy('d-1')]);
			const { of, error } = told(run);
			const isClaimed = of('N1')[0]?.deleted === true;
			expect({ isClaimed, isRunning: one.endedAt === undefined, error }).toEqual({
				isClaimed: true,
				isRunning: false,
				error: undefined,
			});
		},
	);

	it('is hidden for good, and ended, is called so within half a minute', async () => {
		const service = await openService({ showsEnded: false });
		service.add();
		service.add({ name: 'other' });
		const begun = service.clock.now();
		const run = await chain(await twoAccounts(service), service, [destroy('d-1')]);
		expect(told(run).of('N1')).toMatchObject([{ deleted: true, verified: true }]);
		expect(service.clock.now() - begun).toBeLessThanOrEqual(30_000);
	});
});
