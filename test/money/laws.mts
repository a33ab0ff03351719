import type { IRun } from 'n8n-workflow';
import type { Deployment, Sandbox } from '../sandbox/index.mts';
import type { Schedule } from './intents.mts';

/** The books before the workflow ran, and the runs that followed. */
export interface Story {
	schedule: Schedule;
	sandbox: Sandbox;
	runs: IRun[];
	/** The deployments that extend and destroy work on, in the order of the items. */
	targets: string[];
	/** How many deployments the books held before. */
	bookedBefore: number;
}

/** The laws of money. Each returns what is wrong, in words. */
export function brokenLaws(story: Story): string[] {
	const { operation } = story.schedule;
	const broken =
		operation === 'extend'
			? extendLaws(story)
			: operation === 'destroy'
				? destroyLaws(story)
				: deployLaws(story);
	if (seen(story).includes(story.sandbox.keys.apiKey))
		broken.push('the API key is in the run data');
	return broken;
}

function deployLaws(story: Story): string[] {
	const { schedule, sandbox, runs, bookedBefore } = story;
	const machines = sandbox.books.deployments.slice(bookedBefore);
	const broken: string[] = [];
	const counts = new Map<string, number>();
	for (const { resource_private_name: name } of machines)
		counts.set(name, (counts.get(name) ?? 0) + 1);
	// With Deploy Anyway each run of the workflow is an intent of its own; retries inside a run never are
	const sharing = schedule.sharesTarget ? schedule.items : 1;
	const allowed = schedule.ifNameExists === 'deploy' ? runs.length * sharing : 1;
	for (const [name, count] of counts) {
		if (count > allowed) broken.push(`${count} machines for the intent ${name}`);
	}
	if (machines.length > schedule.items * runs.length)
		broken.push(`${machines.length} machines for ${schedule.items} items in ${runs.length} runs`);
	const text = seen(story);
	for (const machine of machines) {
		if (!text.includes(machine.id) && !text.includes(machine.resource_private_name))
			broken.push(`machine ${machine.id} is in no output and no error`);
		if (aboveCap(machine, schedule))
			broken.push(
				`machine ${machine.id} costs ${machine.order.hourlyPrice} an hour, above the cap`,
			);
	}
	for (const json of outputs(story)) {
		if (
			typeof json.deployment_id === 'string' &&
			!('error' in json) &&
			!sandbox.books.find(json.deployment_id)
		) {
			broken.push(`the output names a machine that does not exist: ${json.deployment_id}`);
		}
		// A 2xx is the service's word; where nothing was found under the name, the item says so in a hint
		const name = json.resource_private_name;
		if (!('error' in json) && !('hint' in json) && !sandbox.books.byName(String(name)).length)
			broken.push(`the output claims "${String(name)}", which was never bought`);
	}
	return broken;
}

function aboveCap({ order }: Deployment, { maxHourlyPrice }: Schedule): boolean {
	return maxHourlyPrice !== undefined && order.hourlyPrice > maxHourlyPrice;
}

function extendLaws(story: Story): string[] {
	const { schedule, sandbox, runs, targets } = story;
	const broken: string[] = [];
	targets.forEach((id) => {
		const extensions = sandbox.books.find(id)?.extensions ?? [];
		const sharing = schedule.sharesTarget ? schedule.items : 1;
		if (extensions.length > runs.length * sharing)
			broken.push(`${id} was extended ${extensions.length} times in ${runs.length} runs`);
		const claimed = outputs(story).filter(
			(json) => json.deployment_id === id && 'added_hours' in json,
		).length;
		if (claimed > extensions.length)
			broken.push(`${claimed} extensions of ${id} claimed, ${extensions.length} made`);
		if (extensions.length > claimed && !seen(story).includes(id))
			broken.push(`the extension of ${id} is in no output and no error`);
		const machine = sandbox.books.find(id);
		if (extensions.length > 0 && machine && aboveCap(machine, story.schedule))
			broken.push(`${id} was extended above the cap`);
	});
	return broken;
}

function destroyLaws(story: Story): string[] {
	const { sandbox, targets } = story;
	const broken: string[] = [];
	for (const id of targets) {
		const claims = outputs(story).filter(
			(json) => json.deployment_id === id && json.deleted === true,
		);
		const state = sandbox.books.find(id)?.state;
		const ending = state === 'destroyed' || state === 'termination requested';
		if (claims.length > 0 && !ending)
			broken.push(`${id} is said to be destroyed but is ${String(state)}`);
		if (!ending && !seen(story).includes(id)) broken.push(`${id} still runs and no error names it`);
	}
	return broken;
}

/** All items of all runs. */
function outputs({ runs }: Story) {
	return runs.flatMap((run) =>
		(run.data.resultData.runData.Node ?? [])
			.flatMap((task) => task.data?.main?.[0] ?? [])
			.map((item) => item.json),
	);
}

/** Everything that a person can see afterwards, as one text. Inputs do not count. */
function seen(story: Story): string {
	const errors = story.runs
		.map((run) => run.data.resultData.error)
		.map((error) =>
			error ? [error.message, error.description, 'context' in error ? error.context : ''] : [],
		);
	return JSON.stringify([errors, outputs(story)]);
}
