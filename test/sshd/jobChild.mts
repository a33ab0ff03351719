import { startEngine } from '../engine/engine.mts';
import { useHaste } from '../engine/time.mts';
import type { StoredCredential } from '../engine/credentials.mts';
import { jobNode } from '../integration/jobFixture.mts';
import type { IDataObject } from 'n8n-workflow';

/** Another n8n process: executes one job on a sandbox that runs elsewhere, with its pauses cut. */
const [given = ''] = process.argv.slice(2);
const { credentials, parameters, executionId, haste, operation } = JSON.parse(given) as {
	credentials: Record<string, StoredCredential>;
	parameters: IDataObject;
	executionId: string;
	haste: number;
	operation: 'run' | 'start';
};
// As the server of n8n does: the timers of the package keep no process alive
setInterval(() => undefined, 1_000);
const engine = await startEngine(credentials);
useHaste(haste);
const run = await engine.runItems(jobNode(operation, parameters), [{ json: {} }], { executionId });
const { error, runData } = run.data.resultData;
process.stdout.write(
	JSON.stringify({ error: error?.message, json: runData.Node?.[0]?.data?.main?.[0]?.[0]?.json }),
);
process.exit(0);
