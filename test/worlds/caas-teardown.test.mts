import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { compute } from './playCompute.mts';
import { teardown } from './scenarios/teardown.mts';
import { containers } from './scenarios/steps.mts';

describeWorlds(compute, await loadWorlds<ComputeWorld>('compute'), ...teardown(containers));
