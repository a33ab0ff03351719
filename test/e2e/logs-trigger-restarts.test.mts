import { expect } from 'vitest';
import { cleanUpOnSignals } from './exit.mts';
import { test } from './fixture.mts';
import { Restarts } from './restarts.mts';
import { expectNoTraces } from './traces.mts';

/** The nightly program `logs-kill` has 200 and 20 */
const STOPS = 2;
const KILLS = 1;

/** n8n is started once for each of them */
const TEST_MS = 1_200_000;

test(
	'n8n is stopped and killed with executions in flight: no line is lost, and only what was in flight comes twice',
	{ timeout: TEST_MS },
	async ({ onTestFinished }) => {
		cleanUpOnSignals();
		const restarts = await Restarts.begin();
		onTestFinished(() => restarts.end());
		for (let stop = 1; stop <= STOPS; stop++)
			expect(await restarts.stop(), `clean stop ${stop}`).toEqual({ lines: 0, delivered: [] });
		for (let kill = 1; kill <= KILLS; kill++) {
			const { delivered } = await restarts.kill();
			expect(delivered, `kill ${kill}`).toEqual([]);
		}
		const { delivered } = await restarts.killBeside();
		expect(delivered, 'kill beside another execution').toEqual([]);
		expect(await restarts.killIdle(), 'idle kill').toEqual({ lines: 0, delivered: [] });
		expect(await restarts.missing()).toEqual([]);
		// n8n saves all static data of a workflow at once: the trigger's save overwrites what a Code node has counted
		expect(Math.max(...restarts.counts)).toBeLessThan(restarts.counts.length);
		expectNoTraces(restarts.home.folder);
	},
);
