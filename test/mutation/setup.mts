import Module from 'node:module';
import fc from 'fast-check';
import { beforeEach, inject, vi } from 'vitest';

/** A property is tried for so long with each mutant: most die in the first tries, and the many that do not would take hours. */
const MS_OF_A_PROPERTY = 2_000;

/** For so long further tests are begun with each mutant. */
const MS_OF_A_MUTANT = Number(process.env.MUTATION_SECONDS) * 1_000;

/** No test of the rooms takes this long by itself. */
const MS_OF_A_TEST = 30_000;

const isMutant = inject('mode' as never) === 'mutant';
fc.configureGlobal(isMutant ? { interruptAfterTimeLimit: MS_OF_A_PROPERTY } : {});

if (isMutant) {
	vi.setConfig({ testTimeout: MS_OF_A_TEST });
	const ends = ((globalThis as { mutantEnds?: object }).mutantEnds ??= {}) as Record<
		string,
		number
	>;
	const end = (ends[inject('activeMutant' as never) as string] ??= now() + MS_OF_A_MUTANT);
	beforeEach(({ skip }) => {
		if (now() > end) skip();
	});
}

/** Milliseconds of a clock that tests leave alone. */
function now(): number {
	return Number(process.hrtime.bigint() / 1_000_000n);
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
			const { __stryker__: stryker } = globalThis as { __stryker__?: { currentTestId?: string } };
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
