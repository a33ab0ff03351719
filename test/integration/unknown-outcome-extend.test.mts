import type { IDataObject, IRun } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { answersOf, runAsTool } from '../engine/agent.mts';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE, RETRY, deployParameters, deployment, vmaas, LIMIT } from '../engine/nodes.mts';
import { jsonOf } from '../engine/results.mts';
import { until } from '../engine/time.mts';

/** After a lost answer: other items, and other calls of an agent's tool, in the same execution. */
const fixture = useFixture();

/** Longer than the request waits for its answer and the node looks for what became of it. */
const LATE = { delayMs: 260_000 };
const NOT_AGAIN =
	'It is sent again only after 15 minutes, by a retry or another item, if it still does not show.';
/** After so long what does not show was never bought. */
const LONG = 16 * 60_000;
const journalOf = (run: IRun) => {
	const { computeMarketplace } = run.data.executionData?.contextData.flow as {
		computeMarketplace: { journal: Record<string, { results?: IDataObject[] }> };
	};
	return Object.values(computeMarketplace.journal)[0];
};
/** What the model reads of each call. */
const readByModel = (run: IRun) => answersOf(run).map(([json]) => JSON.stringify(json));

/** Gives the first request up while the service still works on it. */
async function givenUp(running: Promise<IRun>, sent: () => unknown[]): Promise<IRun> {
	await until(() => sent().length === 1);
	fixture.sandbox.clock.advance(120_000);
	return await running;
}

describe('extend', () => {
	const EXTEND = { method: 'POST', path: /\/extend$/ };
	const UNKNOWN =
		/by 3 hours: outcome unknown\. .* Do not extend it again before you have checked its remaining time/;
	const MADE = 'by 3 hours was made. Nothing was added now: execute the workflow again to add more';
	let ids: [string, string];
	beforeEach(async () => {
		ids = jsonOf(
			await fixture.run(
				deployment('deploy', deployParameters({ resourcePrivateName: '=job-{{ $itemIndex }}' })),
				[{}, {}],
			),
		).map((json) => String(json.deployment_id)) as typeof ids;
		fixture.sandbox.clock.advance(60_000);
		fixture.sandbox.requests.length = 0;
	});
	const sent = () => fixture.sent('POST', EXTEND.path);
	const extensions = () => ids.map((id) => fixture.sandbox.books.find(id)?.extensions);
	const run = async (items: IDataObject[], settings = {}) =>
		await fixture.run(
			deployment(
				'extend',
				{ deploymentId: '={{ $json.id }}', durationHours: 3, safety: {} },
				{ ...CONTINUE, ...settings },
			),
			items,
		);
	const twice = () => [{ id: ids[0] }, { id: ids[0] }];
	const asTool = async (calls: number, settings = {}, beforeCall?: (call: number) => void) =>
		await runAsTool(
			fixture.engine,
			vmaas(
				'deployment',
				'extend',
				{ deploymentId: ids[0], durationHours: 3, safety: LIMIT },
				settings,
			),
			Array(calls).fill({}),
			beforeCall,
		);

	it('another item of the same deployment sends nothing while the outcome is unknown; one of another is extended', async () => {
		fixture.sandbox.faults.add({ match: EXTEND, drop: 'before' });
		const unknown = {
			error: expect.stringMatching(UNKNOWN),
			details: expect.objectContaining({
				deployment_id: ids[0],
				outcome: 'unknown',
				description: expect.stringContaining(NOT_AGAIN),
			}),
		};
		expect(jsonOf(await run([...twice(), { id: ids[1] }]))).toEqual([
			unknown,
			unknown,
			expect.objectContaining({ deployment_id: ids[1], added_hours: 3 }),
		]);
		expect(sent()).toHaveLength(2);
		expect(extensions()).toEqual([[], [3]]);
	});

	it("another item finds the extension: it is the first item's, and nothing is added", async () => {
		fixture.sandbox.faults.add({ match: EXTEND, ...LATE });
		const ended = await givenUp(run(twice()), sent);
		expect(jsonOf(ended)[1]).toEqual({
			error: `An earlier extension of ${ids[0]} ${MADE}`,
			details: { deployment_id: ids[0], added_hours: 3, description: null },
		});
		expect(journalOf(ended)?.results).toMatchObject([
			{ deployment_id: ids[0], added_hours: 3, recovered: true },
		]);
		expect(extensions()).toEqual([[3], []]);
	});

	it('a retry by n8n adds nothing', async () => {
		fixture.sandbox.faults.add({ match: EXTEND, ...LATE });
		const output = jsonOf(await givenUp(run(twice(), RETRY), sent));
		expect(output).toMatchObject([
			{ deployment_id: ids[0], recovered: true },
			{ error: expect.stringContaining(MADE) },
		]);
		expect(extensions()).toEqual([[3], []]);
	});

	it('a repeated tool call adds nothing while the outcome is unknown', async () => {
		fixture.sandbox.faults.add({ match: EXTEND, drop: 'before' });
		expect(readByModel(await asTool(2, RETRY))).toEqual(
			Array(2).fill(expect.stringMatching(UNKNOWN)),
		);
		expect(sent()).toHaveLength(1);
		expect(extensions()).toEqual([[], []]);
	});

	it('a tool call long after an extension that never showed adds its hours', async () => {
		fixture.sandbox.faults.add({ match: EXTEND, drop: 'before' });
		const ended = await asTool(2, {}, (call) => {
			if (call > 0) fixture.sandbox.clock.advance(LONG);
		});
		expect(readByModel(ended)).toEqual([
			expect.stringMatching(UNKNOWN),
			expect.stringContaining('"added_hours":3'),
		]);
		expect(extensions()).toEqual([[3], []]);
	});

	it.each([
		// The first call looks once before it sends and eight times afterwards, the second nine times
		['now, and a later call adds its hours', { skip: 9, times: 9 }, 2],
		['when it was sent', { times: 1 }, 1],
	])('details without a time prove nothing, however late: %s', async (_, fault, times) => {
		fixture.sandbox.faults.add({ match: EXTEND, drop: 'before' });
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /vmaas\/deployment\/[^/]+$/ },
			status: 200,
			body: {
				data: {
					status: 'running',
					hardware_id: 7,
					gpus_per_vm: 1,
					total_vms: 1,
					locations: [{ id: 'us-west-2' }],
				},
			},
			...fault,
		});
		const read = readByModel(
			await asTool(3, {}, (call) => {
				if (call > 0) fixture.sandbox.clock.advance(LONG);
			}),
		);
		expect(read[1]).toMatch(/outcome unknown.* its details do not tell its time/);
		expect(read[2]).toContain(times === 2 ? '"added_hours":3' : 'outcome unknown');
		expect(sent()).toHaveLength(times);
	});

	it.each([
		['', {}, 260_000],
		[', with Retry On Fail', { ...RETRY, maxTries: 2 }, 390_000],
	])(
		'a repeated tool call is told of the extension, and the next may add more%s',
		async (_, settings, delayMs) => {
			fixture.sandbox.faults.add({ match: EXTEND, delayMs });
			const read = readByModel(await givenUp(asTool(3, settings), sent));
			expect(read).toEqual([
				expect.stringMatching(UNKNOWN),
				expect.stringContaining(MADE),
				expect.stringContaining('"added_hours":3'),
			]);
			expect(sent()).toHaveLength(2);
			expect(extensions()).toEqual([[3, 3], []]);
		},
	);
});
