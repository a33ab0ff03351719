import { describe, expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { pick, random } from '../../engine/random.mts';
import {
	difference,
	endWorlds,
	type LogCall,
	optionsOf,
	peakOf,
	UNITS,
} from '../logs2/service.mts';
import { BANNER, openPages, sized, type End, type Habit } from './pages.mts';

/** In a service that ends each answer: new logs, gateways, stops, kills and new lines at each moment between two requests. */
endWorlds();

const LIMITS = [{ lines: 2 }, { lines: 3 }, { lines: 7 }, { lines: 40 }, { bytes: 250 }, {}];
const ENDS: End[] = [
	'empty',
	'404',
	'416',
	'lastLine',
	'wholeLog',
	'poll5',
	'poll30',
	'poll90',
	'held5',
];
const SEEDS = Number(process.env.SEEDS ?? 30);
const FIRST = Number(process.env.FIRST ?? 1);

/** Ways in which a gateway answers in place of the service. */
const GATEWAYS: Record<string, (call: LogCall) => void> = {
	'400': ({ response }) => void response.writeHead(400).end('bad'),
	'404': ({ response }) => void response.writeHead(404).end('default backend - 404'),
	'502': ({ response }) => void response.writeHead(502).end('<html>502</html>'),
	empty: ({ response }) =>
		void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
	html: ({ response }) =>
		void response
			.writeHead(200, { 'content-type': 'text/html' })
			.end('<html>\n<body>wait\n</body></html>\n'),
};

/** Steps of one world from its seed. */
async function play(seed: number, kinds: string[]) {
	const roll = random(seed);
	for (let turn = 0; turn < 5; turn++) roll(2);
	const habit: Habit = { unit: pick(roll, UNITS), end: pick(roll, ENDS), ...pick(roll, LIMITS) };
	const { world, log } = await openPages(habit);
	const story = [JSON.stringify(habit)];
	let next = 0;
	const fresh = (count: number) => sized(count, (next += 1_000));
	log.write(...(roll(2) ? BANNER : []), ...fresh(10 + roll(60)));
	const trigger = world.trigger({ options: optionsOf(habit) });
	await world.activate(trigger);
	await world.time.pass(120_000);
	for (let step = 0; step < 5; step++) {
		const kind = pick(roll, kinds);
		const due = world.calls.length + roll(4);
		const isAfter = roll(2) === 1;
		const size = 1 + roll(80);
		const hasBanner = roll(2) === 1;
		story.push(
			`${kind} at +${due - world.calls.length} ${isAfter ? 'after' : 'before'} ${size} ${hasBanner}`,
		);
		const act = (): void => {
			if (kind === 'write') log.write(...fresh(1 + (size % 9)));
			if (kind === 'restart') log.restart(...(hasBanner ? BANNER : []), ...fresh(size));
		};
		let until = 0;
		const name = pick(roll, Object.keys(GATEWAYS));
		if (kind === 'gateway') story.push(name);
		const ms = 500 + roll(20_000);
		log.before = (call) => {
			if (!isAfter && call.index === due) act();
			if (kind !== 'gateway') return false;
			if (call.index === due) until = call.at + ms;
			if (call.at > until) return false;
			GATEWAYS[name]?.(call);
			return true;
		};
		log.after = ({ index }) => {
			if (isAfter && index === due) act();
		};
		if (kind === 'write' || kind === 'gateway') log.write(...fresh(2));
		if (kind === 'stop' || kind === 'kill') {
			log.write(...fresh(size));
			// What was sent and not delivered is gone with the log: no client can help it
			await world.time.pass(hasBanner ? 400_000 : roll(4_000));
			if (kind === 'stop') await world.deactivate(trigger);
			else await trigger.kill();
			if (hasBanner) log.restart(...BANNER, ...fresh(1 + (size % 50)));
			await world.activate(trigger, 'init');
		}
		await world.time.pass(120_000);
		log.before = undefined;
		log.after = undefined;
		await world.time.pass(300_000);
		story.push(JSON.stringify(difference(log.due, trigger.lines)));
	}
	return { world, log, trigger, story };
}

describe('one thing after another at any moment', () => {
	const KINDS = {
		writes: ['write'],
		gateways: ['gateway', 'write'],
		restarts: ['restart', 'write', 'gateway'],
		all: ['restart', 'write', 'stop', 'gateway', 'kill'],
	};
	for (const [name, kinds] of Object.entries(KINDS))
		for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
			it(`${name}, seed ${seed}`, async () => {
				const { world, log, trigger, story } = await play(seed, kinds);
				const result = difference(log.due, trigger.lines);
				expect(result.lost, story.join('; ')).toBe(0);
				// A page of a new log that comes before its beginning is repeated, as documented
				expect(result.repeated, story.join('; ')).toBeLessThanOrEqual(
					kinds.some((kind) => kind === 'restart' || kind === 'stop') ? 400 : 0,
				);
				expect(peakOf(world)).toBeLessThanOrEqual(10);
				await world.time.pass(600_000);
				expect(difference(log.due, trigger.lines)).toEqual(result);
			});
});

describe('a container that writes no more than its banner and a line', () => {
	for (const end of ENDS)
		for (const lines of [1, 2, 3, 7])
			it(`${end}, pages of ${lines}`, async () => {
				const { world, log } = await openPages({ unit: 'entries', end, lines });
				log.write(...BANNER.filter((line) => line !== ''), ...numbered(30));
				const trigger = world.trigger();
				await world.activate(trigger);
				for (let turn = 1; turn < 4; turn++) {
					await world.time.pass(500_000);
					log.restart(...BANNER.filter((line) => line !== ''), `only ${turn}`);
				}
				await world.time.pass(300_000);
				const { lost, repeated } = difference(log.due, trigger.lines);
				expect(lost).toBe(0);
				// Of a new log, what comes from the old offset comes before its beginning, and once more in it
				expect(repeated).toBeLessThanOrEqual(3 * lines);
			});
});
