import type { IDataObject } from 'n8n-workflow';
import { vi } from 'vitest';
import type { Cut, HabitsOfShort } from './serviceShort.mts';
import { worldShort } from './worldShort.mts';

/** What happens while connections are short. */
interface Scenario {
	habits?: Partial<HabitsOfShort>;
	parameters?: IDataObject;
	options?: IDataObject;
	/** The container starts again, with these lines first. */
	banner?: string[];
	/** Connections end in order as well, or are refused. */
	ends?: boolean;
	refuses?: boolean;
	stops?: boolean;
	/** Lines may come twice. */
	repeats?: boolean;
	/** Every line has others like it. */
	isEqual?: boolean;
}

const RESTARTS = { banner: [], repeats: true };

export const WORLDS: Record<string, Scenario> = {
	'offset in entries': {},
	'offset in bytes': { habits: { unit: 'bytes', framing: 'bare' } },
	'offset in event IDs': { habits: { unit: 'eventId' } },
	'a few lines that come again and again': { isEqual: true },
	'a slow service': { habits: { delayMs: 400, paceMs: 20 } },
	'stops during a search': { stops: true, repeats: true },
	'the offset is ignored': { habits: { offset: 'ignored' }, repeats: true },
	'no offset': { habits: { offset: 'ignored' }, options: { offsetUnit: 'none' }, repeats: true },
	'the last 40 lines alone': { habits: { keeps: 40 }, repeats: true },
	restarts: RESTARTS,
	'restarts with a banner': { ...RESTARTS, banner: ['start', 'load', 'listen'] },
	'restarts, offset in bytes': { ...RESTARTS, habits: { unit: 'bytes' } },
	'restarts, ends and refusals': { ...RESTARTS, ends: true, refuses: true },
	'restarts and stops': { ...RESTARTS, stops: true },
	'from the beginning': { ...RESTARTS, parameters: { startFrom: 'beginning' } },
};

/** Numbers that look random, from a seed. */
function randomOf(seed: number) {
	let state = seed * 2_654_435_761;
	const next = () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	const below = (limit: number) => Math.floor(next() * limit);
	return { next, below, pick: <T,>(list: readonly T[]) => list[below(list.length)] as T };
}

/** Plays a world. Returns the laws that were broken. */
export async function play(scenario: Scenario, seed: number): Promise<string[]> {
	const random = randomOf(seed);
	// The jitter of pauses
	const jitter = vi.spyOn(Math, 'random').mockImplementation(randomOf(seed + 1_000).next);
	const world = await worldShort(scenario.habits);
	const { clock, service } = world;
	const { banner } = scenario;
	let life = 0;
	let number = 0;
	const line = () => {
		number++;
		if (scenario.isEqual && random.next() < 0.6) return random.pick(['tick', 'tock', 'beat']);
		return `${life}-${number} ${random.pick(['é', '€', '😀', ''])}${'x'.repeat(random.below(20))}`;
	};
	const lines = (count: number) => Array.from({ length: count }, line);
	const cutOf = (k: number, index: number): Cut => ({
		entries: [k, random.below(41), index * (1 + (k % 5)), random.below(4)][seed % 4] ?? k,
		torn: random.pick([0, 5, 9, 14]),
		afterMs: random.pick([0, 100, 700, 4_000, 20_000]),
		isEnd: scenario.ends && random.next() < 0.4,
		status: scenario.refuses && random.next() < 0.3 ? random.pick([503, 404, 416]) : undefined,
	});
	service.write(...(banner ?? []), ...lines(random.pick([3, 10, 34, 60, 150])));
	const trigger = await world.follow(scenario.parameters, scenario.options);
	await clock.pass(3_000);
	for (let phase = 0; phase < 3; phase++) {
		const k = random.below(41);
		service.cuts = Array.from({ length: 1 + random.below(14) }, (_, index) => cutOf(k, index));
		service.cut();
		for (let step = 0; step < 5; step++) {
			const what = random.below(8);
			if (what === 0 && banner) {
				life++;
				service.restart(...banner, ...lines(random.pick([0, 1, 5, 33, 50, 200])));
			} else if (what === 1 && scenario.stops) {
				await world.stop(trigger);
				await clock.pass(random.pick([0, 1_000, 10_000]));
				await world.start(trigger, random.pick(['init', 'activate'] as const));
			} else service.write(...lines(random.pick([1, 2, 5, 20, 50])));
			await clock.pass(random.pick([50, 500, 3_000, 20_000]));
		}
	}
	service.cuts = [];
	await clock.pass(60_000);
	service.write(...lines(3));
	await clock.pass(200_000);
	const { lines: delivered } = trigger;
	const kept = service.lines.slice(-(scenario.habits?.keeps ?? service.lines.length));
	// What a stop finds in the middle of a search is left to the next start, and a log may be gone until then
	const expected = [...new Set([...(scenario.stops ? [] : service.sent), ...kept])];
	const lost = expected.filter((one) => !delivered.includes(one));
	const broken = lost.map((one) => `lost: ${one}`);
	const isExact = delivered.join('\n') === service.written.join('\n');
	if (!scenario.repeats && !isExact) broken.push('not each line once and in order');
	if (delivered.some((one) => !service.written.includes(one))) broken.push('a line of none');
	if (service.mostInASecond > 10) broken.push('more than 10 requests in a second');
	await world.end();
	jitter.mockRestore();
	return broken;
}
