import { describe, expect, it } from 'vitest';
import { endServices, followService } from '../engine/logService.mts';
import { numbered } from '../engine/logs.mts';

/** Containers that start again and again: each life has a log of its own, which is gone with it. */
endServices();

/** What a service makes of the offset, and whether it begins each connection with a line of its own. */
const SERVICES: Array<[string, { ignores?: boolean; greets?: boolean }]> = [
	['honours the offset', {}],
	['ignores the offset', { ignores: true }],
	['honours the offset and greets', { greets: true }],
	['ignores the offset and greets', { ignores: true, greets: true }],
];
/** How long a life is: the log of a new one is requested at its beginning by then. */
const LIFE_MS = 14_000;

describe.each(['cut', 'end'] as const)('each life ends with its connections: %s', (how) => {
	describe.each(SERVICES)(
		'at a service that %s',
		(_service, { ignores = false, greets = false }) => {
			it.each([5, 15])('no line of a life that begins with %d lines is lost', async (size) => {
				let log = numbered(60);
				const written = [...log];
				let ends: Array<() => void> = [];
				let connections = 0;
				const { trigger, time, cut, tell } = await followService(({ offset = 0, send, end }) => {
					const greeting = greets ? [`connected ${++connections}`] : [];
					send(...greeting, ...log.slice(ignores ? 0 : offset));
					ends.push(end);
				});
				const next = (lines: string[]) => {
					log = lines;
					written.push(...lines);
				};
				const over = () => {
					if (how === 'cut') cut();
					else ends.forEach((end) => end());
					ends = [];
				};
				await time.pass(10_000);
				// Long lives of which connections end: so the trigger learns what the service does
				for (const first of [100, 200]) {
					next(numbered(50, first));
					for (let turn = 0; turn < 3; turn++) {
						over();
						await time.pass(60_000);
					}
				}
				for (let life = 0; life < 4; life++) {
					next(numbered(size, 1_000 + 100 * life));
					over();
					await time.pass(LIFE_MS);
					for (const line of numbered(3, 1_050 + 100 * life)) {
						tell(line);
						log.push(line);
						written.push(line);
						await time.pass(400);
					}
				}
				next(numbered(40, 5_000));
				over();
				await time.pass(300_000);
				const lines = trigger.lines.filter((line) => line.startsWith('line'));
				if (greets) expect(new Set(lines)).toEqual(new Set(written));
				else expect(lines).toEqual(written);
			});
		},
	);
});
