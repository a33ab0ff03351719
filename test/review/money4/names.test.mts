import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import type { Machine } from './service.mts';
import { by, chain, deploy, destroy, openService, told, twoAccounts } from './harness.mts';

const isPost = ({ method }: { method: string }) => method === 'POST';

/** What a service may make of a name. */
const RENAMED: Array<[string, (name: string) => string]> = [
	['lower case', (name) => name.toLowerCase()],
	['slug', (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')],
	['underscores', (name) => name.replace(/[^A-Za-z0-9]+/g, '_')],
	['no blanks', (name) => name.replace(/\s+/g, '')],
	['cut at 20', (name) => name.slice(0, 20)],
	['trimmed', (name) => name.trim()],
	['accents removed', (name) => name.normalize('NFD').replace(/\p{M}/gu, '')],
	['composed', (name) => name.normalize('NFC')],
	['decomposed', (name) => name.normalize('NFD')],
	['lower case and cut at 20', (name) => name.toLowerCase().slice(0, 20)],
	['collapsed blanks', (name) => name.replace(/\s+/g, ' ')],
];

describe.each(['Nightly  Training Ü&B (v2)', 'café-LLM_Fine.Tune 2026'])(
	'the name "%s"',
	(name) => {
		it.each(RENAMED)('in %s is bought once, also after a lost answer', async (_, rename) => {
			const service = await openService();
			service.change = (call, said) => {
				if (!isPost(call)) return said;
				service.machines.forEach((made) => (made.name = rename(made.name)));
				return { cut: true };
			};
			const engine = await twoAccounts(service);
			const order = { resourcePrivateName: name };
			await chain(engine, service, [deploy(order, by('one', { ...RETRY, ...CONTINUE }))]);
			const run = await chain(engine, service, [deploy(order)], { executionId: '2' });
			expect(service.machines).toHaveLength(1);
			expect(told(run).error).toContain('already exists');
		});

		it.each(RENAMED)('in %s is named in the output', async (_, rename) => {
			const service = await openService();
			service.change = (call, said) => {
				if (isPost(call)) service.machines.forEach((made) => (made.name = rename(name)));
				return said;
			};
			const run = await chain(await twoAccounts(service), service, [
				deploy({ resourcePrivateName: name }),
				destroy('={{ $json.resource_private_name }}', {}, by('one'), 'name'),
			]);
			expect(told(run).error).toBeUndefined();
			expect(service.running).toEqual([]);
		});
	},
);

describe('Use the Existing One', () => {
	const use = (more = {}) => deploy({ safety: { ifNameExists: 'useExisting', ...more } });
	it.each<[string, Partial<Machine>, boolean]>([
		['runs long enough', {}, true],
		['has too little time', { hours: 1 }, false],
		['is being destroyed', { status: 'termination requested' }, false],
		['has an unknown state', { status: 'paused' }, false],
		['is requested', { status: 'deployment requested' }, true],
		['has another name by case', { name: 'JOB' }, false],
		['has a longer name', { name: 'job-2' }, false],
	])('that %s', async (_, changes, isUsed) => {
		const service = await openService();
		service.add(changes);
		const run = await chain(await twoAccounts(service), service, [use()]);
		const { of } = told(run);
		expect(of('N1')[0]?.existing === true).toBe(isUsed);
	});

	it('after a lost deploy with Retry On Fail is one', async () => {
		const service = await openService({ behindMs: 30_000 });
		service.change = (call, said) => (isPost(call) ? { cut: true } : said);
		const node = deploy({ safety: { ifNameExists: 'useExisting' } }, by('one', RETRY));
		const run = await chain(await twoAccounts(service), service, [node, node]);
		expect(service.machines).toHaveLength(1);
		expect(told(run).error).toBeUndefined();
	});
});
