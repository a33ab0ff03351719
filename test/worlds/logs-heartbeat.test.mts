import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { logs } from './playLog.mts';

/** Equal lines: only their number can tell whether one is missing. */
describeWorlds(logs, await loadWorlds<LogWorld>('logs'), {
	name: 'heartbeat',
	line: () => 'heartbeat ok',
});
