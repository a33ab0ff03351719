import type { IDataObject, INode, ITriggerFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { joinSiblings, writeStaticData } from '../../nodes/CaasLogsTrigger/staticData.ts';

/** A trigger of a workflow, with a copy of the workflow's static data of its own. */
function triggerOf(name: string, id: string | undefined, isNodeFixed = false) {
	const data: Record<string, unknown> = {};
	const node = { name } as INode;
	const functions = {
		node,
		getNode: () => node,
		getWorkflow: () => ({ id }),
		getWorkflowStaticData(this: { node: INode }) {
			return (data[isNodeFixed ? name : this.node.name] ??= {});
		},
	} as unknown as ITriggerFunctions;
	return { data, functions, write: (content: IDataObject) => writeStaticData(functions, content) };
}

describe('the static data of the logs triggers of one workflow', () => {
	it.each([
		['an ID', 'w1'],
		['no ID', undefined],
	])('with %s have the content of each', (_, id) => {
		const [one, other] = [triggerOf('one', id), triggerOf('other', id)];
		const leave = [one, other].map(({ functions }) => joinSiblings(functions));
		expect(one.write({ at: 1 })).toBe(true);
		expect(other.write({ at: 2 })).toBe(true);
		expect(one.data).toEqual({ one: { at: 1 } });
		expect(other.data).toEqual({ one: { at: 1 }, other: { at: 2 } });
		one.write({ at: 3 });
		expect(one.data).toEqual({ one: { at: 3 }, other: { at: 2 } });
		leave.forEach((close) => close());
	});

	it('keep what is beside it, and none of another workflow', () => {
		const [one, stranger] = [triggerOf('one', 'w1'), triggerOf('stranger', 'w2')];
		const leave = [one, stranger].map(({ functions }) => joinSiblings(functions));
		one.data.one = { own: true };
		stranger.write({ at: 1 });
		one.write({ at: 2 });
		expect(one.data).toEqual({ one: { own: true, at: 2 } });
		leave.forEach((close) => close());
	});

	it('are known until the last trigger is closed', () => {
		const [one, other] = [triggerOf('one', 'w3'), triggerOf('other', 'w3')];
		const [later, next] = [triggerOf('later', 'w3'), triggerOf('next', 'w3')];
		const leave = [one, other].map((trigger) => joinSiblings(trigger.functions));
		one.write({ at: 1 });
		leave[0]?.();
		other.write({ at: 2 });
		expect(other.data).toHaveProperty('one', { at: 1 });
		leave[1]?.();
		const last = joinSiblings(later.functions);
		later.write({ at: 3 });
		expect(later.data).toEqual({ later: { at: 3 } });
		// A trigger that is closed twice ends nothing of those that came later
		leave[1]?.();
		const leaveNext = joinSiblings(next.functions);
		next.write({ at: 4 });
		expect(next.data).toHaveProperty('later', { at: 3 });
		last();
		leaveNext();
	});

	it('of a trigger that was activated by nobody is its own', () => {
		const { data, write } = triggerOf('one', 'w4');
		expect(write({ at: 1 })).toBe(true);
		expect(data).toEqual({ one: { at: 1 } });
	});

	it('of an n8n that looks at the node of the trigger alone stays its own', () => {
		const [one, other] = [triggerOf('one', 'w5'), triggerOf('other', 'w5', true)];
		const leave = [one, other].map(({ functions }) => joinSiblings(functions));
		one.write({ at: 1 });
		other.write({ at: 2 });
		expect(other.data).toEqual({ other: { at: 2 } });
		leave.forEach((close) => close());
	});

	it.each([['text'], [7], [null], [['list']]])('cannot be saved where it is %j', (damaged) => {
		const [one, other] = [triggerOf('one', 'w6'), triggerOf('other', 'w6')];
		const leave = [one, other].map(({ functions }) => joinSiblings(functions));
		const functions = { ...one.functions, getWorkflowStaticData: () => damaged };
		expect(writeStaticData(functions as unknown as ITriggerFunctions, { at: 1 })).toBe(false);
		// Nor that of a sibling, whatever it is
		one.write({ at: 1 });
		other.data.one = 'damaged';
		expect(other.write({ at: 2 })).toBe(true);
		expect(other.data).toEqual({ one: 'damaged', other: { at: 2 } });
		leave.forEach((close) => close());
	});

	it('of an n8n that gives another view of it each time is what was written last', () => {
		const { data, functions } = triggerOf('one', 'w7');
		const leave = joinSiblings(functions);
		data.one = {};
		const views = {
			...functions,
			getWorkflowStaticData: () => new Proxy(data.one as object, {}),
		} as unknown as ITriggerFunctions;
		for (const at of [1, 2]) writeStaticData(views, { at });
		expect(data.one).toEqual({ at: 2 });
		leave();
	});
});
