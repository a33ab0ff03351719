import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { logs } from './playLog.mts';

/** Where connections end at once for all containers, and where they end all the time. */
const CROWDED = ['offset honoured (default)', 'stream ends after each answer', 'gateway: 404'];

const worlds = await loadWorlds<LogWorld>('logs');
const crowded = worlds.filter(({ name }) => CROWDED.includes(name));
if (crowded.length < CROWDED.length) throw new Error('A crowded world is not there');

describeWorlds(logs, crowded, {
	name: '100 containers',
	line: (number) => `line ${number}`,
	containers: 100,
	disconnects: 4,
});
