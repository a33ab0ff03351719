import type { INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { ActiveTrigger } from '../engine/trigger.mts';
import world from '../sandbox/worlds/logs/default.mts';
import { useStage } from '../worlds/describeWorlds.mts';
import { logLaws } from '../worlds/laws/logs.mts';
import type { LogRecord, LogScenario } from '../worlds/logRecord.mts';
import { playLog } from '../worlds/playLog.mts';

/** The laws of the worlds notice a trigger that breaks them: no law is so loose that it always holds. */
const stage = useStage();
const scenario: LogScenario = {
	name: 'numbered',
	line: (number) => `line ${number}`,
	disconnects: 6,
};

function brokenLaws(record: LogRecord): string[] {
	return logLaws.filter(({ broken }) => broken(record).length > 0).map(({ name }) => name);
}

/** A harness that changes what the trigger emits, before any execution starts. */
function tampering(change: (items: INodeExecutionData[]) => INodeExecutionData[]) {
	return class extends ActiveTrigger {
		protected override emit(...args: Parameters<ActiveTrigger['emit']>): void {
			const [workflow, [items = []], ...others] = args;
			super.emit(workflow, [change(items)], ...others);
		}
	};
}

const isLine5 = ({ json }: INodeExecutionData) => json.line === 'line 5';

const TRIGGERS: Array<[what: string, Trigger: typeof ActiveTrigger, broken: string[]]> = [
	['does as it should', ActiveTrigger, []],
	[
		'drops a line',
		tampering((items) => items.filter((item) => !isLine5(item))),
		['no line is lost'],
	],
	[
		'repeats a line',
		tampering((items) => [...items, ...items.filter(isLine5)]),
		['no line comes twice'],
	],
	[
		'cuts a line',
		tampering((items) =>
			items.map((item) => (isLine5(item) ? { ...item, json: { line: 'line' } } : item)),
		),
		['no line is lost', 'no line is made up'],
	],
];

describe('a trigger that', () => {
	it.each(TRIGGERS)('%s', async (_what, Trigger, broken) => {
		const record = await playLog({ ...stage(), Trigger }, world, scenario);
		expect(record.interruptions).toBe(scenario.disconnects);
		expect(brokenLaws(record)).toEqual(broken);
	});
});

const RECORDS: Array<[what: string, change: (record: LogRecord) => void, broken: string]> = [
	[
		'an operation was refused that must succeed',
		(record) => record.refusals.push({ operation: 'resume', reason: 'no' }),
		'what must succeed, succeeds',
	],
	[
		'the trigger did not come back',
		(record) => record.silences.push('after interruption 1 it did not ask'),
		'it is never silent',
	],
	[
		'it asked for nothing in an outage',
		(record) => record.outages.forEach((outage) => outage.asked.splice(0)),
		'it is never silent',
	],
	[
		'an outage left no report',
		(record) => record.outages.forEach((outage) => (outage.reports = 0)),
		'it is never silent',
	],
	['nothing told the end', (record) => (record.hasToldEnd = false), 'it is never silent'],
	[
		'eleven requests came in a second',
		(record) => (record.requests = Array.from({ length: 11 }, (_, index) => 5_000 + index * 99)),
		'at most 10 requests a second',
	],
];

describe('a record in which', () => {
	it.each(RECORDS)('%s', async (_what, change, broken) => {
		const record = await playLog(stage(), world, { ...scenario, disconnects: 1 });
		expect(brokenLaws(record)).toEqual([]);
		change(record);
		expect(brokenLaws(record)).toEqual([broken]);
	});

	it('ten requests came in each second is no storm', async () => {
		const record = await playLog(stage(), world, { ...scenario, disconnects: 1 });
		record.requests = Array.from({ length: 40 }, (_, index) => index * 100);
		expect(brokenLaws(record)).toEqual([]);
	});
});
