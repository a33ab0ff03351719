import type { IDataObject } from 'n8n-workflow';
import type { RetrievalOperation, RetrievalWorld } from '../sandbox/worlds/retrievalWorld.mts';
import type { RetrievalScene } from './retrievalScene.mts';
import type { Scenario } from './stage.mts';

export interface RetrievalScenario extends Scenario {
	play(scene: RetrievalScene): Promise<void>;
}

/** What one execution of Create has done, by its output and by the books of the engine. */
export interface Ingestion {
	operation: RetrievalOperation;
	/** What makes two documents the same one to the person, such as a path. */
	identity: string;
	output?: IDataObject;
	error?: string;
	/** IDs of the documents that it uploaded, each upload once more. */
	uploaded: string[];
	/** Of them, those whose ingestion has failed. */
	failed: string[];
	deleted: Array<{ id: string; identity: string }>;
	/** Whether an upload was refused with a conflict: then nobody can compare files. */
	isRefused: boolean;
	/** When it ended, IDs of the documents of this identity that can be searched. */
	searchable: string[];
	/** The content that the person wanted to be searchable, and whether it is. */
	isFound: boolean;
	/** Whether the content differs from that of the execution before. */
	isChanged: boolean;
	/** Whether a document of this identity could be searched before. */
	hadEarlier: boolean;
}

/** What was shown, and what should have been. */
export interface Comparison {
	what: string;
	shown: string[];
	wanted: string[];
}

/** A chat of an agent, by the memory and by the books of the engine. */
export interface Chat {
	/** The questions of the turns that the memory called saved. */
	saved: string[];
	/** Those of turns that it called an error. */
	refused: string[];
	/** The texts of all conversations with the name of the chat. */
	kept(): string[];
}

export interface RetrievalRecord {
	world: RetrievalWorld;
	refusals: Array<{ operation: RetrievalOperation; reason: string }>;
	ingestions: Ingestion[];
	searches: Comparison[];
	streams: Comparison[];
	lists: Comparison[];
	/** By session. */
	chats: Map<string, Chat>;
}
