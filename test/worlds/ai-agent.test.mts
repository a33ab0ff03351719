import { describe } from 'vitest';
import { findAiNodeSdk, hasAiNodeSdk } from '../engine/supply.mts';
import type { IntelligenceWorld } from '../sandbox/worlds/intelligenceWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { intelligence } from './playIntelligence.mts';
import { agents } from './scenarios/agents.mts';

// The SDK for AI nodes and the memory of the agent are those of the real n8n of the end-to-end tests
if (hasAiNodeSdk) {
	findAiNodeSdk();
	describeWorlds(intelligence, await loadWorlds<IntelligenceWorld>('intelligence'), ...agents);
} else describe.skip('without a real n8n');
