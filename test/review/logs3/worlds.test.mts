import { expect, it } from 'vitest';
import { endWorlds, fateOf, openWorld, WELL } from '../logs2/service.mts';
import { randomOf, seedsOf, type Random } from './seeds.mts';

endWorlds();

const FRAMINGS = ['lf', 'crlf', 'cr', 'singleLf', 'bare', 'bareCrLf', 'withIds'] as const;
type Framing = (typeof FRAMINGS)[number];

function textOf(framing: Framing, line: string, index: number): string {
	switch (framing) {
		case 'lf':
			return `data: ${line}\n\n`;
		case 'crlf':
			return `data: ${line}\r\n\r\n`;
		case 'cr':
			return `data: ${line}\r\r`;
		case 'singleLf':
			return `data: ${line}\n`;
		case 'withIds':
			return `id: ${index}\nevent: log\ndata: ${line}\n\n`;
		case 'bare':
			return `${line}\n`;
		case 'bareCrLf':
			return `${line}\r\n`;
	}
}

/** Lines that differ, as a container may write them. */
function lineOf(index: number, framing: Framing, { int, of }: Random): string {
	const text = `n${index} `;
	const forms = [
		`${text}plain`,
		`${text}é🙂 ünïcödé ${'🙂'.repeat(int(5))}`,
		`\t${text}indented`,
		`${text}: data: x`,
		`{"n":${index},"level":"error"}`,
		`data: ${text}`,
		`retry: 5000 ${text}`,
		`${text}${'x'.repeat(int(3_000))}`,
	];
	if (!framing.startsWith('bare') && index > 0) forms.push('', '  ');
	if (framing !== 'cr') forms.push(`${text}10%\r${text}20%`, `${text}10%\rdata: ${text}\rid: 7`);
	const line = of(forms);
	// What a bare log begins with must be no field
	return framing.startsWith('bare') && /^(?:data|retry)/.test(line) ? `> ${line}` : line;
}

const HABITS = ['honoured', 'ignored', 'oneBased', 'lastLines'] as const;

for (const seed of seedsOf(30))
	it(`world ${seed}`, async () => {
		const random = randomOf(seed);
		const { int, of } = random;
		const framing = of(FRAMINGS);
		const habit = of(HABITS);
		const joinLines = int(3) === 0;
		const greets = framing !== 'bare' && framing !== 'bareCrLf' && int(4) === 0;
		let log: string[] = [];
		let number = 0;
		/** Where others begin, for the message. */
		const logs: string[] = [];
		/** All lines that were ever written. */
		const written: string[] = [];
		const grow = (count: number) => {
			for (; count > 0; count--) {
				const line = lineOf(number++, framing, random);
				log.push(line);
				written.push(line);
			}
		};
		grow(1 + int(60));
		const beyond = of([200, 404, 416]);
		let isTrouble = true;
		const world = await openWorld(async (call) => {
			if (isTrouble && int(8) === 0) return void call.response.writeHead(of([503, 502, 429])).end();
			const isHonoured = habit === 'honoured' || habit === 'oneBased';
			if (isHonoured && beyond !== 200 && (call.offset ?? 0) > log.length)
				return void call.response.writeHead(beyond).end();
			// An empty answer; to an offset beyond the end it is the one of a service that honours the offset
			if (isTrouble && (call.offset ?? 0) <= log.length && int(8) === 0) {
				if (int(2) === 0) return void call.response.writeHead(204).end();
				call.head();
				return void call.response.end();
			}
			call.head();
			const start =
				habit === 'honoured'
					? (call.offset ?? 0)
					: habit === 'oneBased'
						? Math.max(0, (call.offset ?? 1) - 1)
						: habit === 'lastLines'
							? Math.max(0, log.length - 100)
							: 0;
			const end = framing === 'cr' ? '\r\r' : framing === 'crlf' ? '\r\n\r\n' : '\n\n';
			if (greets) call.response.write(`: welcome${end}`);
			for (
				let at = start, left = 2 + int(6);
				!call.response.destroyed;
				await call.wait(100 + int(900))
			) {
				const bytes = Buffer.from(
					log
						.slice(at)
						.map((line, index) => textOf(framing, line, at + index))
						.join(''),
				);
				at = log.length;
				const isLast = isTrouble && left-- <= 0;
				const length = isLast && int(2) === 0 ? int(bytes.length + 1) : bytes.length;
				let from = 0;
				while (from < length && !call.response.destroyed) {
					const to = Math.min(length, from + 1 + int(of([3, 40, 4_000])));
					call.response.write(bytes.subarray(from, to));
					from = to;
					if (int(20) === 0) await call.wait(1);
				}
				if (!isLast) continue;
				await call.wait(5);
				if (length < bytes.length || int(2) === 0) call.response.destroy();
				else call.response.end();
				return;
			}
		});
		const trigger = world.trigger({
			streams: ['stdout'],
			batch: { maxWaitMs: of([100, 1_000, 30_000]) },
			options: { joinLines },
		});
		await world.activate(trigger);
		for (let round = 0; round < 12; round++) {
			await world.time.pass(int(20_000));
			if (log.length < 90) grow(int(8));
		}
		if (int(2) === 0) {
			await world.deactivate(trigger);
			await world.time.pass(5_000);
			await world.activate(trigger, of(['activate', 'init']));
		}
		isTrouble = false;
		await world.time.pass(200_000);
		for (let rotations = int(3); rotations > 0; rotations--) {
			log = [];
			logs.push(`${written.length} at ${world.now()}`);
			world.cut();
			await world.time.pass(int(5_000));
			grow(1 + int(40));
			await world.time.pass(300_000);
		}
		grow(2);
		await world.time.pass(400_000);
		const lines = joinLines ? trigger.lines.flatMap((line) => line.split('\n')) : trigger.lines;
		const name = JSON.stringify({ framing, habit, joinLines, greets, beyond });
		const isText = (line: string) => line.trim() !== '';
		const fate = fateOf(written.filter(isText), lines.filter(isText));
		const calls = world.calls.map(({ at, offset }) => `${at}:${offset}`).join(' ');
		const lost = written.flatMap((line, at) => (isText(line) && !lines.includes(line) ? at : []));
		expect(
			fate,
			`${name} ${JSON.stringify(fate)}, logs from ${logs.join()}, without ${lost.join()}, calls ${calls}`,
		).toEqual(WELL);
		if (!joinLines) expect(lines, name).toEqual(written);
	});
