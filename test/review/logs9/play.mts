import { pick, useRandom } from '../../engine/random.mts';
import type { ActiveTrigger } from '../../engine/trigger.mts';
import { optionsOf, type World } from '../logs2/service.mts';
import { BANNER, sized } from '../logs8/pages.mts';
import { open, type Log, type Ways } from './service.mts';

export type Roll = (below: number) => number;

export const BEHINDS: Array<NonNullable<Ways['behind']>> = [
	200,
	204,
	404,
	416,
	'lastLine',
	'all',
	{ poll: 5 },
	{ poll: 30 },
];

export type Kind = 'distinct' | 'heartbeat' | 'blocks' | 'runs' | 'blank';

/** Writes lines of a kind: some of them, blocks of them or runs of them are equal. */
export function writerOf(kind: Kind, roll: Roll): (log: Log, count: number) => void {
	const period = 3 + roll(60);
	let written = 0;
	let next = 0;
	const one = (): string => {
		const place = written % period;
		if (kind === 'heartbeat' && place === period - 1) return 'heartbeat';
		if (kind === 'blank' && place % 3 === 2) return '';
		if (kind === 'blocks' && Math.floor(written / period) % 2 === 1) return `block ${place}`;
		if (kind === 'runs' && Math.floor(written / period) % 2 === 1) return 'still waiting';
		return sized(1, next++).join('');
	};
	return (log, count) => {
		for (let left = count; left > 0; left--, written++) log.write(one());
	};
}

export interface Played {
	world: World;
	log: Log;
	trigger: ActiveTrigger;
	story: string[];
}

/** One world from its seed: phases in which the log is quick, steady or silent, and what happens in them. */
export async function play(
	ways: Ways,
	kind: Kind,
	roll: Roll,
	events: readonly string[],
	most = 40,
	startFrom = 'lastStop',
): Promise<Played> {
	const jitter = useRandom(String(roll(1_000_000)));
	try {
		return await playWith(ways, kind, roll, events, most, startFrom);
	} finally {
		jitter.restore();
	}
}

/** The same, with the random pauses of that seed. */
async function playWith(
	ways: Ways,
	kind: Kind,
	roll: Roll,
	events: readonly string[],
	most: number,
	startFrom: string,
): Promise<Played> {
	const { world, log } = await open(ways);
	const story: string[] = [];
	const write = writerOf(kind, roll);
	const hasBanner = roll(2) === 1;
	if (hasBanner) log.write(...BANNER);
	write(log, 10 + roll(most * 15));
	const trigger = world.trigger({ options: optionsOf(ways), startFrom });
	await world.activate(trigger);
	for (let phase = 0; phase < 6; phase++) {
		const event = pick(roll, events);
		const seconds = 5 + roll(25);
		const perSecond = pick(
			roll,
			[0, 1, 2, 5, 10, 40].filter((rate) => rate <= most),
		);
		const burst = roll(2) * roll(most * 5);
		const at = roll(seconds);
		story.push(`${log.story.length}: ${event} at ${at} of ${seconds}, ${perSecond}/s, ${burst}`);
		write(log, burst);
		for (let second = 0; second < seconds; second++) {
			write(log, perSecond);
			if (second === at && event !== 'none') {
				// In the middle of a catch-up
				await world.time.pass(roll(1_000));
				if (event === 'restart') {
					log.restart(...(hasBanner ? BANNER : []));
					write(log, roll(most * 2));
				}
				if (event === 'stop') await world.deactivate(trigger);
				if (event === 'kill') await trigger.kill();
				if (event === 'stop' || event === 'kill') {
					write(log, roll(most));
					await world.activate(trigger, 'init');
				}
			}
			await world.time.pass(1_000);
		}
		if (roll(3) === 0) await world.time.pass(60_000);
	}
	await world.time.pass(300_000);
	return { world, log, trigger, story };
}
