import type { IntelligenceWorld } from '../sandbox/worlds/intelligenceWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { intelligence } from './playIntelligence.mts';
import { chats } from './scenarios/chats.mts';

describeWorlds(intelligence, await loadWorlds<IntelligenceWorld>('intelligence'), ...chats);
