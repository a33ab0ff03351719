import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { compute } from './playCompute.mts';
import { jobs } from './scenarios/jobs.mts';

const worlds = await loadWorlds<ComputeWorld>('compute');

// The longest of all: `compute-jobs-others` has the rest
describeWorlds(compute, worlds.slice(0, worlds.length / 2), ...jobs);
