import type { IDataObject } from 'n8n-workflow';
import type { BilledAnswer } from '../sandbox/index.mts';
import type {
	IntelligenceOperation,
	IntelligenceWorld,
} from '../sandbox/worlds/intelligenceWorld.mts';
import type { IntelligenceScene } from './intelligenceScene.mts';
import type { Scenario } from './stage.mts';

/** Of the embedding model. */
export const DIMENSIONS = 128;

/** What somebody asks the models. */
export interface IntelligenceScenario extends Scenario {
	play(scene: IntelligenceScene): Promise<void>;
}

/** A call of a tool, by the model or by an agent for it. */
export interface ToolRun {
	name: string;
	args: unknown;
}

/** A success. */
export interface Said {
	operation: IntelligenceOperation;
	/** The item, or what the agent returned. */
	json: IDataObject;
	/** What the model said, where it is text. */
	wanted?: string;
	text?: string;
	/** Whether the service was asked to count tokens, and none are known. */
	isUncounted?: boolean;
}

/** What was seen of a scenario in a world: what the service billed beside what the nodes said. */
export interface IntelligenceRecord {
	world: IntelligenceWorld;
	said: Said[];
	/** All that a person reads of a failure. */
	problems: Array<{ operation: IntelligenceOperation; text: string }>;
	/** What failed, or succeeded without what was asked for. */
	refusals: Array<{ operation: IntelligenceOperation; reason: string }>;
	/** What a vector store got for its texts. */
	vectors: Array<{ texts: string[]; vectors: unknown[] }>;
	/** Calls that the model has made. */
	wanted: ToolRun[];
	/** Calls that were run, or returned to be run, in turn. */
	runs: ToolRun[];
	/** Pictures that were neither sent as they are nor refused in words. */
	lost: string[];
	billed: BilledAnswer[];
}
