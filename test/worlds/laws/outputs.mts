import { takeContradictions } from '../../engine/outputs.mts';
import type { Law } from '../stage.mts';

/** People wire a workflow by the schemas, before anything was executed. The engine compares every output with its own. */
export const outputsLaw: Law<unknown> = {
	name: 'each field of an output is in the schema of its operation',
	broken: takeContradictions,
};
