import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, RETRY } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();
let deploymentId: string;

beforeEach(async () => {
	deploymentId = String(
		onlyJson(await fixture.run(deployment('deploy', deployParameters()))).deployment_id,
	);
	fixture.sandbox.clock.advance(60_000);
	fixture.sandbox.requests.length = 0;
});

const EXTEND = { method: 'POST', path: /\/extend$/ };
const extend = async (parameters: IDataObject = {}, settings = {}) =>
	await fixture.run(
		deployment('extend', { deploymentId, durationHours: 3, safety: {}, ...parameters }, settings),
	);
const extensions = () => fixture.sandbox.books.find(deploymentId)?.extensions;
const sent = () => fixture.sent('POST', EXTEND.path);

describe('extend', () => {
	it('adds hours; returns ID, added hours and the new end', async () => {
		const output = onlyJson(await extend());
		expect(output).toMatchObject({ deployment_id: deploymentId, added_hours: 3 });
		expect(Date.parse(String(output.expires_at)) - fixture.sandbox.clock.now()).toBeCloseTo(
			(5 * 60 - 0.5) * 60_000,
			-5,
		);
		expect(sent().map(({ body }) => body)).toEqual([{ duration_hours: 3 }]);
		expect(extensions()).toEqual([3]);
	});

	it.each([
		['the connection is cut after the work', { drop: 'after' as const }],
		['a 502 after the work', { ...errorForms.html(502), afterWork: true }],
	])('%s: found in the details, and extended once', async (_, fault) => {
		fixture.sandbox.faults.add({ match: EXTEND, ...fault });
		expect(onlyJson(await extend({}, RETRY))).toMatchObject({
			deployment_id: deploymentId,
			added_hours: 3,
			recovered: true,
		});
		expect(extensions()).toEqual([3]);
	});

	it.each([
		['empty', { emptyBody: true }],
		['JSON', { status: 202, body: { status: 'accepted' }, afterWork: true }],
	])('a 2xx that is %s: a success, with the details read', async (_, fault) => {
		fixture.sandbox.faults.add({ match: EXTEND, ...fault });
		const output = onlyJson(await extend());
		expect(output).toMatchObject({
			deployment_id: deploymentId,
			added_hours: 3,
			status: 'running',
			compute_minutes_remaining: expect.any(Number),
		});
		expect(output).not.toHaveProperty('recovered');
		expect(output).not.toHaveProperty('hint');
	});

	it('a 2xx that the details do not show in time: a success with a hint', async () => {
		fixture.sandbox.faults.add({ match: EXTEND, status: 200, body: {} });
		const output = onlyJson(await extend({}, RETRY));
		expect(output).toMatchObject({
			deployment_id: deploymentId,
			added_hours: null,
			requested_hours: 3,
			accepted: true,
			status: 'running',
			hint: expect.stringContaining('the deployment shows no change'),
		});
		expect(fixture.time.waits.reduce((sum, ms) => sum + ms)).toBe(120_000);
		expect(sent()).toHaveLength(1);
	});

	it('a 2xx whose details cannot be read: a success with the ID and a hint', async () => {
		fixture.sandbox.faults.add({ match: EXTEND, emptyBody: true });
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /deployment\/[^/]+$/ },
			skip: 1,
			times: Infinity,
			...errorForms.empty(500),
		});
		expect(onlyJson(await extend())).toEqual({
			deployment_id: deploymentId,
			added_hours: null,
			requested_hours: 3,
			accepted: true,
			hint: expect.stringContaining('its details could not be read'),
		});
	});

	it('an error field in the details does not make n8n extend again', async () => {
		const data = { id: deploymentId, compute_minutes_remaining: 60, error: 'disk nearly full' };
		fixture.sandbox.faults.add({ match: EXTEND, status: 200, body: { data }, afterWork: true });
		expect(
			onlyJson(await extend({}, { ...RETRY, onError: 'continueRegularOutput' })),
		).toMatchObject({ added_hours: 3, status: 'running' });
		expect(extensions()).toEqual([3]);
	});

	it.each([
		['the hardware list', /vmaas\/hardware$/],
		['the price', /vmaas\/price$/],
	])(
		'%s cannot be read under a price limit: an error, and nothing is extended',
		async (_, path) => {
			fixture.sandbox.faults.add({ match: { path }, times: Infinity, ...errorForms.empty(500) });
			const error = errorOf(await extend({ safety: { maxPrice: 10 } }));
			expect(error.message).toBe('The price could not be read: Server error (500)');
			expect(error.description).toContain('Nothing was extended.');
			expect(error.context.known).toEqual({ deployment_id: deploymentId });
			expect(sent()).toHaveLength(0);
		},
	);

	it('the deployment cannot be read: an error with its ID', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'GET' },
			times: Infinity,
			...errorForms.empty(500),
		});
		const error = errorOf(await extend());
		expect(error.message).toBe('The deployment could not be read: Server error (500)');
		expect(error.description).toContain('Nothing was extended.');
		expect(error.context.known).toEqual({ deployment_id: deploymentId });
	});

	it('a web page with status 200 is not an extension', async () => {
		fixture.sandbox.faults.add({
			match: EXTEND,
			status: 200,
			rawBody: '<html></html>',
			contentType: 'text/html',
		});
		expect(errorOf(await extend()).message).toContain(
			'outcome unknown. The service answered 200, but not with what was made',
		);
	});

	it('a lost request without effect: "outcome unknown", and Retry On Fail sends nothing', async () => {
		fixture.sandbox.faults.add({ match: EXTEND, drop: 'before' });
		const error = errorOf(await extend({}, RETRY));
		expect(error.message).toContain(`Extension of ${deploymentId} by 3 hours: outcome unknown.`);
		expect(error.message).toContain('the deployment shows no change');
		expect(sent()).toHaveLength(1);
		expect(extensions()).toEqual([]);
	});

	it('an extension that takes effect later is found by the retry', async () => {
		fixture.sandbox.faults.add({ match: EXTEND, delayMs: 150_000 });
		const running = extend({}, RETRY);
		await until(() => sent().length === 1);
		fixture.sandbox.clock.advance(120_000);
		expect(onlyJson(await running)).toMatchObject({ recovered: true });
		expect(extensions()).toEqual([3]);
	});

	it('a refusal may be sent again', async () => {
		fixture.sandbox.faults.add({ match: EXTEND, ...errorForms.detailString(422, 'too long') });
		expect(errorOf(await extend()).message).toContain('too long');
		fixture.sandbox.faults.add({ match: EXTEND, ...errorForms.detailString(422, 'too long') });
		expect(onlyJson(await extend({}, RETRY))).toMatchObject({ added_hours: 3 });
		expect(extensions()).toEqual([3]);
	});

	it('above the maximum price: an error with both prices; below it, the price is in the output', async () => {
		expect(errorOf(await extend({ safety: { maxPrice: 0.5 } })).message).toBe(
			'The price of 1.02 usdc is above the Maximum Price of 0.5 usdc',
		);
		expect(sent()).toHaveLength(0);
		expect(
			onlyJson(await extend({ safety: { maxPrice: 1.02, maxHourlyPrice: 0.34 } })),
		).toMatchObject({ total_price: 1.02, hourly_price: 0.34, currency: 'usdc' });
	});
});
