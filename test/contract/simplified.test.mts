import type { INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { outputs as caas } from '../../nodes/Caas/outputs.ts';
import { outputs as chatCompletion } from '../../nodes/ChatCompletion/outputs.ts';
import { outputs as explorer } from '../../nodes/Explorer/outputs.ts';
import { outputs as rag } from '../../nodes/Rag/outputs.ts';
import { outputs as vmaas } from '../../nodes/Vmaas/outputs.ts';
import type { Output, Outputs } from '../../nodes/shared/operation/output.ts';
import { compare, outputSchema } from '../engine/outputs.mts';
import { startFixture } from '../engine/start.mts';
import { useJobs } from '../integration/jobFixture.mts';
import { allOperations } from '../property/hostile/nodes.mts';
import { sampleOutputs } from './output-samples.mts';

/** Which operations can put out fewer fields (n8n's UX guidelines), and that no such form hides what may bill. */
const first = await startFixture();
const { engine } = first;
const operations = allOperations(engine);
await first.sandbox.close();
const jobs = useJobs();

const NODES: Record<string, Outputs> = { caas, chatCompletion, explorer, rag, vmaas };

/** What n8n's guidelines allow without a choice. */
const MOST = 10;

/** These buy, extend or end deployments: what they say of money, and of what may still run, is too much for ten fields. */
const WHOLE = [
	'caas deployment deploy',
	'caas deployment destroyMany',
	'caas deployment extend',
	'vmaas deployment deploy',
	'vmaas deployment deployCheapest',
	'vmaas deployment destroyMany',
	'vmaas deployment extend',
	'vmaas job collect',
	'vmaas job run',
	'vmaas job start',
];

/** What says which thing it is, whether it may run and bill, and how sure that is: stays with Selected Fields, too. */
const TOLD = [
	'deployment_id',
	'resource_private_name',
	'status',
	'deleted',
	'destroyed',
	'verified',
	'recovered',
	'accepted',
	'existing',
	'dry_run',
	'replaced',
	'replaced_deleted',
	'reached',
	'missing',
	'running',
	'is_complete',
	'exit_code',
	'hint',
];

/** Money. */
const AMOUNT = /price|paid|cost|remaining_value|earned|earnings/;

/** Fields of other answers of an operation than that of its default settings, by operation. */
const OTHERS: Record<string, string[]> = {
	'explorer device get': [
		...['date', 'downtime', 'note'],
		...['status', 'for', 'start_time_iso', 'end_time_iso', 'compute_minutes_hired'],
		...['compute_minutes_served', 'earned', 'slashed', 'uptime_percent'],
	],
	'vmaas deployment getSpending': [
		...['day', 'deployment_id', 'resource_private_name', 'status', 'created_at', 'expires_at'],
	],
};
OTHERS['caas deployment getSpending'] = OTHERS['vmaas deployment getSpending'] ?? [];

const rows = Object.entries(NODES).flatMap(([node, resources]) =>
	Object.entries(resources).flatMap(([resource, row]) =>
		Object.entries(row).map(([operation, output]): [string, Output] => [
			`${node} ${resource} ${operation}`,
			output,
		]),
	),
);
const simplifiable = rows.filter(([, { simplified }]) => simplified);

/** The fields of a form that choose what of an answer is put out. */
function formOf(title: string): Record<string, INodeProperties> {
	const [node = '', resource, operation] = title.split(' ');
	const shown = engine
		.nodeType(node)
		.description.properties.filter(
			({ displayOptions: { show = {} } = {} }) =>
				show.resource?.includes(resource) && show.operation?.includes(operation) && '@tool' in show,
		);
	return Object.fromEntries(shown.map((field) => [field.name, field]));
}

it('an answer with more than ten fields can be simplified, or says too much of money', () => {
	const large = rows.filter(([, { fields }]) => Object.keys(fields).length > MOST);
	const whole = large.filter(([, { simplified }]) => !simplified).map(([title]) => title);
	expect(whole.toSorted()).toEqual(WHOLE);
	console.log(`${simplifiable.length} operations can be simplified, ${whole.length} are whole`);
});

describe.each(simplifiable)('%s', (title, { fields, simplified }) => {
	const { always = [], also = [] } = simplified ?? {};
	const names = [...always, ...also];
	const others = OTHERS[title] ?? [];

	it('has ten fields at most, all of them in its schema or of its other answers', () => {
		expect(new Set(names).size).toBe(names.length);
		const added = names.filter((name) => !(name in fields));
		expect(added.toSorted()).toEqual(others.toSorted());
		expect(names.filter((name) => name in fields).length).toBeLessThanOrEqual(MOST);
	});

	it('keeps what says that something may bill', () => {
		expect(TOLD.filter((name) => name in fields && !always.includes(name))).toEqual([]);
		const amounts = Object.keys(fields).filter((name) => AMOUNT.test(name));
		expect(amounts.filter((name) => !names.includes(name))).toEqual([]);
	});

	it('shows Simplify, off, on the canvas, and Output, simplified, in a tool', () => {
		const { simplify, fields: selected, ...output } = formOf(title);
		expect(simplify?.default).toBe(false);
		expect(simplify?.displayOptions?.show?.['@tool']).toEqual([false]);
		expect(Object.values(output)).toMatchObject([
			{
				default: 'simple',
				options: [{ value: 'raw' }, { value: 'fields' }, { value: 'simple' }],
				displayOptions: { show: { '@tool': [true] } },
			},
		]);
		const offered = (selected?.options ?? []).map(({ name }) => name);
		expect(offered.toSorted()).toEqual([...new Set([...Object.keys(fields), ...names])].toSorted());
	});

	it('puts out a part of its schema', async () => {
		const operation = operations.find((one) => one.title === title);
		if (!operation) throw new Error(`There is no operation ${title}`);
		const items = await sampleOutputs(jobs, operation, { simplify: true });
		expect(items).not.toEqual([]);
		const [node = '', resource = '', value = ''] = title.split(' ');
		const schema = outputSchema(engine.loader, node, resource, value) ?? {};
		const { unlisted, misfits } = compare(schema, items);
		expect([...misfits, ...unlisted.filter(({ path }) => path.split('.').length === 2)]).toEqual(
			[],
		);
		for (const item of items) {
			expect(Object.keys(item).length).toBeLessThanOrEqual(MOST);
			expect(Object.keys(item)).toContain(always.find((name) => name in fields));
		}
	});
});
