import { beyond } from './beyond.mts';
import { compute } from './compute.mts';
import type { Section } from './fact.mts';
import { intelligence } from './intelligence.mts';
import { retrieval } from './retrieval.mts';

/** One thing that the specifications say. */
export interface Fact {
	id: string;
	/** Document and heading. */
	from: string;
	text: string;
}

/** All facts, in the order of the documents; an id that stands twice is an error. */
export const facts: Fact[] = listed([...compute, ...intelligence, ...beyond, ...retrieval]);

function listed(sections: Section[]): Fact[] {
	const all = sections.flatMap(({ from, facts: entries }) =>
		Object.entries(entries).map(([id, text]) => ({ id, from, text })),
	);
	const twice = all.filter(({ id }, place) => all.findIndex((fact) => fact.id === id) !== place);
	if (twice.length > 0)
		throw new Error(`facts that stand twice: ${twice.map(({ id }) => id).join(', ')}`);
	return all;
}
