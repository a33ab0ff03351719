import type { IRun } from 'n8n-workflow';
import type { Deployment, Sandbox } from '../../sandbox/index.mts';
import type { Schedule } from './schedule.mts';

/** A schedule that was played. */
export interface Played {
	schedule: Schedule;
	/** The service afterwards. */
	sandbox: Sandbox;
	runs: IRun[];
	/** The deployments that extend and destroy work on, in the order of the items. */
	targets: string[];
	/** How many deployments the service had before. */
	bookedBefore: number;
}

/** The invariants of cost safety that do not hold, in words. */
export function brokenInvariants(played: Played): string[] {
	const { operation } = played.schedule;
	const broken =
		operation === 'extend'
			? ofExtend(played)
			: operation === 'destroy'
				? ofDestroy(played)
				: ofDeploy(played);
	if (shown(played).includes(played.sandbox.keys.apiKey))
		broken.push('the API key is in the execution data');
	return broken;
}

/** One deployment for one intent, within the price limit, and none that the user is not told of. */
function ofDeploy(played: Played): string[] {
	const { schedule, sandbox, runs, bookedBefore } = played;
	const made = sandbox.books.deployments.slice(bookedBefore);
	const broken: string[] = [];
	const counts = new Map<string, number>();
	for (const { resource_private_name: name } of made) counts.set(name, (counts.get(name) ?? 0) + 1);
	// With Deploy Anyway each execution is an intent of its own; retries inside an execution never are
	const sharing = schedule.sharesTarget ? schedule.items : 1;
	const allowed = schedule.ifNameExists === 'deploy' ? runs.length * sharing : 1;
	for (const [name, count] of counts)
		if (count > allowed) broken.push(`${count} deployments for the intent ${name}`);
	if (made.length > schedule.items * runs.length)
		broken.push(
			`${made.length} deployments for ${schedule.items} items in ${runs.length} executions`,
		);
	const text = shown(played);
	for (const deployment of made) {
		if (!text.includes(deployment.id) && !text.includes(deployment.resource_private_name))
			broken.push(`deployment ${deployment.id} is in no output and no error`);
		if (isAboveLimit(deployment, schedule))
			broken.push(
				`deployment ${deployment.id} costs ${deployment.order.hourlyPrice} an hour, above the price limit`,
			);
	}
	for (const json of outputs(played)) {
		if ('error' in json) continue;
		const { deployment_id: id, resource_private_name: name } = json;
		if (typeof id === 'string' && !sandbox.books.find(id))
			broken.push(`the output names a deployment that does not exist: ${id}`);
		// A 2xx is the service's word; where nothing was found under the name, the item says so in a hint
		if (!('hint' in json) && !sandbox.books.byName(String(name)).length)
			broken.push(`the output claims "${String(name)}", which was never deployed`);
	}
	return broken;
}

function isAboveLimit({ order }: Deployment, { maxHourlyPrice }: Schedule): boolean {
	return maxHourlyPrice !== undefined && order.hourlyPrice > maxHourlyPrice;
}

/** One extension for one intent, within the price limit; none is claimed that was not made, and none is hidden. */
function ofExtend(played: Played): string[] {
	const { schedule, sandbox, runs, targets } = played;
	const broken: string[] = [];
	const sharing = schedule.sharesTarget ? schedule.items : 1;
	for (const id of targets) {
		const deployment = sandbox.books.find(id);
		const extensions = deployment?.extensions ?? [];
		if (extensions.length > runs.length * sharing)
			broken.push(`${id} was extended ${extensions.length} times in ${runs.length} executions`);
		const claimed = outputs(played).filter(
			(json) => json.deployment_id === id && 'added_hours' in json,
		).length;
		if (claimed > extensions.length)
			broken.push(`${claimed} extensions of ${id} claimed, ${extensions.length} made`);
		if (extensions.length > claimed && !shown(played).includes(id))
			broken.push(`the extension of ${id} is in no output and no error`);
		if (extensions.length > 0 && deployment && isAboveLimit(deployment, schedule))
			broken.push(`${id} was extended above the price limit`);
	}
	return broken;
}

/** What an output calls deleted has ended or is ending; what still runs is named. */
function ofDestroy(played: Played): string[] {
	const { sandbox, targets } = played;
	const broken: string[] = [];
	for (const id of targets) {
		const isClaimed = outputs(played).some(
			(json) => json.deployment_id === id && json.deleted === true,
		);
		const state = sandbox.books.find(id)?.state;
		const isEnding = state === 'destroyed' || state === 'termination requested';
		if (isClaimed && !isEnding) broken.push(`${id} is called deleted but is ${String(state)}`);
		if (!isEnding && !shown(played).includes(id))
			broken.push(`${id} still runs and no error names it`);
	}
	return broken;
}

/** All items of all executions. */
function outputs({ runs }: Played) {
	return runs.flatMap((run) =>
		(run.data.resultData.runData.Node ?? [])
			.flatMap((task) => task.data?.main?.[0] ?? [])
			.map((item) => item.json),
	);
}

/** Everything that a person can see afterwards, as one text. Inputs do not count. */
function shown(played: Played): string {
	const errors = played.runs
		.map((run) => run.data.resultData.error)
		.map((error) =>
			error ? [error.message, error.description, 'context' in error ? error.context : ''] : [],
		);
	return JSON.stringify([errors, outputs(played)]);
}
