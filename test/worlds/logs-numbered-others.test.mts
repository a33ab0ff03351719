import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { logs } from './playLog.mts';

/** The worlds that `logs-numbered` does not play. */
const worlds = (await loadWorlds<LogWorld>('logs')).filter((_, index) => index % 2 === 1);

describeWorlds(logs, worlds, {
	name: 'numbered',
	line: (number) => `line ${number}`,
});
