import { setTimeout as delay } from 'node:timers/promises';
import type { Execution, Rest } from '../e2e/rest.mts';
import type { Report } from '../report.mts';
import type { Sandbox } from '../sandbox/index.mts';

/** Executions of one published workflow */
export interface Batch {
	kind: string;
	workflowId: string;
	path: string;
	count: number;
}

const LONGEST_MS = 600_000;

const UNDER_WAY = new Set(['new', 'running', 'waiting']);

/** Waits until n8n says of each execution how it ended */
export async function finished(rest: Rest, batches: Batch[]): Promise<void> {
	const deadline = Date.now() + LONGEST_MS;
	for (;;) {
		const executions = (await Promise.all(batches.map(({ workflowId }) => rest.executions({ workflowId })))).flat();
		const left = executions.filter(({ status }) => UNDER_WAY.has(status));
		const begun = executions.length >= batches.reduce((sum, { count }) => sum + count, 0);
		if (begun && left.length === 0) return;
		if (Date.now() > deadline) {
			throw new Error(`${executions.length} executions have begun, and ${left.length} are under way for ever, such as ${left[0]?.id} (${left[0]?.status})`);
		}
		await delay(1_000);
	}
}

/** Each request is one execution; those that the killed worker had in hand are marked, and succeed when n8n retries them */
export async function checkBatch(report: Report, rest: Rest, batch: Batch): Promise<void> {
	const { kind, workflowId, count } = batch;
	const first = await rest.executions({ workflowId });
	report.check(`${kind}: ${count} requests are ${first.length} executions`, first.length === count);
	const broken = first.filter(({ status }) => status !== 'success');
	console.log(`    ${kind}: ${first.length - broken.length} succeeded, ${broken.length} did not (${countsOf(broken)})`);
	for (const { id } of broken) await rest.retry(id);
	await finished(rest, [batch]);
	const all = await rest.executions({ workflowId });
	const saved = new Set(all.filter(({ status }) => status === 'success').map(({ id, retryOf }) => retryOf ?? id));
	const lost = first.filter(({ id }) => !saved.has(id));
	report.check(`${kind}: after a retry of ${broken.length} all ${count} have succeeded`, lost.length === 0, lost.map(({ id }) => id).join(', '));
}

/** What the service has sold, compared with what was asked for */
export function checkBooks(report: Report, { books }: Sandbox, { count }: Batch): void {
	const names = Array.from({ length: count }, (_, index) => `job-${index + 1}`);
	const missing = names.filter((name) => books.byName(name).length === 0);
	const doubled = names.filter((name) => books.byName(name).length > 1);
	const running = books.deployments.filter(({ state }) => state !== 'destroyed');
	report.check(`each of ${count} machines was bought`, missing.length === 0, missing.join(', '));
	report.check('none was bought twice', doubled.length === 0, doubled.join(', '));
	report.check('none was left running', running.length === 0, running.map((machine) => `${machine.resource_private_name} ${machine.state}`).join(', '));
}

function countsOf(executions: Execution[]): string {
	const counts = new Map<string, number>();
	for (const { status } of executions) counts.set(status, (counts.get(status) ?? 0) + 1);
	return [...counts].map(([status, count]) => `${count} ${status}`).join(', ') || 'none';
}
