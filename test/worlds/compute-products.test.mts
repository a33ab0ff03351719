import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { compute } from './playCompute.mts';
import { products } from './scenarios/products.mts';

describeWorlds(compute, await loadWorlds<ComputeWorld>('compute'), ...products);
