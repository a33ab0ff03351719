import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildPackage, TEST_CLOCK, TEST_PACKAGE, type Change } from '../../build.mts';
import { PACKAGE, PROJECT, startEngine } from '../engine/engine.mts';

const CLOCK = 'nodes/shared/time.ts';

const published = filesOf(path.join(PROJECT, 'dist'));
const tested = filesOf(path.join(TEST_PACKAGE, 'dist'));

function filesOf(folder: string): Map<string, string> {
	const names = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
	return new Map(names.sort().map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

/** The source file that a line of a built file was made from, by the comments that the build puts there. */
function sourceOf(lines: string[], line: number): string | undefined {
	return lines
		.slice(0, line)
		.findLast((text) => /^\/\/ \S+\.ts$/.test(text))
		?.slice('// '.length);
}

describe('the package that tests load', () => {
	it('is the published one, but for what replaces the clock', () => {
		expect([...tested.keys()]).toEqual([...published.keys()]);
		const changed = [...published].filter(([name, text]) => tested.get(name) !== text);
		expect(changed).toHaveLength(1);
		for (const [name, text] of changed) {
			const [own, theirs] = [text.split('\n'), (tested.get(name) ?? '').split('\n')];
			const from = own.findIndex((line, index) => line !== theirs[index]);
			const added = theirs.slice(from, from + theirs.length - own.length);
			expect(theirs.toSpliced(from, added.length)).toEqual(own);
			expect(sourceOf(theirs, from)).toBe(CLOCK);
			expect(sourceOf(theirs, from + added.length)).toBe(CLOCK);
			expect(added.join('\n')).toContain(TEST_CLOCK);
		}
	});

	it('is the only one whose clock can be replaced', () => {
		expect([...published.values()].filter((text) => text.includes(TEST_CLOCK))).toEqual([]);
	});
});

describe('the published package', () => {
	it('says in a stack trace which function of which source an error comes from', async () => {
		const engine = await startEngine({
			key: {
				type: 'computeMarketplaceApi',
				data: { baseUrl: 'http://127.0.0.1', service: 'svc', apiKey: 'key-of-the-build-test' },
			},
		});
		const run = await engine.run({
			type: `${PACKAGE}.vmaas`,
			parameters: {
				resource: 'deployment',
				operation: 'get',
				deploymentId: { __rl: true, mode: 'id', value: '..' },
			},
			credentials: { computeMarketplaceApi: { id: 'key', name: 'Key' } },
		});
		const frames = [
			...(run.data.resultData.error?.stack ?? '').matchAll(
				/^ +at (?:async )?(?:\w+\.)*(\w+?)\d* \(.*\/dist\/(.+\.js):(\d+):\d+\)$/gm,
			),
		].map(([, name = '', file = '', line]) => {
			const source = sourceOf(tested.get(file)?.split('\n') ?? [], Number(line)) ?? '';
			return { file, name, text: readFileSync(path.join(PROJECT, source), 'utf8') };
		});
		expect(frames.length).toBeGreaterThan(3);
		for (const { name, text } of frames) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
	});

	it('has the licence of each library in it', () => {
		const notices = published.get('THIRD_PARTY_NOTICES.md') ?? '';
		const named = [...notices.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
		const paths = [...published.values()].flatMap((text) => [
			...text.matchAll(/^\/\/ .*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm),
		]);
		expect(named).toEqual([...new Set(paths.map(([, name]) => name))]);
	});
});

describe('the build', () => {
	let folder: string | undefined;
	afterEach(() => rmSync(folder ?? '', { recursive: true, force: true }));

	const buildWith = async (...changes: Change[]) => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'compute-build-'));
		await buildPackage(folder, { changes });
		return folder;
	};
	const append = (file: string, to: string): Change => ({ file, from: /$/, to });

	it('fails for a library without a licence', async () => {
		await expect(
			buildWith(append(CLOCK, "export { assert } from 'fast-check';\n")),
		).rejects.toThrow('has no licence of fast-check');
	});

	it('fails for a change that finds nothing to change', async () => {
		await expect(buildWith({ file: CLOCK, from: 'no such text', to: '' })).rejects.toThrow(
			`${CLOCK} does not hold no such text`,
		);
		expect(existsSync(`${folder}/dist`)).toBe(false);
	});
});
