import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { compute } from './playCompute.mts';
import { examples } from './scenarios/examples.mts';

describeWorlds(compute, await loadWorlds<ComputeWorld>('compute'), ...examples);
