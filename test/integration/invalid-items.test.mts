import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE, deployment, deployParameters, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

/** What the error of an invalid item says of the deployments of the same execution. An expression takes one value of its item's list in each try. */
const fixture = useFixture();

const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };
const DESTROY = { method: 'DELETE' };
const INVALID = 'Duration (Hours) must be a whole number from 1 to 8760, got 0';
const SENT = 'An earlier try was sent, and its outcome is unknown:';

const deploy = async (hours: number[][], settings: object = RETRY) => {
	const parameters = deployParameters({
		resourcePrivateName: '=job-{{ $itemIndex }}',
		durationHours: '={{ $json.hours.shift() }}',
	});
	return await fixture.run(
		deployment('deploy', parameters, settings),
		hours.map((list) => ({ hours: list })),
	);
};
const deployed = async (name: string) =>
	String(
		onlyJson(
			await fixture.run(deployment('deploy', deployParameters({ resourcePrivateName: name }))),
		).deployment_id,
	);
const sent = ({ method }: { method: string }) => fixture.sent(method, /./);

describe('an item that is no longer valid in a retry', () => {
	it('with an unknown outcome: the error says so, with the name', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const error = errorOf(await deploy([[2, 0, 0]]));
		expect(error.message).toBe(`${INVALID}. ${SENT} resource_private_name job-0`);
		expect(error.context.known).toEqual({ resource_private_name: 'job-0', outcome: 'unknown' });
		expect(sent(DEPLOY)).toHaveLength(1);
	});

	it('with an unknown outcome and On Error = Continue: its item says so', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const output = jsonOf(
			await deploy(
				[
					[2, 0, 0],
					[2, 2, 2],
				],
				{ ...RETRY, ...CONTINUE },
			),
		);
		expect(output[0]).toEqual({
			error: `${INVALID}. ${SENT} resource_private_name job-0`,
			details: { resource_private_name: 'job-0', outcome: 'unknown', description: null },
		});
		expect(output[1]).toMatchObject({ resource_private_name: 'job-1' });
	});

	it('extend: with the deployment and the hours', async () => {
		const deploymentId = await deployed('job');
		fixture.sandbox.faults.add({ match: { path: /\/extend$/ }, drop: 'before' });
		const error = errorOf(
			await fixture.run(
				deployment(
					'extend',
					{ deploymentId, durationHours: '={{ $json.hours.shift() }}', safety: {} },
					RETRY,
				),
				[{ hours: [3, 0, 0] }],
			),
		);
		expect(error.message).toContain(`got 0. ${SENT} deployment_id ${deploymentId}, added_hours 3`);
		expect(error.context.known).toEqual({
			deployment_id: deploymentId,
			added_hours: 3,
			outcome: 'unknown',
		});
	});

	it('destroyMany: with the deployments of the earlier try', async () => {
		const ids = [await deployed('job-1'), await deployed('job-2')];
		fixture.sandbox.faults.add({
			match: DESTROY,
			times: Infinity,
			...errorForms.detailString(403, 'not yours'),
		});
		const parameters = {
			namePrefix: '={{ $json.prefix.shift() ?? "" }}',
			limit: 5,
			dryRun: false,
			options: {},
		};
		const error = errorOf(
			await fixture.run(deployment('destroyMany', parameters, RETRY), [
				{ prefix: ['job-', 'job-'] },
			]),
		);
		expect(error.message).toContain(
			`Name or Prefix is required and must not be empty. ${SENT} Destroy of `,
		);
		for (const id of ids) expect(error.message).toContain(id);
	});

	it.each([
		['', {}],
		[', On Error = Continue', CONTINUE],
	])(
		'that was done: its output is returned, and the others are executed%s',
		async (_, settings) => {
			// n8n looks at the first item alone
			fixture.sandbox.faults.add({
				match: DEPLOY,
				skip: settings === CONTINUE ? 0 : 1,
				...errorForms.detailString(422, 'try again'),
			});
			const hours = [
				[2, 0, 0],
				[2, 2, 2],
			];
			const output = jsonOf(
				await deploy(settings === CONTINUE ? hours.reverse() : hours, { ...RETRY, ...settings }),
			);
			expect(output.map((json) => json.deployment_id).sort()).toEqual(
				fixture.sandbox.books.deployments.map(({ id }) => id).sort(),
			);
			expect(sent(DEPLOY)).toHaveLength(3);
		},
	);

	it('stops the others: the error names what an earlier try sent for them', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const error = errorOf(
			await deploy([
				[2, 2, 2],
				[2, 0, 0],
			]),
		);
		expect(error.message).toBe(INVALID);
		expect(error.description).toContain(
			'Item 0 was sent by an earlier try, and its outcome is unknown: resource_private_name job-0',
		);
	});
});

describe('an invalid item, beside deployments to destroy', () => {
	const destroy = async (ids: unknown[], settings = {}) =>
		await fixture.run(
			deployment('destroy', { deploymentId: '={{ $json.id }}', options: {} }, settings),
			ids.map((id) => ({ id }) as IDataObject),
		);

	it('nothing is destroyed, and the error names those that may still run', async () => {
		const ids = [await deployed('a'), await deployed('b'), await deployed('c')];
		const error = errorOf(await destroy([ids[0], '', ids.slice(1)]));
		expect(error.message).toBe(
			`Deployment is required: choose one from the list or enter its ID. Nothing was destroyed now: ${ids.join(', ')} may still run and bill`,
		);
		expect(sent(DESTROY)).toHaveLength(0);
	});

	it('the error names twenty, and the number of the others', async () => {
		const ids = Array.from({ length: 23 }, (_, index) => `machine-${index}`);
		expect(errorOf(await destroy([...ids, ''])).message).toContain(
			', machine-19 and 3 more may still run and bill',
		);
		expect(errorOf(await destroy([...ids.slice(0, 20), ''])).message).toContain(
			', machine-19 may still run and bill',
		);
	});

	it('alone: the error names nothing else', async () => {
		expect(errorOf(await destroy([''])).message).toBe(
			'Deployment is required: choose one from the list or enter its ID',
		);
	});

	it('in a retry: not those that an earlier try destroyed', async () => {
		const ids = [await deployed('a'), await deployed('b')];
		fixture.sandbox.faults.add({
			match: DESTROY,
			skip: 1,
			times: 2,
			...errorForms.detailString(403, 'not yours'),
		});
		// each try reads the field three times
		const parameters = { deploymentId: '={{ $json.ids.shift() }}', options: {} };
		const error = errorOf(
			await fixture.run(deployment('destroy', parameters, RETRY), [
				{ ids: Array(9).fill(ids[0]) },
				{ ids: Array(9).fill(ids[1]) },
				{ ids: ['c', 'c', 'c', '', '', '', '', '', ''] },
			]),
		);
		expect(error.message).toContain(`Nothing was destroyed now: ${ids[1]} may still run and bill`);
		expect(error.description).toContain(`Item 0 was done: deployment_id ${ids[0]}`);
	});

	it('destroyMany: the prefixes, but not those of dry runs', async () => {
		const items = [
			{ prefix: 'a-', dry: false },
			{ prefix: '', dry: false },
			{ prefix: 'b-', dry: true },
		];
		const message = async (list: IDataObject[]) =>
			errorOf(
				await fixture.run(
					deployment('destroyMany', {
						namePrefix: '={{ $json.prefix }}',
						limit: 5,
						dryRun: '={{ $json.dry }}',
						options: {},
					}),
					list,
				),
			).message;
		expect(await message(items)).toBe(
			'Name or Prefix is required and must not be empty. Nothing was destroyed now: a-* may still run and bill',
		);
		expect(await message(items.slice(1))).toBe('Name or Prefix is required and must not be empty');
		expect(sent(DESTROY)).toHaveLength(0);
	});
});
