import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { compute } from './playCompute.mts';
import { names } from './scenarios/names.mts';
import { vmaas } from './scenarios/steps.mts';

describeWorlds(compute, await loadWorlds<ComputeWorld>('compute'), ...names(vmaas));
