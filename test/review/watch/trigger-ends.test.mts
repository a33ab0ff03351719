import { expect, test } from 'vitest';
import { computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { MINUTE, openService, type Service } from './service.mts';

const WATCH = computeTrigger('deploymentExpiresSoon', { product: 'vmaas', minutes: 60 });

async function pollFor(service: Service, trigger: PolledTrigger, minutes: number): Promise<void> {
	for (let passed = 0; passed < minutes; passed += 5) {
		service.advance(5 * MINUTE);
		await trigger.poll();
	}
}

test('each end is told once where minutes pass as documented', async () => {
	const service = await openService();
	const one = service.add('train', { paidHours: 3 });
	const trigger = new PolledTrigger(service.engine, WATCH);
	await trigger.activate();
	await pollFor(service, trigger, 140);
	expect(trigger.items).toHaveLength(1);
	one.paidHours += 1;
	await pollFor(service, trigger, 60);
	expect(trigger.items).toHaveLength(2);
	expect(new Set(trigger.items.map(({ event_id }) => event_id)).size).toBe(2);
});
