import fc from 'fast-check';
import { locator } from '../../engine/nodes.mts';
import type { NodeUnderTest } from '../../engine/engine.mts';
import type { ComputeOperation } from '../../sandbox/worlds/computeWorld.mts';
import type { Product } from '../../sandbox/index.mts';
import {
	deployCheapest,
	IMAGE,
	NAME,
	secretFields,
	stepsOf,
	update,
} from '../../worlds/scenarios/steps.mts';
import { FAULTS, type FaultName } from './faults.mts';

export type Operation = 'deploy' | 'deployCheapest' | 'extend' | 'update' | 'destroy';

/** What a user wants, and everything that goes wrong meanwhile. */
export interface Schedule {
	what: { product: Product; operation: Operation };
	/** Input items, each an intent of its own. */
	items: number;
	/** All items are about the same name or deployment. */
	sharesTarget: boolean;
	/** How long ago the deployments were made that an extension or a teardown is about. */
	hoursAgo: number;
	ifNameExists: 'error' | 'useExisting' | 'deploy';
	uniqueName: boolean;
	/** The maximum hourly price; some offers are above it. */
	maxHourlyPrice?: number;
	/** The most that all deployments may cost an hour together. */
	maxRunningCost?: number;
	verify: boolean;
	/** An update changes nothing else than secrets, which no details show. */
	isSecret: boolean;
	onError: 'stopWorkflow' | 'continueRegularOutput';
	maxTries: number;
	/** Executes the workflow again afterwards, as a schedule or a person does. */
	runsAgain: boolean;
	/** One for each request, in order; after the last, nothing goes wrong any more but what goes wrong in the world. */
	faults: FaultName[];
}

export const DURATION_HOURS = 2;
/** What the deployments that are there from the start cost an hour. */
export const SEEDED_COST = 2.7;
/** Gigabytes of a GPU at least, where the cheapest offer is wanted. */
export const GPU_MEMORY = 24;

/** Purchases more often, since they are the dearest. */
const ofVms = fc.record({
	product: fc.constant<Product>('vmaas'),
	operation: fc.constantFrom<Operation>('deploy', 'deploy', 'deployCheapest', 'extend', 'destroy'),
});
const ofContainers = fc.record({
	product: fc.constant<Product>('caas'),
	operation: fc.constantFrom<Operation>('deploy', 'deploy', 'extend', 'update', 'destroy'),
});

const faultName = fc.oneof(
	{ weight: 2, arbitrary: fc.constant<FaultName>('none') },
	{ weight: 3, arbitrary: fc.constantFrom(...(Object.keys(FAULTS) as FaultName[])) },
);

export const schedules: fc.Arbitrary<Schedule> = fc.record({
	what: fc.oneof(ofVms, ofContainers),
	items: fc.integer({ min: 1, max: 2 }),
	sharesTarget: fc.boolean(),
	hoursAgo: fc.constantFrom(0, 1),
	ifNameExists: fc.constantFrom('error' as const, 'useExisting' as const, 'deploy' as const),
	uniqueName: fc.boolean(),
	maxHourlyPrice: fc.option(fc.constantFrom(0.1, 0.34, 0.5, 5), { nil: undefined }),
	maxRunningCost: fc.option(fc.constantFrom(SEEDED_COST + 0.5, SEEDED_COST + 1, 500), {
		nil: undefined,
	}),
	verify: fc.boolean(),
	isSecret: fc.boolean(),
	onError: fc.constantFrom('stopWorkflow' as const, 'continueRegularOutput' as const),
	maxTries: fc.integer({ min: 2, max: 3 }),
	runsAgain: fc.boolean(),
	faults: fc.array(faultName, { maxLength: 14 }),
});

/** The name of an item's deployment; that of the service may be cut so that both items have the same. */
export const nameOf = (item: number | string) => `${NAME}-${item}`;

export const isPurchase = ({ what }: Schedule) => what.operation.startsWith('deploy');

/** What the operation is for a world. */
export function worldOperation({ what, ifNameExists, uniqueName }: Schedule): ComputeOperation {
	const { operation } = what;
	if (operation === 'deployCheapest') return 'deploy cheapest';
	if (operation !== 'deploy') return operation;
	if (uniqueName || ifNameExists === 'deploy') return 'deploy anyway';
	return ifNameExists === 'useExisting' ? 'use the existing' : 'deploy';
}

/**
 * The node of a schedule; items differ by `$json.id`, the deployment that they work on or a part of the name, and by
 * `$json.change`, a part of the image of an update.
 */
export function nodeOf({ what, ...schedule }: Schedule): NodeUnderTest {
	const { ifNameExists, uniqueName, maxHourlyPrice, maxRunningCost, verify, isSecret } = schedule;
	const { maxTries, onError } = schedule;
	const settings = { retryOnFail: true, maxTries, waitBetweenTries: 1, onError };
	const limit = maxHourlyPrice === undefined ? {} : { maxHourlyPrice };
	const deploymentId = locator('={{ $json.id }}');
	const name = `=${nameOf('{{ $json.id }}')}`;
	const running = maxRunningCost === undefined ? {} : { maxRunningCost };
	const safety = { ...limit, ...running, ifNameExists, uniqueName };
	const steps = stepsOf(what.product);
	switch (what.operation) {
		case 'destroy':
			return steps.destroy(deploymentId, settings, { verify }).node;
		case 'extend':
			return steps.extend(deploymentId, limit, settings).node;
		case 'update': {
			const fields = isSecret ? secretFields : { imageUrl: `=${IMAGE}-{{ $json.change }}` };
			return update(deploymentId, fields, settings).node;
		}
		case 'deploy':
			return steps.deploy({ name, hours: DURATION_HOURS, safety }, settings).node;
		case 'deployCheapest': {
			const filters = { gpuMemoryMin: GPU_MEMORY };
			return deployCheapest({ resourcePrivateName: name, safety, filters }, settings).node;
		}
	}
}
