import type { IDataObject } from 'n8n-workflow';
import { beforeEach, vi } from 'vitest';
import type { Look, Watch } from '../../nodes/ComputeTrigger/watch.ts';
import { KEY_CREDENTIALS } from '../../nodes/marketplace/credentials.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import { functionsOf, type Answered } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** The clock stands still at noon: no day begins within a test, and no minute has begun. */
export function useNoon(): void {
	useStillTime();
	beforeEach(() => void vi.setSystemTime((Math.ceil(Date.now() / DAY) + 0.5) * DAY));
}

/** One watch that looks at a service again and again, as the polls do: the service answers what a test says. */
export function watched<Seen>(watch: Watch<Seen>, signal?: AbortSignal) {
	/** The last part of each path that was asked for. */
	const asked: string[] = [];
	let answer: (path: string) => Answered = () => ({ status: 404 });
	const functions = functionsOf(({ url }) => {
		const path = new URL(url).pathname;
		asked.push(path.replace(/\/details$/, '').replace(/^.*\//, ''));
		return answer(path);
	});
	let seen: Seen | undefined;
	const context = async () => ({
		functions,
		account: await openAccount(functions, KEY_CREDENTIALS),
		signal,
	});
	return {
		asked,
		/** What the service answers from now on. */
		show: (data: IDataObject) => void (answer = () => ({ json: { status: 'succeeded', data } })),
		answers: (next: typeof answer) => void (answer = next),
		/** Looks after so many minutes. */
		async look(minutes = 1): Promise<Look<Seen>> {
			await pass(minutes * MINUTE);
			const result = await watch.look(await context(), seen);
			// As n8n saves it
			seen = JSON.parse(JSON.stringify(result.seen)) as Seen;
			return result;
		},
		sample: async () => await watch.sample(await context()),
	};
}

export const jsonOf = ({ events }: Look<unknown>): IDataObject[] => events.map(({ json }) => json);
