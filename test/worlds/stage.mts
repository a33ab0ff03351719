import type { Engine } from '../engine/engine.mts';
import type { VirtualTime } from '../engine/virtualTime.mts';
import type { Sandbox } from '../sandbox/index.mts';
import type { World } from '../sandbox/worlds/world.mts';

/** What worlds run on. */
export interface Stage {
	sandbox: Sandbox;
	engine: Engine;
	time: Pick<VirtualTime, 'pass' | 'until' | 'during' | 'settle'>;
}

/** What is done in each world. */
export interface Scenario {
	name: string;
}

/** A sentence about what the package does, judged by the books of the service. */
export interface Law<R> {
	name: string;
	/** What contradicts it; empty where it holds. */
	broken(record: R): string[];
}

/** Worlds of one kind: what is played in each, and the laws that judge the record of it. */
export interface Kind<W extends World, S extends Scenario, R> {
	laws: ReadonlyArray<Law<R>>;
	play(stage: Stage, world: W, scenario: S): Promise<R>;
}
