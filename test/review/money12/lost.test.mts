import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
	caas,
	cheapestParameters,
	CONTINUE,
	containerParameters,
	deployment,
	LIMIT,
	RETRY,
} from '../../engine/nodes.mts';
import { HOUR, SECOND, type Answer } from './service.mts';
import { begin, deploy, extend } from './stage.mts';

/** How a service or a gateway answers a deploy that was done. */
const ANSWERS: Array<[string, (answer: Answer) => Answer]> = [
	['cut', () => ({ isCut: true })],
	['a 502 page', () => ({ status: 502, body: '<html><title>Bad gateway</title></html>' })],
	['503 with Retry-After', () => ({ status: 503, headers: { 'retry-after': '5' }, body: 'busy' })],
	['307', () => ({ status: 307, headers: { location: '/elsewhere' } })],
	['425', () => ({ status: 425 })],
	['204', () => ({ status: 204 })],
	['202 with a task', () => ({ status: 202, body: { task_id: 't-1', status: 'queued' } })],
	['cut JSON', () => ({ body: '{"status":"success","deployment_id":"c0ff' })],
	['JSON twice', ({ body }) => ({ body: JSON.stringify(body).repeat(2) })],
	['cut gzip', ({ body }) => compressed('gzip', gzipSync(text(body)).subarray(0, 12))],
	['unlabelled gzip', ({ body }) => ({ body: gzipSync(text(body)) })],
	['gzip that is none', ({ body }) => compressed('gzip', Buffer.from(text(body)))],
	['gzip', ({ body }) => compressed('gzip', gzipSync(text(body)))],
	['deflate', ({ body }) => compressed('deflate', deflateSync(text(body)))],
	['deflate without a head', ({ body }) => compressed('deflate', deflateRawSync(text(body)))],
	['brotli', ({ body }) => compressed('br', brotliCompressSync(text(body)))],
];

const text = (body: unknown) => JSON.stringify(body);
const compressed = (encoding: string, body: Buffer): Answer => ({
	headers: { 'content-encoding': encoding },
	body,
});

describe.each(ANSWERS)(
	'a deploy that is answered with %s and listed after 30 s',
	(_how, answer) => {
		const answering = async () => {
			const stage = await begin({ lagMs: 30 * SECOND });
			stage.service.then = ({ what }, said) => (what === 'deploy' ? answer(said) : said);
			return stage;
		};

		it.each([
			['Deploy', deploy({ safety: { maxPrice: 4 } }, RETRY)],
			[
				'Deploy Cheapest',
				deployment('deployCheapest', cheapestParameters({ gpusPerVm: 1, safety: LIMIT }), RETRY),
			],
			[
				'Deploy of containers',
				caas(
					'deployment',
					'deploy',
					containerParameters({ replicaCount: 2, safety: LIMIT }),
					RETRY,
				),
			],
		])('is told by %s, which buys once', async (_what, node) => {
			const { service, run } = await answering();
			const { items } = await run(node);
			expect(service.bought).toHaveLength(1);
			expect(items.map((item) => item.deployment_id)).toEqual([service.bought[0]?.id]);
		});

		it('is told by each of four items of their own names', async () => {
			const { service, run } = await answering();
			const names = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
			const node = deploy({ resourcePrivateName: '={{ $json.name }}' }, { ...RETRY, ...CONTINUE });
			const { items } = await run(node, names);
			expect(items.map((item) => item.deployment_id)).toEqual(service.bought.map(({ id }) => id));
		});
	},
);

describe('a total that is no plain number', () => {
	const TOTALS = ['12,50', '$2.00', '4.00 USDC', '', null, true, [4], { amount: 4 }, -4, '1_000'];

	it.each(TOTALS.map((total) => [total]))(
		'such as %j buys nothing below a limit',
		async (total) => {
			const { service, run } = await begin();
			service.then = ({ what }, answer) =>
				what === 'price'
					? { body: { data: { replica_count: 1, total_cost_usdc: total } } }
					: answer;
			const { error } = await run(deploy({ safety: { maxPrice: 5 } }));
			expect(service.bought).toEqual([]);
			expect(error).toContain('price limit cannot be checked');
		},
	);
});

describe('two executions at once', () => {
	it('buy one name once', async () => {
		const { service, engine, time } = await begin({ lagMs: 30 * SECOND });
		const runs = ['first', 'second'].map(
			async (executionId) => await engine.run(deploy(), [{}], { executionId }),
		);
		await time.during(Promise.all(runs), HOUR);
		expect(service.bought).toHaveLength(1);
	});

	it('each add their hour to one deployment', async () => {
		const { service, engine, time } = await begin();
		const rental = service.add('train');
		const runs = ['first', 'second'].map(
			async (executionId) => await engine.run(extend(rental.id, 1), [{}], { executionId }),
		);
		await time.during(Promise.all(runs), HOUR);
		expect(rental.hours).toBe(26);
	});
});

describe('a stop of the execution', () => {
	it.each(['deploy', 'details'])(
		'while the answer to %s is awaited names the deployment',
		async (held) => {
			const { service, engine, time } = await begin();
			service.then = ({ what }, answer) =>
				what === held ? { ...answer, lateMs: 20 * SECOND } : answer;
			const cancel = new AbortController();
			const options = { executionId: `stop-${held}`, cancel: cancel.signal };
			const work = engine.run(deploy(), [{}, {}], options).catch(() => undefined);
			await time.until(() => service.sent(held).length > 0, HOUR);
			const logged = engine.log.length;
			cancel.abort();
			await time.during(work, HOUR);
			expect(service.bought).toHaveLength(1);
			expect(JSON.stringify(engine.log.slice(logged))).toContain('"resource_private_name":"job"');
		},
	);
});

describe('a proxy that sends a deploy again, whose first try took the last one', () => {
	it('leaves none untold where it is listed at once', async () => {
		const { service, run } = await begin();
		service.offers.push({ ...service.offers[0], id: '8__NL', deploy_id: 8, price: 3 });
		service.then = ({ what }, answer) =>
			what === 'deploy' && service.bought.length === 1
				? { status: 409, body: { detail: 'sold out' } }
				: answer;
		const { all } = await run(
			deployment('deployCheapest', cheapestParameters({ gpusPerVm: 1, maxTries: 2 })),
		);
		expect(service.bought.filter(({ id }) => !all.includes(id))).toEqual([]);
	});
});
