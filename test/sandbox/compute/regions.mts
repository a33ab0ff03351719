/** A location. VMaaS names it by its code, CaaS by its number (beyond-the-spec.md sections 1 and 2). */
export interface Region {
	code: string;
	number: number;
	iso2: string;
	name: string;
}

export const regions: readonly Region[] = [
	{ code: 'us-east-1', number: 1, iso2: 'US', name: 'United States, East' },
	{ code: '2', number: 2, iso2: 'CA', name: 'Canada' },
	{ code: 'us-west-2', number: 3, iso2: 'US', name: 'United States, West' },
	{ code: 'FI', number: 4, iso2: 'FI', name: 'Finland' },
	{ code: 'eu-north-1', number: 5, iso2: 'SE', name: 'Sweden' },
	{ code: 'eu-west-1', number: 6, iso2: 'IE', name: 'Ireland' },
	{ code: 'ap-south-1', number: 7, iso2: 'IN', name: 'India' },
	{ code: 'ap-northeast-1', number: 8, iso2: 'JP', name: 'Japan' },
];

/** The region of a code. A test may add an offer in a new location: it gets a region of the same name. */
export function regionOf(code: string): Region {
	return (
		regions.find((region) => region.code === code) ?? {
			code,
			number: 0,
			iso2: code.slice(0, 2).toUpperCase(),
			name: code,
		}
	);
}
