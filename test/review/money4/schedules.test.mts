import { describe, expect, it } from 'vitest';
import { caas, CONTINUE, deployment, locator, RETRY } from '../../engine/nodes.mts';
import type { Said } from './service.mts';
import { by, chain, deploy, deployContainer, openService, told, twoAccounts } from './harness.mts';

/** Numbers from 0 up to 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** What may come in place of an answer, whether or not the service has done its work. */
const ODD: Said[] = [
	{ cut: true },
	{ status: 500, text: '' },
	{ status: 502, text: '<html>bad gateway</html>', type: 'text/html' },
	{ status: 503, text: '', headers: { 'retry-after': '7' } },
	{ status: 504, json: { detail: 'timeout' } },
	{ status: 404, text: '<html>404 page</html>', type: 'text/html' },
	{ status: 404, json: { message: 'no Route matched with those values' } },
	{ status: 200, text: '' },
	{ status: 200, json: { success: false, message: 'try later' } },
	{ status: 303, text: '', headers: { location: '/elsewhere' } },
];
/** A no of the service itself, which has then done nothing. */
const NO: Said[] = [
	{ status: 409, json: { detail: 'busy' } },
	{ status: 422, json: { detail: [{ loc: ['body'], msg: 'not in this state', type: 'x' }] } },
	{ status: 429, text: '', headers: { 'retry-after': '4' } },
	{ status: 401, json: { detail: 'no' } },
];

describe.each(['vmaas', 'caas'])('%s: deploy, extend and destroy', (product) => {
	it.each(Array.from({ length: 60 }, (_, index) => index + 1))('schedule %i', async (seed) => {
		const random = randomOf(seed * 7919 + (product === 'caas' ? 1 : 0));
		const pick = <T,>(from: T[]): T => from[Math.floor(random() * from.length)] as T;
		const service = await openService({
			behindMs: pick([0, 0, 5_000, 50_000]),
			showsEnded: random() < 0.7,
		});
		service.add({ name: 'other', product });
		service.add({ name: 'job-2', product });
		let faults = Math.floor(random() * 7);
		const share = random() * 0.5;
		const isFault = () => random() < share && faults-- > 0;
		service.before = ({ method }) => {
			if (!isFault()) return undefined;
			return { ...pick(method === 'GET' || random() < 0.5 ? ODD : NO) };
		};
		service.change = ({ method }, said) =>
			method !== 'GET' && isFault()
				? { ...pick(ODD) }
				: random() < 0.1
					? { ...said, after: 1_000 + random() * 20_000 }
					: said;
		const make = product === 'vmaas' ? deploy : deployContainer;
		const settings = random() < 0.5 ? RETRY : {};
		const isByName = random() < 0.4;
		const name = 'job';
		const of = isByName
			? locator(name, 'name')
			: locator(`={{ $json.deployment_id ?? $('N1').first().json.deployment_id }}`);
		const node = (operation: string, parameters: object, more = {}) => {
			const all = { deploymentId: of, ...parameters };
			const own = by('one', { ...settings, ...more });
			return product === 'vmaas'
				? deployment(operation, all, own)
				: caas('deployment', operation, all, own);
		};
		const run = await chain(await twoAccounts(service), service, [
			make({ resourcePrivateName: name }, by('one', { ...settings, ...CONTINUE })),
			node('extend', { durationHours: 2, safety: {} }, CONTINUE),
			node('destroy', { options: {} }),
		]);
		const { of: outputs, error } = told(run);
		const shown = JSON.stringify([outputs('N1'), outputs('N2'), outputs('N3')]) + error;
		const bought = service.machines.slice(2);
		expect(bought.length).toBeLessThanOrEqual(1);
		expect(service.machines.slice(0, 2).every(({ endedAt }) => endedAt === undefined)).toBe(true);
		const [one] = bought;
		if (!one) {
			expect(JSON.stringify(outputs('N3'))).not.toContain('"deleted":true');
			return;
		}
		expect(shown).toMatch(new RegExp(`${one.id}\\b|"?job"?`));
		expect([2, 4]).toContain(one.hours);
		if (outputs('N2')[0]?.added_hours === 2) expect(one.hours).toBe(4);
		if (outputs('N3')[0]?.deleted === true) expect(one.endedAt).toBeDefined();
		// What still bills must not end in silence
		if (one.endedAt === undefined)
			expect(error !== undefined || outputs('N3')[0]?.deleted === null).toBe(true);
	});
});
