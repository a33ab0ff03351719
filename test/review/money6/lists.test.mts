import { describe, expect, it } from 'vitest';
import { CONTINUE, deployment, RETRY } from '../../engine/nodes.mts';
import { deploy, KEY, stage } from './stage.mts';

const empty = { deployments: [], total: 0 };

/** Lists with 200 that show nothing and say no. */
const REFUSED: Array<[world: string, list: unknown]> = [
	['an error beside it', { data: empty, error: { message: `busy ${KEY}` } }],
	['success false', { success: false, data: empty }],
	['a status of 503 in the body', { status: 503, data: empty }],
	['a status word', { status: 'error', message: 'busy', data: { deployments: [] } }],
	['an error in its envelope', { data: { error: 'index is gone', deployments: [] } }],
	['false', false],
	['null as its envelope', { data: null, error: 'busy' }],
];

describe.each(REFUSED)('a list of deployments that is empty, with %s', (_world, list) => {
	it('frees no name that is taken', async () => {
		for (const settings of [RETRY, CONTINUE]) {
			const { service, run } = await stage();
			service.add('job');
			service.list = () => list;
			const { items, error, all } = await run(deploy({}, settings));
			expect(service.own).toEqual([]);
			expect(error || items[0]?.error).toBeTruthy();
			expect(all).not.toContain(KEY);
		}
	});

	it('has nobody told that nothing runs', async () => {
		const { service, run } = await stage();
		service.add('job');
		service.list = () => list;
		const all = await run(deployment('getAll', { returnAll: true, filters: {} }));
		expect(all.error).not.toBe('');
		const many = { namePrefix: 'job', match: 'prefix', limit: 50, dryRun: true, options: {} };
		expect((await run(deployment('destroyMany', many))).error).not.toBe('');
	});
});

it.each<[string, unknown]>([
	['without more', { data: empty }],
	['with success', { success: true, status: 'ok', data: empty }],
	['with an empty error', { error: null, data: empty }],
	['with a note', { message: 'ok', data: empty }],
])('a list of an account that has none, %s, lets buy', async (_world, list) => {
	const { service, run } = await stage();
	service.list = () => list;
	const { items } = await run(deploy());
	expect(items).toMatchObject([{ deployment_id: service.own[0]?.id }]);
});
