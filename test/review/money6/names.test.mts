import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import type { Call, Json, Service } from './service.mts';
import { deploy, destroy, stage } from './stage.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';
const NAME = 'Nightly-Training';

const show = (change: (entry: Json, isOwn: boolean) => Json) => (service: Service) => {
	const { list, details } = service;
	service.list = (entries, call) =>
		list(
			entries.map((entry, n) => change(entry, service.all[n]?.isOwn === true)),
			call,
		);
	service.details = (vm, shown) => {
		const own = details(vm, shown);
		return own && change(own, vm.isOwn);
	};
};

/** What the service makes of names, or shows of them. */
const NAMES: Array<[world: string, change: (service: Service) => void]> = [
	['kept', () => undefined],
	[
		'in lower case',
		(service) => {
			service.named = (name) => name.toLowerCase();
		},
	],
	[
		'cut at 10',
		(service) => {
			service.named = (name) => name.slice(0, 10);
		},
	],
	[
		'cut at 20, in lower case',
		(service) => {
			service.named = (name) => name.toLowerCase().slice(0, 20);
		},
	],
	[
		'with an account before',
		(service) => {
			service.named = (name) => `acme/${name}`;
		},
	],
	[
		'with underscores',
		(service) => {
			service.named = (name) => name.replaceAll('-', '_');
		},
	],
	['hidden of new ones', show((entry, isOwn) => (isOwn ? { ...entry, name: undefined } : entry))],
	['hidden', show((entry) => ({ ...entry, name: undefined }))],
	['empty', show((entry) => ({ ...entry, name: '' }))],
	[
		'made up by the service',
		(service) => {
			service.named = () => 'calm-river';
		},
	],
];

describe.each(NAMES)('Unique Name, where names are %s', (_world, change) => {
	/** In the same account, by other people. */
	const others = ['Nightly-Training', 'nightly-training-0123456789', 'Nightly-Tr', 'calm-river'];

	it.each([
		['no answer is lost', []],
		['the first answer is lost', [0]],
		['the second answer is lost', [1]],
		['all answers are lost', [0, 1, 2, 3]],
	])('and %s: each item is bought once, and told', async (_answers, lost) => {
		for (const settings of [{ ...RETRY, ...CONTINUE }]) {
			const { service, run } = await stage();
			for (const name of others) service.add(name);
			change(service);
			service.after = (call, said) =>
				isDeploy(call) && lost.includes(call.nth) ? { isLost: true } : said;
			const node = deploy({ resourcePrivateName: NAME, safety: { uniqueName: true } }, settings);
			const { items, all } = await run(node, [{}, {}]);
			const sent = service.calls
				.filter(isDeploy)
				.map(({ body }) => String(body.resource_private_name));
			expect(new Set(sent).size).toBe(sent.length);
			expect(sent.length).toBeLessThanOrEqual(2);
			// What others have bought is never given out as bought
			for (const { id, isOwn } of service.all)
				if (!isOwn) expect(items.map((item) => item.deployment_id)).not.toContain(id);
			for (const [index, { id }] of service.own.entries())
				expect(all.includes(id) || all.includes(sent[index] ?? 'missing')).toBe(true);
			if (lost.length === 0)
				expect(items.map((item) => item.deployment_id)).toEqual(service.own.map(({ id }) => id));
		}
	});

	it('what others have is never destroyed by the name that was asked for', async () => {
		const { service, run } = await stage();
		for (const name of ['nightly-training', 'Nightly-Training-2']) service.add(name);
		change(service);
		const node = destroy(NAME, {}, 'name');
		await run(node);
		expect(service.all.filter(({ endsAt }) => endsAt !== undefined)).toEqual([]);
	});
});

describe.each(NAMES)('a plain name, where names are %s', (_world, change) => {
	it.each([false, true])('two items and a retry buy one (lost: %s)', async (isLost) => {
		const { service, run } = await stage();
		service.add('of-somebody-else');
		change(service);
		service.after = (call, said) => (isDeploy(call) && isLost ? { isLost: true } : said);
		const { all } = await run(deploy({ resourcePrivateName: NAME }, { ...RETRY, ...CONTINUE }), [
			{},
			{},
		]);
		expect(service.own.length).toBeLessThanOrEqual(1);
		for (const { id } of service.own) expect(all.includes(id) || all.includes(NAME)).toBe(true);
	});
});
