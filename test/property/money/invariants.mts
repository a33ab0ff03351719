import type { Deployment } from '../../sandbox/index.mts';
import type { ComputeRecord } from '../../worlds/computeRecord.mts';
import { SCHEDULE } from '../../sandbox/worlds/computeWorld.mts';
import { computeLaws } from '../../worlds/laws/compute.mts';
import { isPurchase, SEEDED_COST, type Schedule } from './schedule.mts';

/**
 * Laws that say nothing of cost: faults may let any operation fail, and n8n's pause between two tries, which spreads
 * requests, is left out.
 */
const OTHERS = [
	'what must succeed, succeeds',
	'lists are complete',
	'at most 150 requests in 10 s',
];
const LAWS = computeLaws.filter(({ name }) => !OTHERS.includes(name));

/** What contradicts cost safety in what was played, in words. */
export function brokenInvariants(record: ComputeRecord, schedule: Schedule): string[] {
	const judged = withoutTold(record, schedule);
	const isRelaxed = (law: string) =>
		record.world.relaxed?.some((one) => one.law === law && one.scenario === SCHEDULE);
	const laws = LAWS.filter(({ name }) => !isRelaxed(name));
	return [
		...laws.flatMap(({ name, broken }) => broken(judged).map((one) => `${name}: ${one}`)),
		...sameName(record, schedule),
		...runningCost(record, schedule),
		...untold(record),
	];
}

const nameOf = ({ order }: Deployment) => String(order.request.resource_private_name);

/**
 * The laws expect of a failed node that it names what runs. Here one item fails and others of its node tell of theirs, and
 * an execution with a unique name knows nothing of an earlier one, which has told of its own.
 */
function withoutTold(record: ComputeRecord, schedule: Schedule): ComputeRecord {
	const isOwnIntent = schedule.uniqueName && isPurchase(schedule);
	const problems = record.problems.map((failed) => {
		const { alive, ...problem } = failed;
		const isSibling = (one: ComputeRecord['problems'][number]) =>
			one !== failed && one.execution === failed.execution;
		const isEarlier = (one: { execution: string }) =>
			isOwnIntent && Number(one.execution) < Number(problem.execution);
		const told = JSON.stringify([
			record.items.filter((one) => one.execution === problem.execution || isEarlier(one)),
			record.problems.filter((one) => isEarlier(one) || isSibling(one)).map(({ text }) => text),
		]);
		const isTold = (one: Deployment) => told.includes(one.id) || told.includes(nameOf(one));
		return { ...problem, alive: alive.filter((one) => !isTold(one)) };
	});
	return { ...record, problems };
}

/** What was bought costs no more an hour together than Maximum Running Cost: nothing of it ends in a schedule. */
function runningCost({ bought }: ComputeRecord, { maxRunningCost }: Schedule): string[] {
	const cost = bought.reduce((sum, { order }) => sum + order.hourlyPrice, 0);
	return maxRunningCost !== undefined && cost > maxRunningCost - SEEDED_COST + 1e-6
		? [`${bought.length} cost ${cost} an hour, above the limit of ${maxRunningCost}`]
		: [];
}

/** A unique name is bought once. */
function sameName({ bought }: ComputeRecord, { uniqueName }: Schedule): string[] {
	if (!uniqueName) return [];
	const names = bought.map(nameOf);
	return names
		.filter((name, index) => names.indexOf(name) !== index)
		.map((name) => `the unique name ${name} was bought twice`);
}

/** What still runs of what was to end, is named; after an error, too. */
function untold({ ours, meant, items, problems }: ComputeRecord): string[] {
	const text = JSON.stringify([items.map(({ json }) => json), problems.map((one) => one.text)]);
	return ours
		.filter((one) => meant.has(one) && ['running', 'deployment requested'].includes(one.state))
		.filter(({ id }) => !text.includes(id))
		.map(({ id }) => `${id} still runs, and nothing names it`);
}
