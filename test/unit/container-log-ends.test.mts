import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	numbered,
	open,
	read,
	readInput,
	shownOf,
	whole,
	type Service,
} from './container-log-parts.mts';
import { Body, type Answered } from './log-parts.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

describe('a log that cannot be read', () => {
	it('is the error of the service', async () => {
		const { error, offsets } = await read(() => ({ status: 403 }));
		expect(error?.httpCode).toBe('403');
		expect(offsets).toEqual([0]);
	});

	it('is given up after three tries where the service is busy', async () => {
		const { error, offsets } = await read(() => ({ status: 503 }), { maxWaitSeconds: 600 });
		expect(error?.httpCode).toBe('503');
		expect(offsets).toEqual([0, 0, 0]);
	});

	it.each([
		[5, 5],
		[1, 3],
	])(
		'for want of an answer, with a Max Wait of %d seconds, is told after %d seconds',
		async (maxWaitSeconds, waited) => {
			const never = async () => await new Promise<Answered>(() => undefined);
			const { error, seconds } = await read(never, { maxWaitSeconds });
			expect(error?.message).toContain(
				`The service did not answer within ${waited} seconds (Max Wait)`,
			);
			expect(error?.description).toContain('Otherwise increase Max Wait.');
			expect(seconds).toBe(waited);
		},
	);

	it('is the error of the network before the time is over', async () => {
		const { error } = await read(() => {
			throw Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
		});
		expect(error?.message).toMatch(/certificate/i);
		expect(error?.message).not.toContain('Max Wait');
	});

	it.each<[string, Service]>([
		['its connection breaks', () => ({ body: new Body().write('line 0\n', new Error('reset')) })],
		['a page of it is refused', (offset) => (offset === 0 ? whole(numbered(2)) : { status: 403 })],
		[
			'a page of it is lost',
			(offset) => {
				if (offset === 0) return whole(numbered(2));
				throw Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
			},
		],
	])('to its end has its lines, the last of which says so, where %s', async (_, service) => {
		const { lines, broken } = await read(service);
		expect(lines?.length).toBeGreaterThan(0);
		expect(broken).toEqual(lines?.map((__, index) => index === lines.length - 1));
	});

	it.each([400, 404, 416, 422])(
		'further, where the service has no page at its end and answers %d, is whole',
		async (status) => {
			const { shown, broken } = await read((offset) =>
				offset === 0 ? whole(numbered(2)) : { status },
			);
			expect(shown).toEqual(shownOf(2));
			expect(broken).toEqual([false, false]);
		},
	);

	it('further, where the service is silent at its end, is whole', async () => {
		const { shown, broken, seconds } = await read(async (offset) =>
			offset === 0 ? whole(numbered(2)) : await new Promise<Answered>(() => undefined),
		);
		expect(shown).toEqual(shownOf(2));
		expect(broken).toEqual([false, false]);
		expect(seconds).toBeLessThanOrEqual(6);
	});

	it('further, near the end of the time, is waited for one more second', async () => {
		const { shown, seconds } = await read(async (offset) => {
			if (offset !== 0) return await new Promise<Answered>(() => undefined);
			const body = new Body().write('line 0\nline 1\n');
			setTimeout(() => body.write(undefined), 4_500);
			return { body };
		});
		expect(shown).toEqual(shownOf(2));
		expect(seconds).toBe(6);
	});

	it('to its end is an error where none of its lines is wanted', async () => {
		const { error } = await read(
			(offset) => (offset === 0 ? whole(numbered(2)) : { status: 403 }),
			{ options: { include: 'nothing' } },
		);
		expect(error?.httpCode).toBe('403');
	});

	it('since it is cancelled is an error, though there are lines', async () => {
		const controller = new AbortController();
		setTimeout(() => controller.abort(), 2_000);
		const { error, seconds } = await read(() => open(numbered(2)), {}, controller.signal);
		expect(error?.message).toMatch(/cancelled/);
		expect(seconds).toBe(2);
	});
});

describe('the form of a log', () => {
	it('gives all that is set', () => {
		const options = { tail: true, offset: 3, offsetParameter: 'from' };
		expect(readInput({ stream: 'stderr', limit: 7, maxWaitSeconds: 3_600, options })).toMatchObject(
			{
				deploymentId: 'd1',
				containerId: 'c1',
				stream: 'stderr',
				limit: 7,
				maxWaitSeconds: 3_600,
				isTail: true,
				offset: 3,
				offsetSettings: { offsetParameter: 'from', offsetUnit: 'entries' },
			},
		);
		expect(readInput()).toMatchObject({
			include: undefined,
			isTail: false,
			offset: 0,
			offsetSettings: { offsetParameter: 'offset' },
		});
	});

	it.each<[IDataObject, string]>([
		[{ stream: 'both' }, 'Stream must be one of stdout, stderr'],
		[{ limit: 0 }, 'Limit must be a whole number of at least 1, got 0'],
		[{ maxWaitSeconds: 0 }, 'Max Wait (Seconds) must be a whole number from 1 to 3600, got 0'],
		[
			{ maxWaitSeconds: 3_601 },
			'Max Wait (Seconds) must be a whole number from 1 to 3600, got 3601',
		],
		[{ options: { offset: -1 } }, 'Options: Offset must be a whole number of at least 0, got -1'],
	])('cannot have %j', (changes, text) => {
		expect(() => readInput(changes)).toThrow(text);
	});
});
