import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { logs } from './playLog.mts';

/** What n8n saves, and when, does not depend on the world. */
const [documented] = await loadWorlds<LogWorld>('logs');
if (!documented) throw new Error('There is no default world');

describeWorlds(logs, [documented], {
	name: 'killed when idle',
	line: (number) => `line ${number}`,
	isKilled: true,
});
