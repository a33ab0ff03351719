import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { JUMPS, pass, setWallClock, useStillTime } from './still-time.mts';

useStillTime();

interface Call {
	/** What all nodes of the execution share. */
	flow?: Record<string, unknown>;
	node?: string;
	runIndex?: number;
	isTool?: boolean;
	input?: unknown[];
}

function journals({ flow = {}, node = 'n1', runIndex = 0, isTool, input = [] }: Call) {
	return openJournals({
		getContext: () => flow,
		getNode: () => ({ id: node }),
		getInputData: () => input,
		getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
		...(isTool !== undefined && { isToolExecution: () => isTool }),
	} as unknown as IExecuteFunctions);
}

describe('a journal', () => {
	it('has what was noted, and for how long, until it is cleared', async () => {
		const journal = journals({})(0);
		expect([journal.intent(), journal.ageMs()]).toEqual([undefined, NaN]);
		journal.note({ id: 'a' });
		await pass(1_234);
		expect([journal.intent(), journal.ageMs()]).toEqual([{ id: 'a' }, 1_234]);
		journal.clear();
		expect([journal.intent(), journal.results()]).toEqual([undefined, undefined]);
	});

	it.each(JUMPS)(
		'is never older than it is where the wall clock is set by %i ms',
		async (jumpMs) => {
			const journal = journals({})(0);
			journal.note({ id: 'a' });
			setWallClock(jumpMs);
			await pass(1_000);
			expect(journal.ageMs()).toBe(Math.max(0, 1_000 + Math.min(0, jumpMs)));
		},
	);

	it.each([-3_600_000, 0, 3_600_000, undefined])(
		'is never older than it is where a restart has set the other clock by %s ms',
		async (jumpMs) => {
			const flow: IDataObject = {};
			journals({ flow })(0).note({ id: 'a' });
			await pass(1_000);
			const saved = JSON.stringify(flow, (key, value: unknown) => {
				if (key !== 'elapsedAt') return value;
				return jumpMs === undefined ? undefined : (value as number) - jumpMs;
			});
			const later = journals({ flow: JSON.parse(saved) as IDataObject })(0);
			expect(later.ageMs()).toBe(Math.max(0, 1_000 + Math.min(0, jumpMs ?? 0)));
		},
	);

	it('has the results in place of the note once it is done', () => {
		const flow = {};
		const journal = journals({ flow })(0);
		journal.note({ id: 'a' });
		journal.done([{ id: 'made' }]);
		const later = journals({ flow })(0);
		expect([later.intent(), later.results()]).toEqual([undefined, [{ id: 'made' }]]);
	});

	it.each<[string, Call, number]>([
		['another item', {}, 1],
		['another node', { node: 'n2' }, 0],
		['another run of the node', { runIndex: 1 }, 0],
		['another execution', { flow: {} }, 0],
	])('is not that of %s', (_, call, item) => {
		const flow = {};
		journals({ flow })(0).note({ id: 'a' });
		expect(journals({ flow, ...call })(item).intent()).toBeUndefined();
		expect(journals({ flow })(0).intent()).toEqual({ id: 'a' });
	});

	it('knows the open ones of other calls', () => {
		const flow = {};
		const open = journals({ flow });
		open(0).note({ id: 'a' });
		open(1).note({ id: 'b' });
		open(2).done([{ id: 'c' }]);
		journals({ flow, node: 'n2' })(0).note({ id: 'd' });
		const others = open(0).others();
		expect(others.map((other) => other.intent())).toEqual([{ id: 'b' }, { id: 'd' }]);
		others[0]?.clear();
		expect(open(1).intent()).toBeUndefined();
		expect(open(0).others()).toHaveLength(1);
	});
});

describe('the journal of a tool that an agent calls by itself', () => {
	const call = (flow: object, input: unknown[], runIndex = 0) =>
		journals({ flow: flow as Record<string, unknown>, input, runIndex, isTool: true })(0);

	it('is that of the arguments, whatever the run', () => {
		const flow = {};
		call(flow, ['x']).note({ id: 'a' });
		expect(call(flow, ['x'], 7).intent()).toEqual({ id: 'a' });
		expect(call(flow, ['y']).intent()).toBeUndefined();
	});

	it('forgets what is done: the same call may be meant twice', () => {
		const flow = {};
		const first = call(flow, ['x']);
		first.note({ id: 'a' });
		first.done([{ id: 'made' }]);
		const second = call(flow, ['x']);
		expect([second.intent(), second.results()]).toEqual([undefined, undefined]);
		second.note({ id: 'b' });
		first.done([{ id: 'made' }]);
		expect(second.intent()).toEqual({ id: 'b' });
	});

	it('is that of the run where the engine calls it', () => {
		const flow = {};
		const open = (runIndex: number) => journals({ flow, input: ['x'], runIndex, isTool: false })(0);
		open(0).note({ id: 'a' });
		expect([open(1).intent(), open(0).intent()]).toEqual([undefined, { id: 'a' }]);
	});
});
