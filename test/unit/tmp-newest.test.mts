import { it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { openLog } from '../engine/logs.mts';
const fixture = useFixture();
for (const p of [{ startFrom: 'now' }, { startFrom: 'newest', newestLines: 5 }, { startFrom: 'newest', newestLines: 5 }, {startFrom: 'now'}])
it('x', async () => {
	openLog(fixture.sandbox);
	const t = fixture.follow(p);
	console.error('a', JSON.stringify(p), Date.now());
	await t.activate();
	console.error('b', Date.now());
	await t.deactivate();
	console.error('c', Date.now());
}, 6000);
