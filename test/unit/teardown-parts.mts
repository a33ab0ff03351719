import type { ProductContext } from '../../nodes/marketplace/product.ts';
import { destroyById, type DestroyOptions } from '../../nodes/marketplace/teardown.ts';
import { now } from '../../nodes/shared/time.ts';
import type { Answered } from './log-parts.mts';
import { ABSENT, Market, productContext, refusalOf } from './market-parts.mts';
import { ended } from './still-time.mts';

export const CONFLICT: Answered = { status: 409, json: { message: 'busy' } };
export const BROKEN: Answered = { status: 400, json: { message: 'broken' } };

/** How the service behaves while the deployment `d1` is destroyed; seconds are those since the beginning. */
export interface Behaviour {
	/** The status that it shows; undefined while nothing shows it. */
	status?: (seconds: number) => string | undefined;
	/** An answer in place of that to a read. */
	read?: (seconds: number, request: string) => ReturnType<Market['instead']>;
	/** What it answers to each request to destroy, by its number from 1. */
	told?: (number: number, seconds: number) => Promise<Answered> | Answered;
	/** How the list goes on after the deployment. */
	others?: string[];
	options?: Partial<DestroyOptions>;
	context?: (market: Market) => Promise<ProductContext>;
}

/** Destroys `d1`, and tells when it was looked at and told to end, in seconds, and how that ended. */
export async function teardown({
	status = () => 'running',
	read = () => undefined,
	told = () => ({ json: {} }),
	others = ['other'],
	options = {},
	context = productContext,
}: Behaviour) {
	const begun = now();
	const toldAt: number[] = [];
	const lookedAt: number[] = [];
	const market = new Market();
	market.instead = (request) => {
		const seconds = (now() - begun) / 1_000;
		if (request === 'DELETE deployment/d1') return told(toldAt.push(seconds), seconds);
		if (request === 'GET deployment/d1') lookedAt.push(seconds);
		market.listed = [];
		market.details.clear();
		for (const id of others) market.add(id);
		const shown = status(seconds);
		if (shown !== undefined) market.add('d1', { status: shown });
		return read(seconds, request);
	};
	const all: DestroyOptions = { verify: true, verifyTimeout: 120, ifNotFound: 'error', ...options };
	const work = destroyById(await context(market), 'd1', all);
	const { value: item, error, seconds } = await ended(work);
	return { item, error: error && (await refusalOf(work)), seconds, toldAt, lookedAt };
}

/** Every so many seconds from one to another. */
export function every(step: number, from: number, to: number): number[] {
	return Array.from(
		{ length: Math.floor((to - from) / step) + 1 },
		(_, index) => from + index * step,
	);
}

/** A service that has neither list nor details. */
export const nothing = (): Answered => ABSENT;
