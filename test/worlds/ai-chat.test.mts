import type { IntelligenceWorld } from '../sandbox/worlds/intelligenceWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { intelligence } from './playIntelligence.mts';
import { chats } from './scenarios/chats.mts';

describeWorlds(intelligence, await loadWorlds<IntelligenceWorld>('intelligence'), ...chats);
