import { expect, it } from 'vitest';
import { endWorlds, SECRETS, startWorld } from './service.mts';

endWorlds();

/** The longest beginning or part of a secret of at least 12 characters that stands in a text. */
function partOf(text: string): string {
	let longest = '';
	for (const secret of Object.values(SECRETS))
		for (let from = 0; from < secret.length; from++)
			for (let to = from + 12; to <= secret.length; to++)
				if (to - from > longest.length && text.includes(secret.slice(from, to)))
					longest = secret.slice(from, to);
	return longest;
}

const LIMIT = 1_024;
const padded = (secret: string, shown: number) => `${'x'.repeat(LIMIT - shown)}${secret} and more`;

const WORLDS: Array<[string, Buffer[]]> = [
	...[8, 16, 20, 22].map((shown): [string, Buffer[]] => [
		`a line cut by Max Line Length ${shown} characters into the key`,
		[Buffer.from(`data: ${padded(SECRETS.apiKey, shown)}\n\ndata: next\n\n`)],
	]),
	['a bare line cut by it', [Buffer.from(`plain\n${padded(SECRETS.token, 20)}\nnext\n`)]],
	[
		'chunks that split the key',
		[
			Buffer.from(`data: key ${SECRETS.apiKey.slice(0, 12)}`),
			Buffer.from(`${SECRETS.apiKey.slice(12)} end\n\n`),
		],
	],
	['the type of an event', [Buffer.from(`event: ${SECRETS.apiKey}\ndata: one\n\n`)]],
	['the ID of an event', [Buffer.from(`id: ${SECRETS.apiKey}\ndata: one\n\n`)]],
	[
		'colours within the key',
		[Buffer.from(`data: ${SECRETS.apiKey.slice(0, 13)}\x1b[0m${SECRETS.apiKey.slice(13)}\n\n`)],
	],
	[
		'an event of two lines',
		[Buffer.from(`data: a ${SECRETS.token}\ndata: b ${SECRETS.token}\n\n`)],
	],
	[
		'JSON',
		[
			Buffer.from(
				`data: ${JSON.stringify({ headers: { authorization: `Bearer ${SECRETS.token}` } })}\n\n`,
			),
		],
	],
	[
		'the key in a URL',
		[Buffer.from(`data: https://x/?key=${encodeURIComponent(SECRETS.apiKey)}\n\n`)],
	],
	[
		'the key in Base64, as basic authentication has it',
		[Buffer.from(`data: Basic ${Buffer.from(SECRETS.apiKey).toString('base64')}\n\n`)],
	],
];

for (const [name, chunks] of WORLDS)
	for (const offsetUnit of ['entries', 'bytes', 'eventId'])
		it(`trigger: ${name}, unit ${offsetUnit}`, async () => {
			const world = await startWorld(async (call) => {
				call.open();
				for (const chunk of chunks) {
					call.response.write(chunk);
					await call.wait(200);
				}
			});
			const trigger = world.trigger({
				options: { largestLine: LIMIT, offsetUnit, removeColors: true },
			});
			await world.activate(trigger);
			await world.clock.pass(20_000);
			expect(trigger.lines.length).toBeGreaterThan(0);
			expect(partOf(JSON.stringify([trigger.items, trigger.saved]))).toBe('');
		});

it('Get Many: a line cut at 1 Mi characters within the key', async () => {
	const world = await startWorld((call) => {
		call.open();
		call.response.end(`data: ${'x'.repeat(1_048_576 - 20)}${SECRETS.apiKey} and more\n\n`);
	});
	expect(partOf(JSON.stringify(await world.getMany()))).toBe('');
});
