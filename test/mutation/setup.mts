import Module from 'node:module';
import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { beforeEach, inject, vi } from 'vitest';

/** A property is tried for so long with each mutant: most die in the first tries, and the many that do not would take hours. */
const MS_OF_A_PROPERTY = 500;

/**
 * So long tests are begun with a mutant, by the processor and by the clock. One that only a later test would notice counts as not
 * noticed, so the score is a lower bound.
 */
const PROCESSOR_MS = 6_000;
const CLOCK_MS = 20_000;
/** Of these, what the tests of one file in the engine may take of the processor: others may notice what its own do not. */
const PROCESSOR_MS_OF_A_FILE = 1_500;

/** No test takes so long without a mutant: what does with one would wait for ever. */
const LONGEST_TEST_MS = 15_000;

const isMutant = inject('mode' as never) === 'mutant';
fc.configureGlobal(isMutant ? { interruptAfterTimeLimit: MS_OF_A_PROPERTY } : {});

interface Stryker {
	currentTestId?: string;
	activeMutant?: string;
}

const { __stryker__: stryker } = globalThis as { __stryker__?: Stryker };

if (isMutant) {
	vi.setConfig({ testTimeout: LONGEST_TEST_MS });
	// The thread is that of the last mutant, which must not change what test files do while they are read
	if (stryker) stryker.activeMutant = undefined;
	const all = ((globalThis as { spentOnMutants?: object }).spentOnMutants ??= {}) as Record<
		string,
		Time
	>;
	const spent = (all[inject('activeMutant' as never) as string] ??= { processor: 0, clock: 0 });
	const before = spent.processor;
	beforeEach(({ skip, task }) => {
		if (spent.processor > PROCESSOR_MS || spent.clock > CLOCK_MS) skip();
		const isOfFunctions = task.file.name.startsWith('test/unit/');
		if (!isOfFunctions && spent.processor - before > PROCESSOR_MS_OF_A_FILE) skip();
		// Until its end: to load the engine anew, once in some mutants, is no part of it
		const begun = now();
		return () => {
			const ended = now();
			spent.processor += ended.processor - begun.processor;
			spent.clock += ended.clock - begun.clock;
		};
	});
}

/** In milliseconds. */
interface Time {
	processor: number;
	clock: number;
}

/** By what tests leave alone. */
function now(): Time {
	return {
		// Of this thread: the process also has vitest's own, and the garbage of all that it knows of the tests
		processor: performance.eventLoopUtilization().active,
		clock: Number(process.hrtime.bigint() / 1_000_000n),
	};
}

type Load = (module: object, file: string) => void;

const extensions = (Module as unknown as { _extensions: Record<string, Load> })._extensions;
const load = extensions['.js'];

/**
 * What runs while a module is loaded is static, also where a test loads it: the first that needs it, or one that plays a restart of
 * n8n. Such a change would be judged by that test alone, although it has nothing to do with it.
 */
if (load && !('isStatic' in load))
	extensions['.js'] = Object.assign(
		(module: object, file: string) => {
			const test = stryker?.currentTestId;
			if (stryker) stryker.currentTestId = undefined;
			try {
				load(module, file);
			} finally {
				if (stryker) stryker.currentTestId = test;
			}
		},
		{ isStatic: true },
	);
