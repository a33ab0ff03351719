import { describe, expect, it } from 'vitest';
import { endServices, followService } from '../engine/logService.mts';
import { numbered } from '../engine/logs.mts';

/** Services that answer as the contract does not forbid, and the sandbox does not. */
endServices();

describe('an answer without a content type', () => {
	const PAGE = '\n<!DOCTYPE html>\n<html><body>Back soon</body></html>\n';

	it('that is a web page is an outage, and no line', async () => {
		let isOut = false;
		const { trigger, time, cut } = await followService(
			({ offset = 0, send, write, end }) => {
				if (!isOut) return send(...numbered(40).slice(offset));
				for (const part of [PAGE.slice(0, 5), PAGE.slice(5)]) write(part);
				return end();
			},
			{},
			'',
		);
		expect(await time.until(() => trigger.lines.length === 40, 30_000)).toBe(true);
		isOut = true;
		cut();
		await time.pass(120_000);
		isOut = false;
		await time.pass(60_000);
		expect(trigger.lines).toEqual(numbered(40));
		expect(trigger.failures.map(({ message }) => message)).toEqual([
			expect.stringContaining('a web page instead of a stream'),
		]);
	});

	it('that is a log is one, also where a page stands in it', async () => {
		const lines = ['GET /', '<html>', '</html>'];
		const { trigger, time } = await followService(
			({ write }) => write(lines.map((line) => `${line}\n`).join('')),
			{},
			'',
		);
		await time.pass(10_000);
		expect(trigger.lines).toEqual(lines);
	});
});
