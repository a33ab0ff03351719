import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { compute } from './playCompute.mts';
import { jobs } from './scenarios/jobs.mts';

const worlds = await loadWorlds<ComputeWorld>('compute');

describeWorlds(compute, worlds.slice(worlds.length / 2), ...jobs);
