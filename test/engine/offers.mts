import type { HardwareOffer, Sandbox } from '../sandbox/index.mts';

/** An offer of one GPU with 80 GB at 1 USD an hour, with changes. */
export function offer(changes: Partial<HardwareOffer> = {}): HardwareOffer {
	const { deploy_id: deployId = 1, location = 'US', num_cards: cards = 1 } = changes;
	return {
		id: `${deployId}__${location}__${cards}`,
		deploy_id: deployId,
		name: 'H100',
		num_cards: cards,
		supplier: 'internal',
		price: 1,
		vram_per_card: 80,
		nvlink: false,
		location,
		capacity: 5,
		...changes,
	};
}

/** Puts these offers in place of the sandbox's catalogue. */
export function catalogue(sandbox: Sandbox, ...offers: HardwareOffer[]): void {
	sandbox.hardware.splice(0, Infinity, ...offers);
}

/** Shows this list to every search, whatever it asks for, and sells what the catalogue has. */
export function ignoreFilters(sandbox: Sandbox, ...offers: object[]): void {
	sandbox.faults.add({
		match: { path: '/vmaas/hardware' },
		times: Infinity,
		status: 200,
		body: { data: { hardware: offers } },
	});
}
