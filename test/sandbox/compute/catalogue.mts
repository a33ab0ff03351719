/** Hardware entry as the list shows it (compute-api.md). Live entries lack some fields (beyond-the-spec.md section 1). */
export interface HardwareEntry {
	id: string;
	deploy_id: number | string;
	name: string;
	num_cards: number;
	supplier: 'internal' | 'external';
	sold_out?: boolean;
	/** USD per hour for the whole configuration. */
	price: number;
	/** GB. */
	vram_per_card: number;
	interconnect?: string | null;
	nvlink: boolean;
	/** GB. */
	storage?: number;
	vcpu?: number;
	/** GB. */
	memory?: number;
	location: string;
}

/** An offer of the catalogue: what the list shows, and how many VMs of it can run at once, which the list never shows. */
export interface HardwareOffer extends HardwareEntry {
	capacity: number;
}

interface Model {
	name: string;
	vram: number;
	interconnect: string | null;
	nvlink: boolean;
}

const models = {
	b200: { name: 'B200', vram: 192, interconnect: 'SXM6', nvlink: true },
	h200: { name: 'H200', vram: 141, interconnect: 'SXM5', nvlink: true },
	h100: { name: 'H100 SXM5', vram: 80, interconnect: 'SXM5', nvlink: true },
	h100pcie: { name: 'H100 PCIe', vram: 80, interconnect: 'PCIe', nvlink: false },
	a100: { name: 'A100 SXM4', vram: 80, interconnect: 'SXM4', nvlink: true },
	a100pcie: { name: 'A100 PCIe', vram: 40, interconnect: 'PCIe', nvlink: false },
	l40s: { name: 'L40S', vram: 48, interconnect: 'PCIe', nvlink: false },
	l4: { name: 'L4', vram: 24, interconnect: null, nvlink: false },
	rtx4090: { name: 'GeForce RTX 4090', vram: 24, interconnect: 'PCIe', nvlink: false },
	a6000: { name: 'RTX A6000', vram: 48, interconnect: 'PCIe', nvlink: true },
	v100: { name: 'V100', vram: 32, interconnect: 'SXM2', nvlink: true },
	t4: { name: 'T4', vram: 16, interconnect: null, nvlink: false },
	mi300x: { name: 'MI300X', vram: 192, interconnect: 'OAM', nvlink: false },
	none: { name: '', vram: 0, interconnect: null, nvlink: false },
} as const satisfies Record<string, Model>;

type Row = [
	model: keyof typeof models,
	deployId: number | string,
	cards: number,
	location: string,
	price: number,
	capacity: number,
	more?: Partial<HardwareOffer>,
];

const rows: readonly Row[] = [
	['b200', 31, 8, 'us-west-2', 38.4, 2],
	['b200', 31, 8, 'eu-north-1', 36.8, 1],
	['h200', 27, 8, 'us-east-1', 24.72, 4],
	['h200', 28, 1, 'us-east-1', 3.29, 6],
	[
		'h100',
		'8H100.80S.176V',
		8,
		'FI',
		15.92,
		3,
		{ supplier: 'external', vcpu: 176, memory: 1480, storage: 100 },
	],
	[
		'h100',
		'1H100.80S.30V',
		1,
		'FI',
		2.19,
		0,
		{ supplier: 'external', sold_out: true, vcpu: 30, memory: 120, storage: 100 },
	],
	['h100', 14, 8, 'us-east-1', 18.32, 5],
	['h100', 15, 4, 'us-west-2', 9.4, 2],
	['h100pcie', 16, 2, 'ap-south-1', 4.1, 3],
	['a100', 12, 8, '2', 9.52, 4],
	['a100', 12, 8, 'us-east-1', 10.08, 2],
	['a100', 12, 8, 'eu-north-1', 8.96, 0, { sold_out: true }],
	['a100pcie', 11, 1, 'eu-west-1', 0.89, 12],
	['l40s', 21, 4, 'us-east-1', 3.4, 6],
	['l40s', 20, 1, 'eu-west-1', 0.87, 10],
	['l4', 19, 1, 'ap-northeast-1', 0.42, 8, { supplier: 'external' }],
	['rtx4090', 7, 1, 'us-west-2', 0.34, 20, { supplier: 'external' }],
	['rtx4090', 7, 1, 'eu-north-1', 0.29, 9, { supplier: 'external' }],
	['rtx4090', 8, 8, 'us-west-2', 2.64, 3, { supplier: 'external' }],
	['a6000', 6, 2, 'eu-west-1', 1.1, 5],
	['v100', 5, 4, 'ap-south-1', 1.56, 4],
	['t4', 4, 1, 'us-east-1', 0.15, 15],
	['mi300x', 33, 8, 'FI', 21.6, 1, { supplier: 'external', interconnect: 'OAM' }],
	// The live oddities of beyond-the-spec.md section 1
	['none', 40, 0, 'us-east-1', 0.12, 30],
	['none', '0GPU.16V', 0, 'FI', 0.08, 10, { supplier: 'external' }],
	['t4', 41, 1, 'ap-northeast-1', 0, 2, { supplier: 'external' }],
	[
		'l4',
		42,
		1,
		'eu-west-1',
		0.39,
		4,
		{
			interconnect: undefined,
			vcpu: undefined,
			memory: undefined,
			storage: undefined,
			sold_out: undefined,
		},
	],
];

/** A realistic catalogue; each sandbox gets its own copy, since tests change it. */
export function catalogue(): HardwareOffer[] {
	return rows.map(([key, deployId, cards, location, price, capacity, more]) => {
		const model = models[key];
		const size = Math.max(cards, 1);
		const offer: HardwareOffer = {
			id: `${deployId}__${location}`,
			deploy_id: deployId,
			name: model.name,
			num_cards: cards,
			supplier: 'internal',
			sold_out: false,
			price,
			vram_per_card: model.vram,
			interconnect: model.interconnect,
			nvlink: model.nvlink,
			storage: 512 * size,
			vcpu: 16 * size,
			memory: 96 * size,
			location,
			capacity,
			...more,
		};
		return withoutUndefined(offer);
	});
}

/** Removes keys that are set to undefined: the entry lacks them. */
function withoutUndefined(offer: HardwareOffer): HardwareOffer {
	const copy = { ...offer };
	for (const key of ['interconnect', 'vcpu', 'memory', 'storage', 'sold_out'] as const) {
		if (copy[key] === undefined) delete copy[key];
	}
	return copy;
}

/** The sizes in which hardware is offered, as text. */
export function cardsOf(offers: readonly HardwareOffer[]): string {
	return [...new Set(offers.map((offer) => offer.num_cards))].join(' or ');
}

/** The maker of a GPU model, as `brand_name` gives it. */
export function brandOf(hardwareName: string): string {
	if (hardwareName === '') return 'CPU';
	return hardwareName.startsWith('MI') ? 'AMD' : 'NVIDIA';
}
