import { BATCH, type Lines } from '../../e2e/lines.mts';
import type { Execution, Rest } from '../../e2e/rest.mts';
import { complaintsOf } from '../../e2e/workflow.mts';
import type { Report } from '../../report.mts';
import type { Sandbox } from '../../sandbox/index.mts';
import { post } from './workflows.mts';

/** Executions of one active workflow */
export interface Batch {
	kind: string;
	workflowId: string;
	path: string;
	count: number;
}

export const numbersOf = ({ count }: Batch): number[] =>
	Array.from({ length: count }, (_, index) => index + 1);

/** Every request was answered; those whose worker was killed are asked for once more, as the one who asked would do */
export async function checkBatch(
	report: Report,
	rest: Rest,
	batch: Batch,
	failed: number[],
): Promise<void> {
	const { kind, workflowId, count } = batch;
	const first = await rest.executions({ workflowId });
	const broken = first.filter(({ status }) => status !== 'success');
	console.log(
		`    ${kind}: ${first.length - broken.length} succeeded, ${broken.length} did not (${countsOf(broken)})`,
	);
	const [example] = broken;
	if (example !== undefined)
		console.log(complaintsOf(await rest.execution(example.id)).replace(/^/gm, '    '));
	report.check(`${kind}: ${count} requests are ${first.length} executions`, first.length === count);
	report.check(
		`${kind}: n8n told of each of the ${broken.length} that did not succeed`,
		failed.length === broken.length,
		`it told of ${failed.length}`,
	);

	const still = await post(rest.url, batch, failed);
	const all = await rest.executions({ workflowId });
	const succeeded = all.filter(({ status }) => status === 'success').length;
	for (const { id } of all.slice(0, still.length))
		console.log(complaintsOf(await rest.execution(id)).replace(/^/gm, '    '));
	const complaint = `not again: ${still.join(', ')}; executions that succeeded: ${succeeded}`;
	report.check(
		`${kind}: with ${failed.length} asked for again, all ${count} have succeeded`,
		still.length === 0 && succeeded === count,
		complaint,
	);
}

/** What the service has sold, compared with what was asked for */
export function checkBooks(report: Report, { books }: Sandbox, batch: Batch): void {
	const names = numbersOf(batch).map((number) => `job-${number}-`);
	const missing = names.filter((name) => books.byName(name).length === 0);
	const doubled = names.filter((name) => books.byName(name).length > 1);
	const running = books.deployments.filter(({ state }) => state !== 'destroyed');
	report.check(
		`each of ${batch.count} deployments was bought`,
		missing.length === 0,
		missing.join(', '),
	);
	report.check('none was bought twice', doubled.length === 0, doubled.join(', '));
	report.check(
		'none was left running',
		running.length === 0,
		running.map(({ resource_private_name: name, state }) => `${name} ${state}`).join(', '),
	);
}

/** Each document is in the library once, as the service itself counts them */
export async function checkDocuments(
	report: Report,
	{ intelligenceUrl, keys }: Sandbox,
	{ count }: Batch,
): Promise<void> {
	const response = await fetch(`${intelligenceUrl}/api/rag/v3/documents?limit=1`, {
		headers: { authorization: `Bearer ${keys.intelligenceKey}` },
	});
	const { total_entries: total } = (await response.json()) as { total_entries: number };
	report.check(`the library holds ${count} documents`, total === count, `it holds ${total}`);
}

/** The trigger runs in the main process and its executions on the workers: one that died with its worker is started again */
export async function checkLines(report: Report, lines: Lines): Promise<void> {
	const missing = await lines.missing();
	report.check(
		`${lines.written.length} log lines were written, none was lost`,
		missing.length === 0,
		missing.slice(0, 10).join(', '),
	);
	const { twice } = lines;
	report.check(`at most the batch in flight came twice (${twice} lines)`, twice <= BATCH);
}

function countsOf(executions: Execution[]): string {
	const counts = new Map<string, number>();
	for (const { status } of executions) counts.set(status, (counts.get(status) ?? 0) + 1);
	return [...counts].map(([status, count]) => `${count} ${status}`).join(', ') || 'none';
}
