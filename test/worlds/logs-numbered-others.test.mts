import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { logs } from './playLog.mts';

/** The worlds that `logs-numbered` does not play. */
const worlds = (await loadWorlds<LogWorld>('logs')).filter((_, index) => index % 2 === 1);

describeWorlds(logs, worlds, {
	name: 'numbered',
	line: (number) => `line ${number}`,
});
