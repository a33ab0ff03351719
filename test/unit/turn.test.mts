import { expect, it } from 'vitest';
import type { RequestContext } from '../../nodes/shared/http/request.ts';
import { inLine } from '../../nodes/shared/operation/turn.ts';

const account = (baseUrl: string) =>
	({ account: { baseUrl, segments: [] } }) as unknown as RequestContext;

/** Things that begin in turn and end when they are told to. */
function doings(context: RequestContext, key: string) {
	const begun: string[] = [];
	const begin = (name: string) => {
		let end = (): void => undefined;
		const done = inLine(context, [key], async () => {
			begun.push(name);
			await new Promise<void>((resolve) => {
				end = resolve;
			});
			return name;
		});
		return { done, end: () => end() };
	};
	return { begun, begin };
}

const soon = async () => await new Promise<void>((resolve) => setImmediate(resolve));

it('does one thing after the other, also where the line was empty in between', async () => {
	const { begun, begin } = doings(account('https://one.example'), 'a');
	const [first, second] = [begin('first'), begin('second')];
	await soon();
	expect(begun).toEqual(['first']);
	first.end();
	expect(await first.done).toBe('first');
	await soon();
	// The end of the first leaves the line to the second
	const third = begin('third');
	await soon();
	expect(begun).toEqual(['first', 'second']);
	second.end();
	await second.done;
	await soon();
	expect(begun).toEqual(['first', 'second', 'third']);
	third.end();
	expect(await third.done).toBe('third');
});

it('does things of other keys and services at once', async () => {
	const lines = [
		doings(account('https://one.example'), 'b'),
		doings(account('https://one.example'), 'c'),
		doings(account('https://two.example'), 'b'),
	];
	const begun = lines.map(({ begin }) => begin('it'));
	await soon();
	expect(lines.map((line) => line.begun)).toEqual([['it'], ['it'], ['it']]);
	for (const { end } of begun) end();
	expect(await Promise.all(begun.map(async ({ done }) => await done))).toEqual(['it', 'it', 'it']);
});

it('goes on after what fails', async () => {
	const context = account('https://one.example');
	const failed = inLine(context, ['d'], async () => await Promise.reject(new Error('no')));
	const next = inLine(context, ['d'], async () => await Promise.resolve('next'));
	await expect(failed).rejects.toThrow('no');
	expect(await next).toBe('next');
});
