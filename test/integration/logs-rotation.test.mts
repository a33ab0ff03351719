import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { CONTAINER, logRequests, numbered, runningDeployment } from '../engine/logs.mts';
import { locator } from '../engine/nodes.mts';
import { eventually } from '../engine/wait.mts';

const fixture = useFixture({ time: 'immediate' });

const came = async (...lines: string[]) => {
	await eventually(`${lines.length} lines`, () => fixture.trigger.lines.length >= lines.length);
	expect(fixture.trigger.lines).toEqual(lines);
};
const reconnected = async (times: number) => {
	const { length } = logRequests(fixture.sandbox);
	await eventually(
		'it has connected again',
		() => logRequests(fixture.sandbox).length >= length + times,
	);
};

describe('rotation, at a service that honours the offset', () => {
	it.each([1, 2])('the new log is read from its start, %d times', async (times) => {
		const deploymentId = runningDeployment(fixture.sandbox);
		let log = fixture.sandbox.logs.open(deploymentId, CONTAINER);
		log.append('stdout', 'a0', 'a1', 'a2');
		const expected = ['a0', 'a1', 'a2'];
		await fixture.follow({ deploymentId: locator(deploymentId) }).activate();
		await came(...expected);
		for (let time = 0; time < times; time++) {
			const lines = numbered(5, time * 5);
			const next = fixture.sandbox.logs.open(deploymentId, CONTAINER);
			next.append('stdout', ...lines);
			log.finish();
			log = next;
			expected.push(...lines);
			await came(...expected);
		}
	});
});

describe('rotation, at a service that ignores the offset', () => {
	const deploymentId = () => locator(runningDeployment(fixture.sandbox));
	const begin = (...lines: string[]) => {
		const log = fixture.sandbox.logs.open(runningDeployment(fixture.sandbox), CONTAINER, 'lines');
		log.resume = { ignoresOffset: true };
		log.append('stdout', ...lines);
		return log;
	};

	it('the new log is read from its start, once', async () => {
		const first = begin('a1', 'a2');
		await fixture
			.follow({ deploymentId: deploymentId(), options: { offsetUnit: 'none' } })
			.activate();
		await came('a1', 'a2');
		const second = begin('b1', 'b2');
		first.finish();
		await came('a1', 'a2', 'b1', 'b2');
		expect(fixture.trigger.items.map(({ offset }) => offset)).toEqual([0, 1, 0, 1]);
		second.finish();
		await reconnected(1);
		second.append('stdout', 'b3');
		await came('a1', 'a2', 'b1', 'b2', 'b3');
		expect(fixture.trigger.items.at(-1)).toMatchObject({ offset: 2 });
	});

	it('so is one that begins with the same line', async () => {
		const first = begin('banner', 'a1', 'a2');
		await fixture
			.follow({ deploymentId: deploymentId(), options: { offsetUnit: 'none' } })
			.activate();
		await came('banner', 'a1', 'a2');
		begin('banner', 'b1', 'b2', 'b3');
		first.finish();
		await came('banner', 'a1', 'a2', 'banner', 'b1', 'b2', 'b3');
	});

	it.each<['dataLines' | 'sse', boolean]>([
		['dataLines', true],
		['dataLines', false],
		['sse', true],
		['sse', false],
	])(
		'a stream that only ends again and again is no rotation: %s, ignores the offset: %s',
		async (format, ignoresOffset) => {
			const id = runningDeployment(fixture.sandbox);
			const log = fixture.sandbox.logs.open(id, CONTAINER, format);
			log.resume = { ignoresOffset };
			log.append('stdout', 'a', 'b', 'c');
			log.finish();
			await fixture
				.follow({
					deploymentId: locator(id),
					...(ignoresOffset && { options: { offsetUnit: 'none' } }),
				})
				.activate();
			await came('a', 'b', 'c');
			await reconnected(3);
			expect(fixture.trigger.lines).toEqual(['a', 'b', 'c']);
		},
	);

	it('while n8n was down, with a batch in flight: the new log is read from its start, once', async () => {
		begin('a1', 'a2', 'a3');
		let isStuck = true;
		await fixture
			.follow({ deploymentId: deploymentId(), options: { offsetUnit: 'none' } }, async () => {
				while (isStuck) await new Promise(setImmediate);
			})
			.activate();
		await came('a1', 'a2', 'a3');
		await fixture.trigger.kill();
		isStuck = false;
		const { length } = fixture.trigger.lines;
		begin('b1', 'b2', 'b3', 'b4');
		await fixture.trigger.activate('init');
		await eventually('the new log', () => fixture.trigger.lines.length >= length + 4);
		expect(fixture.trigger.lines.slice(length)).toEqual(['b1', 'b2', 'b3', 'b4']);
		expect(fixture.trigger.failures).toEqual([]);
	});
});
