import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { compute } from './playCompute.mts';
import { teardown } from './scenarios/teardown.mts';
import { containers } from './scenarios/steps.mts';

describeWorlds(compute, await loadWorlds<ComputeWorld>('compute'), ...teardown(containers));
