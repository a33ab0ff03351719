import { describe, expect, it } from 'vitest';
import { NOT_FOUND, type Said } from '../intelligence7/service.mts';
import { errorOf, texts, turn, useStage } from '../intelligence7/stage.mts';
import { fresh, HISTORY, stored, Talks, type Talk } from '../intelligence7/talks.mts';

const stage = useStage();

describe('a gateway that answers 404 to one message, of a conversation that is there', () => {
	it.each([
		['the first', 0],
		['the second', 1],
	])('does not divide the session: %s message of a turn', async (_which, nth) => {
		const talks = new Talks(stage);
		const key = fresh();
		talks.create(key, [...HISTORY]);
		talks.gateway((call) =>
			call.id === 'messages' && call.nth === nth ? { ...NOT_FOUND, type: 'text/plain' } : undefined,
		);
		await errorOf(turn(await stage.memory(key), 'a'));
		await turn(await stage.memory(key), 'b');
		expect(talks.all.map(({ name }) => name)).toEqual([key]);
		const memory = texts(await (await stage.memory(key)).getMessages());
		expect(memory.slice(0, 2)).toEqual(['u:old', 'a:OLD']);
		expect(await stage.found(key)).toEqual(memory);
	});
});

describe('a message with the text of an earlier one, whose request is lost before the service has it', () => {
	it.each([0, 2_000, 5_000])('is not taken for that one (reads behind: %i ms)', async (lagMs) => {
		const talks = new Talks(stage);
		const key = fresh();
		const talk = talks.create(key, [...HISTORY]);
		stage.clock += 60_000;
		talks.lagMs = lagMs;
		const memory = await stage.memory(key);
		await memory.getMessages();
		await turn(memory, 'yes');
		stage.clock += Math.max(0, lagMs - 100);
		let isLost = false;
		talks.gateway(({ id, body }) => {
			if (id !== 'messages' || body.role !== 'user' || isLost) return undefined;
			isLost = true;
			stage.clock += 1_000;
			return { isCut: true };
		});
		const error = await errorOf(turn(await stage.memory(key), 'yes'));
		const kept = talks.texts(talk);
		expect(error !== undefined || kept.filter((text) => text === 'yes').length >= 2).toBe(true);
	});
});

describe('reads that are behind what this process has written', () => {
	it.each([1_000, 3_000, 6_000])(
		'do not hide the last turn from the model (%i ms)',
		async (lagMs) => {
			const talks = new Talks(stage);
			const key = fresh();
			talks.create(key, [...HISTORY]);
			stage.clock += 60_000;
			talks.lagMs = lagMs;
			await turn(await stage.memory(key), 'a');
			stage.clock += 500;
			expect(texts(await (await stage.memory(key)).getMessages())).toEqual([
				...['u:old', 'a:OLD'],
				...['u:a', 'a:A'],
			]);
		},
	);
});

describe('a conversation that another process has replaced', () => {
	it.each([
		['seconds', 5_000],
		['minutes', 300_000],
	])('is the memory of this one, %s after its last message', async (_span, afterMs) => {
		const talks = new Talks(stage);
		const key = fresh();
		const first = talks.create(key, [...HISTORY]);
		await turn(await stage.memory(key), 'a');
		first.gone = stage.now() + 1_000;
		stage.clock += 2_000;
		talks.create(key, [stored('n1', 'user', 'new'), stored('n2', 'assistant', 'NEW')]);
		stage.clock += afterMs;
		expect(texts(await (await stage.memory(key)).getMessages())).toEqual(['u:new', 'a:NEW']);
	});
});

describe('two processes that begin a session at the same moment', () => {
	it('go on in one conversation, the oldest', async () => {
		const talks = new Talks(stage);
		const key = fresh();
		let other: Talk | undefined;
		talks.gateway((call) => {
			// The other process has seen no conversation either, and is a little faster
			if (call.line === 'POST /conversations') {
				other ??= talks.create(key);
				stage.clock += 10;
			}
			return undefined;
		});
		const own = await stage.memory(key);
		await turn(own, 'a');
		stage.clock += 300_000;
		await turn(own, 'b');
		await turn(await stage.memory(key, 'second'), 'c');
		expect(texts(await own.getMessages())).toEqual(['u:a', 'a:A', 'u:b', 'a:B', 'u:c', 'a:C']);
		expect(await stage.found(key)).toHaveLength(6);
	});
});

it('a conversation that one copy of the service does not know yet is not left for good', async () => {
	const talks = new Talks(stage);
	const key = fresh();
	talks.create(key, [...HISTORY]);
	let reads = 0;
	// The copy that answers from the second read on is a second behind, once
	talks.gateway(({ line }) => {
		if (!line.startsWith('GET')) return undefined;
		const nth = reads++;
		if (nth === 1) return NOT_FOUND;
		return nth === 2 ? { body: { results: [], total_entries: 0 } } : undefined;
	});
	await errorOf((await stage.memory(key)).getMessages());
	stage.clock += 10_000;
	await turn(await stage.memory(key), 'a');
	expect(talks.all).toHaveLength(1);
	expect(await stage.found(key)).toEqual(['u:old', 'a:OLD', 'u:a', 'a:A']);
});

/** What says with 200 that a message was not stored, in more than one word. */
const NO: Array<[world: string, results: unknown]> = [
	['stored: false with a message', { stored: false, message: 'The conversation is full' }],
	['success: "false"', { success: 'false' }],
	['success: 0 with a reason', { success: 0, reason: 'locked' }],
	['ok: false with a message', { ok: false, message: 'The conversation is locked' }],
	['an ID of null beside created: false', { id: null, created: false }],
];

describe.each(NO)('an answer of %s', (_world, results) => {
	it('to a message is no success: it is not in the conversation', async () => {
		const talks = new Talks(stage);
		const key = fresh();
		const talk = talks.create(key, [...HISTORY]);
		talks.gateway(({ id }) => (id === 'messages' ? { body: { results } } : undefined));
		const error = await errorOf(turn(await stage.memory(key), 'a'));
		expect(talks.texts(talk)).toEqual(['old', 'OLD']);
		expect(error).toBeDefined();
	});
});

describe.each<[string, Said]>([
	['500', { status: 500, body: { detail: 'down' } }],
	['200 false', { body: 'false' }],
	['200 with an error beside nothing', { body: { results: [], error: 'shard is down' } }],
	['200 with an error type', { body: { results: null, message: 'x', error_type: 'R2RException' } }],
	['a web page', { body: '<html><title>Login</title></html>', type: 'text/html' }],
	['a 404 while its list cannot be read', NOT_FOUND],
])('a read that is answered with %s', (world, said) => {
	it('is an error for an agent, and nothing is stored elsewhere', async () => {
		const talks = new Talks(stage);
		const key = fresh();
		talks.create(key, [...HISTORY]);
		let reads = 0;
		talks.gateway(({ line, nth }) => {
			if (line.startsWith('GET /conversations/')) return said;
			const isList = line === 'GET /conversations' && world.startsWith('a 404');
			return isList && reads++ > 0 && nth > 0 ? { status: 500, body: {} } : undefined;
		});
		expect(await errorOf((await stage.memory(key)).getMessages())).toBeDefined();
		await errorOf(turn(await stage.memory(key), 'a'));
		expect(talks.all).toHaveLength(1);
	});
});

it('sessions side by side keep their own messages, with numbers for IDs', async () => {
	const talks = new Talks(stage);
	let count = 100;
	talks.said = () => ({ body: { results: { id: count++ } } });
	const keys = [1, 2, 3, 4].map(() => fresh());
	await Promise.all(
		keys.map(async (key) => {
			for (const question of ['a', 'b']) await turn(await stage.memory(key), `${key}${question}`);
		}),
	);
	for (const key of keys) {
		const said = [`${key}a`, `${key}b`].flatMap((text) => [`u:${text}`, `a:${text.toUpperCase()}`]);
		expect(await stage.found(key)).toEqual(said);
	}
	expect(talks.all).toHaveLength(keys.length);
});
