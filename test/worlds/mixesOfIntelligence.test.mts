import type { IntelligenceWorld } from '../sandbox/worlds/intelligenceWorld.mts';
import { loadWorlds } from './loadWorlds.mts';
import { describeMixes } from './mix.mts';
import { intelligence } from './playIntelligence.mts';
import { chats } from './scenarios/chats.mts';

const NOT_SENT = {
	law: 'what was billed is in an output or an error',
	why: 'A stream that breaks off has not sent all that was billed',
};

describeMixes(
	intelligence,
	await loadWorlds<IntelligenceWorld>('intelligence'),
	chats,
	80,
	(mix) =>
		mix.isFaulty && mix.habits?.encode
			? { ...mix, relaxed: [...(mix.relaxed ?? []), NOT_SENT] }
			: mix,
);
