import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { start } from '../../nodes/CaasLogsTrigger/activation.ts';
import { trigger } from './log-activation-parts.mts';
import { Body } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));

it.each<[string, boolean, object]>([
	['none of them had lines', true, { 'd/c/stdout': { at: [0, 0, ''] } }],
	['only logs were followed that are not chosen any more', true, { other: { at: [3, 30, ''] } }],
	['one of them had lines', false, { 'd/c/stdout': { at: [3, 30, ''] } }],
])(
	'an activation that a person made and the service refuses, where %s: does it fail? %s',
	async (_, fails, logs) => {
		const { functions, saved, service } = trigger({ startFrom: 'lastStop' });
		const entries = Object.entries(logs).map(([key, log]): [string, object] => [
			key,
			{ from: [0, 0, ''], known: '', ...(log as object) },
		]);
		saved.logs = Object.fromEntries(entries) as IDataObject;
		service.answer = () => ({ status: 401 });
		const started = start(functions).then(({ closeFunction }) => closeFunction);
		if (fails) return await expect(started).rejects.toThrow('401');
		const closed = (await started)?.();
		await pass(1_000);
		await closed;
	},
);

describe('an activation of a node', () => {
	/** Its connections, each of which goes on. */
	function connected() {
		const one = trigger({ startFrom: 'lastStop' });
		const bodies: Body[] = [];
		one.service.answer = () => {
			const body = new Body();
			bodies.push(body);
			return { body };
		};
		const areOpen = () => bodies.map(({ isDestroyed }) => !isDestroyed);
		return { ...one, bodies, areOpen };
	}

	it('goes on beside that of another one in the same workflow', async () => {
		const [one, other] = [connected(), connected()];
		const started = [start(one.functions), start(other.functions)];
		await pass(1_000);
		for (const { bodies } of [one, other]) bodies[0]?.write('line\n');
		await pass(1_000);
		expect([one.lines, other.lines]).toEqual([['line'], ['line']]);
		const closed = started.map(async (trigger) => await (await trigger).closeFunction?.());
		await pass(1_000);
		await Promise.all(closed);
		expect([...one.areOpen(), ...other.areOpen()]).toEqual([false, false]);
	});

	it.each([1, 2])('leaves one connection, after %d more at once', async (more) => {
		const { functions, areOpen, bodies, lines } = connected();
		const first = start(functions);
		await pass(1_000);
		expect(areOpen()).toEqual([true]);
		const others = Array.from({ length: more }, async () => await start(functions));
		await pass(20_000);
		expect(areOpen().filter(Boolean)).toHaveLength(1);
		for (const body of bodies) body.write('line\n');
		await pass(1_000);
		expect(lines).toEqual(['line']);
		const closed = [first, ...others].map(async (one) => await (await one).closeFunction?.());
		await pass(20_000);
		await Promise.all(closed);
		expect(areOpen().filter(Boolean)).toEqual([]);
	});
});
