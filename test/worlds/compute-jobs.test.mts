import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { compute } from './playCompute.mts';
import { jobs } from './scenarios/jobs.mts';

describeWorlds(compute, await loadWorlds<ComputeWorld>('compute'), ...jobs);
