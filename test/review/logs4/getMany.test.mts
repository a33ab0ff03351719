import { expect, it, vi } from 'vitest';
import { endWorlds, randomOf, startWorld, type Glitch, type Rules } from './service.mts';

endWorlds();

const FRAMES: Array<Rules['frame']> = [
	(line) => `data: ${line}\n\n`,
	(line) => `data: ${line}\r\n\r\n`,
	(line) => `data: ${line}\r\r`,
	(line) => `data: ${line}\n`,
	(line) => `${line}\n`,
	(line, id) => `id: ${id}\nevent: log\ndata: ${line}\n\n`,
	(line, id) => `id: ${id + 1}\nevent: log\ndata: ${line}\n\n`,
];
const first = Number(process.env.SEED ?? 0);

for (let seed = first; seed < first + Number(process.env.SEEDS ?? 25); seed++)
	it(`Get Many ${seed}: the lines of the log, each once, or a sign that some are missing`, async () => {
		const { int, of } = randomOf(seed);
		const jitter = randomOf(seed + 1_000_000);
		vi.spyOn(Math, 'random').mockImplementation(() => jitter.int(1_000) / 1_000);
		const glitches = of([0, 0, 4]);
		const world = await startWorld({
			offset: of(['entries', 'entries', 'one', 'ignored', 'last'] as const),
			beyond: of(['log', 'ended', 404, 416, 422] as const),
			ends: int(2) === 0,
			page: of([Infinity, Infinity, 20, 50]),
			frame: of(FRAMES),
			greeting: of(['', '', ': hi\n\n', 'retry: 1000\n\n']),
			headMs: of([0, 0, 300, 2_000]),
			lineMs: of([0, 0, 100, 400]),
			glitch: () =>
				glitches > 0 && int(glitches) === 0 ? of<Glitch>([503, 429, 'reset', 'ended']) : undefined,
		});
		const { rules } = world;
		if (rules.offset === 'ignored' || rules.offset === 'last') rules.page = Infinity;
		if (!rules.frame('x', 0).includes('data:')) rules.greeting = '';
		if (rules.frame('x', 0).includes('\r\r'))
			rules.greeting = rules.greeting.replaceAll('\n', '\r');
		const lines = Array.from(
			{ length: 1 + int(160) },
			(_, at) => `n${at} ${of(['a', 'é🙂', ': x', '{"a":1}'])}`,
		);
		world.log().write(...lines);
		const tail = int(3) === 0;
		const limit = of([5, 60, 10_000]);
		const offset = int(4) === 0 ? int(lines.length) : 0;
		const isBehind = rules.offset === 'ignored' || rules.offset === 'last';
		const from = isBehind ? 0 : rules.offset === 'one' ? Math.max(0, offset - 1) : offset;
		const rest = lines.slice(from);
		const name = JSON.stringify({
			...rules,
			frame: String(rules.frame),
			glitches,
			tail,
			limit,
			offset,
			n: lines.length,
		});
		let items;
		try {
			items = await world.getMany({ limit, maxWaitSeconds: 20, options: { tail, offset } });
		} catch (error) {
			expect(glitches, `${name} ${String(error)}`).toBeGreaterThan(0);
			return;
		}
		const came = items.map(({ line }) => line);
		const wanted = tail ? rest.slice(-limit) : rest.slice(0, limit);
		const isMarked = items.at(-1)?.broken_off === true;
		if (glitches > 0 && (isMarked || came.length === 0)) return;
		// An empty answer ends the pages, and so does Max Wait
		if (glitches > 0 && rules.page < Infinity) {
			const at = rest.indexOf(String(came[0]));
			expect(came, name).toEqual(rest.slice(at, at + came.length));
			return;
		}
		expect(came, name).toEqual(wanted);
		const offsets = items.map((item) => item.offset);
		const right = came.map((line) => lines.indexOf(String(line)));
		if (offsets[0] !== null && rules.offset !== 'one') expect(offsets, name).toEqual(right);
	}, 120_000);
