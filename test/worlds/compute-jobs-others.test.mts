import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { compute } from './playCompute.mts';
import { jobs } from './scenarios/jobs.mts';

const worlds = await loadWorlds<ComputeWorld>('compute');

describeWorlds(compute, worlds.slice(worlds.length / 2), ...jobs);
