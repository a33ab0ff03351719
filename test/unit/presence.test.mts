import { describe, expect, it } from 'vitest';
import { listDeployments } from '../../nodes/marketplace/deployments.ts';
import { noteAccepted } from '../../nodes/marketplace/ownDeployments.ts';
import { mayBeYoung, noteShown, readList, whatIs } from '../../nodes/marketplace/presence.ts';
import type { Answered } from './log-parts.mts';
import { ABSENT, Market, productContext, REFUSED, refusalOf } from './market-parts.mts';
import { JUMPS, pass, setWallClock, useStillTime } from './still-time.mts';

useStillTime();

describe('what does not show', () => {
	it('may be young for two minutes, which a later node does not begin again', async () => {
		const [flow, market] = [{}, new Market()];
		const first = await productContext(market, { flow });
		expect(await mayBeYoung(first, 'name job')).toBe(true);
		await pass(119_999);
		expect(await mayBeYoung(first, 'name job')).toBe(true);
		const next = await productContext(market, { flow });
		expect(await mayBeYoung(next, 'name job')).toBe(true);
		await pass(1);
		expect(await mayBeYoung(first, 'name job')).toBe(false);
		expect(await mayBeYoung(next, 'name job')).toBe(false);
		expect(await mayBeYoung(next, 'name other')).toBe(true);
	});

	it('and has shown meanwhile may be young again', async () => {
		const [flow, market] = [{}, new Market()];
		const first = await productContext(market, { flow });
		await mayBeYoung(first, 'name job');
		noteShown(first, 'name job');
		await pass(120_000);
		const next = await productContext(market, { flow });
		expect(await mayBeYoung(next, 'name job')).toBe(true);
	});
});

it('what was created long ago has ended a minute after it has vanished', async () => {
	const created = new Date(Date.now() - 600_000).toISOString();
	const market = new Market().add('d1', { created_at: created });
	const context = await productContext(market);
	expect(await whatIs(context, 'd1')).toMatchObject({ state: 'running' });
	market.details.clear();
	market.listed = [{ deployment_id: 'other' }];
	const states = [];
	for (let look = 0; look < 7; look++) {
		states.push((await whatIs(context, 'd1')).state);
		await pass(10_000);
	}
	expect(states).toEqual([...Array<string>(6).fill('vanished'), 'ended']);
});

it.each<[string, Answered, string]>([
	['in words of the service', { status: 404, json: { detail: 'Deployment not found' } }, 'ended'],
	['as a gateway answers', { status: 404, json: { message: 'no Route matched' } }, 'vanished'],
])('what a service without a list does not know any more %s', async (_, missing, state) => {
	const market = new Market().add('d1', {
		created_at: new Date(Date.now() - 600_000).toISOString(),
	});
	const context = await productContext(market);
	await whatIs(context, 'd1');
	noteAccepted(context, 'd1');
	market.instead = (request) => (request === 'GET deployments' ? ABSENT : missing);
	let seen;
	for (let look = 0; look < 7; look++) {
		seen = (await whatIs(context, 'd1')).state;
		await pass(10_000);
	}
	expect(seen).toBe(state);
});

describe.each(JUMPS)('where the wall clock is set by %i ms', (jumpMs) => {
	it('what does not show may be young as long as before', async () => {
		const context = await productContext(new Market());
		await mayBeYoung(context, 'name job');
		setWallClock(jumpMs);
		expect(await mayBeYoung(context, 'name job')).toBe(true);
		await pass(120_000);
		expect(await mayBeYoung(context, 'name job')).toBe(false);
	});

	it.each([0, 60_000])(
		'what has vanished %i ms after it was seen ends as late as before',
		async (ms) => {
			const market = new Market().add('d1');
			const context = await productContext(market);
			await whatIs(context, 'd1');
			await pass(ms);
			market.details.clear();
			market.listed = [{ deployment_id: 'other' }];
			const ended = [];
			for (let seconds = 0; seconds <= 120; seconds += 20) {
				if ((await whatIs(context, 'd1')).state === 'ended') ended.push(seconds);
				if (seconds === 20) setWallClock(jumpMs);
				await pass(20_000);
			}
			expect(ended[0]).toBe(120 - ms / 1_000);
		},
	);
});

it('what was created is as old as the clock of the service says, where the wall clock is ahead of it', async () => {
	const market = new Market().add('d1', { created_at: new Date(Date.now()).toISOString() });
	const context = await productContext(market);
	setWallClock(600_000);
	context.account.clockAheadMs = -600_000;
	await whatIs(context, 'd1');
	market.details.clear();
	market.listed = [{ deployment_id: 'other' }];
	for (let look = 0; look < 4; look++) {
		expect((await whatIs(context, 'd1')).state).toBe('vanished');
		await pass(20_000);
	}
});

it('a look ends with the execution', async () => {
	const controller = new AbortController();
	controller.abort();
	const context = await productContext(new Market(), { signal: controller.signal });
	expect(await refusalOf(whatIs(context, 'd1'))).toMatchObject({
		message: 'The execution was cancelled',
	});
});

it('an error of the list says that it is the list', async () => {
	const market = new Market();
	market.instead = () => REFUSED;
	const context = await productContext(market);
	const alone = await refusalOf(listDeployments(context));
	expect(await refusalOf(readList(context, async () => await listDeployments(context)))).toEqual({
		message: `The list of deployments could not be read: ${alone?.message}`,
		description: alone?.description,
		known: {},
	});
});
