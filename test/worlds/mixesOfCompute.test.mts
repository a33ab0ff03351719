import {
	DEPLOYS,
	DESTROYS,
	EXTENDS,
	UPDATES,
	type ComputeOperation,
	type ComputeWorld,
} from '../sandbox/worlds/computeWorld.mts';
import { loadWorlds } from './loadWorlds.mts';
import { describeMixes } from './mix.mts';
import { compute } from './playCompute.mts';
import { containerLife } from './scenarios/containers.mts';
import { life, vmPurchases } from './scenarios/life.mts';
import { names } from './scenarios/names.mts';
import { containers, vmaas } from './scenarios/steps.mts';
import { teardown } from './scenarios/teardown.mts';

const MOST_RESIDENTS = 200;

/** Without what no client can do where these behaviours come together. */
function possible(mix: ComputeWorld): ComputeWorld | undefined {
	const { habits = {}, faults = [], residents = [] } = mix;
	const { withoutDetails, extendsEnded, minutes, price, moves, stateWords, emptyCopyMs } = habits;
	// Nothing shows that it has ended
	if (withoutDetails && extendsEnded) return undefined;
	// So many pages are never read without an entry that moves
	if (residents.length > MOST_RESIDENTS && moves !== undefined) return undefined;
	const { mustSucceed } = mix;
	// What is paid is the only evidence where no time is shown, and then the price has to be the right one
	const isTimeless = minutes === 'none' && price !== undefined;
	const canFind = (operation: ComputeOperation) =>
		faults.length === 0 || mustSucceed.includes(operation);
	const impossible: readonly ComputeOperation[] = [
		...(canFind('find a lost deploy') ? [] : DEPLOYS),
		...(canFind('find a lost extension') && !isTimeless ? [] : EXTENDS),
		...(canFind('find a lost update') ? [] : UPDATES),
		// No answer tells of the end, and no word that is known, or the copy that is asked knows of nothing
		...(faults.length > 0 && (stateWords ?? emptyCopyMs) !== undefined ? DESTROYS : []),
	];
	return { ...mix, mustSucceed: mustSucceed.filter((one) => !impossible.includes(one)) };
}

describeMixes(
	compute,
	await loadWorlds<ComputeWorld>('compute'),
	[vmaas, containers]
		.flatMap((product) => [...life(product), ...names(product), ...teardown(product)])
		.concat(vmPurchases, containerLife),
	200,
	possible,
);
