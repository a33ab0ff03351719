import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';

describeWorlds(await loadWorlds<LogWorld>('logs'), {
	name: 'numbered',
	line: (number) => `line ${number}`,
});
