import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { logs } from './playLog.mts';

/** How n8n ends executions does not depend on the world, so one is enough. */
const [documented] = await loadWorlds<LogWorld>('logs');
if (!documented) throw new Error('There is no default world');

describeWorlds(logs, [documented], {
	name: 'cancelled executions',
	line: (number) => `line ${number}`,
	cancels: true,
});
