import type { ITriggerFunctions } from 'n8n-workflow';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { start } from '../../nodes/CaasLogsTrigger/activation.ts';
import { trigger } from './log-activation-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));

describe('an activation', () => {
	const all = ['one', 'two', 'three'];

	it.each<[string, string, unknown[]]>([
		['beginning', 'activate', all],
		['beginning', 'update', all],
		['beginning', 'init', ['four']],
		['beginning', 'leadershipChange', ['four']],
		['lastStop', 'activate', ['four']],
		['lastStop', 'init', ['four']],
		['now', 'init', ['four']],
		['now', 'activate', []],
	])('that starts from "%s", again by "%s"', async (startFrom, mode, again) => {
		const { live, log, parameters } = trigger({ startFrom: 'lastStop' });
		expect(await live()).toEqual(all);
		parameters.startFrom = startFrom;
		// So far the other start is saved
		if (startFrom !== 'lastStop') await live();
		log.push('four');
		const expected = again.length === 3 ? [...all, 'four'] : again;
		expect(await live(mode)).toEqual(expected);
	});

	it.each([
		['offset', 'offset', 1, 2, ['two', 'three'], ['three']],
		['newest', 'newestLines', 1, 2, ['three'], ['two', 'three']],
	])(
		'with another number of "%s" starts there, at a restart, too',
		async (startFrom, name, number, other, lines, others) => {
			const { live, parameters } = trigger({ startFrom, [name]: number });
			expect(await live()).toEqual(lines);
			expect(await live('init')).toEqual([]);
			parameters[name] = other;
			expect(await live('init')).toEqual(others);
		},
	);

	it('that a person made fails where no log can be followed', async () => {
		const { functions, service } = trigger();
		service.answer = () => ({ status: 401 });
		await expect(start(functions)).rejects.toThrow('401');
	});

	it.each([['init'], ['leadershipChange']])('by "%s" goes on trying, and says so', async (mode) => {
		const { functions, host, service, failures } = trigger();
		host.activation = mode;
		service.answer = () => ({ status: 401 });
		const { closeFunction } = await start(functions);
		expect(failures).toEqual([expect.stringContaining('401')]);
		const closed = closeFunction?.();
		await pass(10_000);
		await closed;
	});

	it('that a person made goes on trying where the logs were followed before', async () => {
		const { live, service, failures } = trigger({ startFrom: 'lastStop' });
		await live();
		service.answer = () => ({ status: 401 });
		expect(await live()).toEqual([]);
		expect(failures).toHaveLength(1);
	});

	it('is warned of where n8n keeps no failed executions', async () => {
		const { functions, live, service, failures } = trigger();
		Object.assign(functions, { saveFailedExecution: undefined });
		service.answer = () => ({ status: 503 });
		await live();
		expect(failures).toEqual([expect.stringContaining('503')]);
	});

	it('does not wait for a service that is silent for more than five seconds', async () => {
		const { functions, service } = trigger();
		service.answer = async () => await new Promise(() => undefined);
		let isActive = false;
		const started = start(functions).then((response) => {
			isActive = true;
			return response;
		});
		await pass(4_999);
		expect(isActive).toBe(false);
		await pass(1);
		expect(isActive).toBe(true);
		const closed = (await started).closeFunction?.();
		await pass(10_000);
		await closed;
	});

	it('a second time before the first is closed closes that, and goes on', async () => {
		const { functions, lines, log } = trigger({ startFrom: 'lastStop' });
		const first = start(functions);
		await pass(6_000);
		await first;
		const second = start(functions);
		await pass(20_000);
		const { closeFunction } = await second;
		expect(lines).toEqual(log);
		const closed = closeFunction?.();
		await pass(20_000);
		await closed;
	});
});

describe('a start offset', () => {
	it.each([
		[{ offset: 2, options: {} }, 2],
		[{ offset: 2, options: { offsetUnit: 'bytes' } }, 2],
		[{ offset: 'abc', options: { offsetUnit: 'eventId' } }, 'abc'],
		[{ offset: 2, options: { offsetUnit: 'none' } }, undefined],
	])('is requested in its unit: %j', async (changes, offset) => {
		const { live, offsets } = trigger({ startFrom: 'offset', ...changes });
		await live();
		expect(offsets).toContain(offset);
	});
});

describe('a manual execution', () => {
	/** What it shows, or why it shows nothing. */
	async function manual(one: ReturnType<typeof trigger>, ms: number) {
		one.host.mode = 'manual';
		const { manualTriggerFunction, closeFunction } = await start(one.functions);
		let error: string | undefined;
		void manualTriggerFunction?.().catch(({ message }: Error) => (error = message));
		await pass(ms);
		const shown = error ?? [...one.lines];
		const closed = closeFunction?.();
		await pass(1_000);
		await closed;
		return shown;
	}

	it('shows the first batch, after five seconds at most, and saves nothing', async () => {
		const one = trigger({ batch: { maxWaitMs: 3_600_000 }, options: { connectionEvents: true } });
		expect(await manual(one, 5_000)).toEqual(['one', 'two', 'three']);
		expect(one.saved).toEqual({});
	});

	it('shows the newest lines where the workflow would resume', async () => {
		const one = trigger({ startFrom: 'lastStop', batch: { maxEntries: 2, maxWaitMs: 10 } });
		expect(await manual(one, 5_000)).toEqual(['two', 'three']);
	});

	it.each([
		[29_999, []],
		[30_000, 'No line was received within 30 seconds'],
	])('without lines ends after half a minute: after %d ms', async (ms, shown) => {
		expect(await manual(trigger({}, []), ms)).toEqual(shown);
	});

	it('says at once what a person must mend, and later why there are no lines', async () => {
		const wrong = trigger();
		wrong.service.answer = () => ({ status: 401 });
		expect(await manual(wrong, 1_000)).toContain('401');
		const out = trigger();
		out.service.answer = () => ({ status: 503 });
		expect(await manual(out, 30_000)).toContain('503');
	});
});

it('settings that are wrong are an error before anything is asked for', async () => {
	const { functions, offsets } = trigger({ containerIds: [] });
	await expect(start(functions as ITriggerFunctions)).rejects.toThrow('at least one container');
	expect(offsets).toEqual([]);
});
