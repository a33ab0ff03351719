import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';

/** Equal lines: only their number can tell whether one is missing. */
describeWorlds(await loadWorlds<LogWorld>('logs'), {
	name: 'heartbeat',
	line: () => 'heartbeat ok',
});
