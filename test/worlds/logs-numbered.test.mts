import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { logs } from './playLog.mts';

/** One half of the worlds; the other one is in a file of its own, so that both are played side by side. */
const worlds = (await loadWorlds<LogWorld>('logs')).filter((_, index) => index % 2 === 0);

describeWorlds(logs, worlds, {
	name: 'numbered',
	line: (number) => `line ${number}`,
});
