import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { logs } from './playLog.mts';

describeWorlds(logs, await loadWorlds<LogWorld>('logs'), {
	name: 'numbered',
	line: (number) => `line ${number}`,
});
