import type { Deployment } from '../../sandbox/index.mts';
import type { Item } from '../computeRecord.mts';
import { describe, names, ownHours, type ComputeLaw } from './computeWords.mts';

/** The items about a deployment. */
const claimsOf = (items: Item[], { id, order }: Deployment) =>
	items.filter(({ json, product }) => json.deployment_id === id && product === order.kind);

export const added: ComputeLaw = {
	name: 'added hours were added',
	broken(record) {
		const { items, extensions, problems } = record;
		return [...extensions.keys()].flatMap((extended) => {
			const { id } = extended;
			const claims = claimsOf(items, extended).filter(({ json }) => 'added_hours' in json);
			const claimed = claims.reduce((sum, { json }) => sum + Number(json.added_hours), 0);
			const made = ownHours(record, extended);
			if (claimed > made) return [`${id}: ${claimed} h told, ${made} h added`];
			// An extension that the service took, and nothing shows, is told so
			const isTold =
				problems.some(({ text }) => text.includes(id)) ||
				claims.some(({ json }) => json.accepted === true && json.added_hours === null);
			return made > claimed && !isTold ? [`${id}: ${made} h added, ${claimed} h told`] : [];
		});
	},
};

export const updated: ComputeLaw = {
	name: 'updates were made, once',
	broken: ({ items, updates, problems, ours }) => {
		const strangers = ours.filter((one) => one.updates.length > 0 && !updates.has(one));
		return [
			...strangers.map((one) => `${describe(one)} was updated, and nobody wanted it`),
			...[...updates].flatMap(([deployment, wanted]) => {
				const { id, updates: made } = deployment;
				const claims = claimsOf(items, deployment).filter(({ json }) => 'updated' in json);
				const claimed = claims.filter(({ json }) => json.updated === true).length;
				if (made.length > wanted) return [`${id}: updated ${made.length} times for ${wanted}`];
				if (claimed > made.length) return [`${id}: ${claimed} updates told, ${made.length} made`];
				const isTold =
					problems.some(({ text }) => names(text, deployment)) ||
					claims.some(({ json }) => json.accepted === true && json.updated === null);
				return made.length > claimed && !isTold
					? [`${id}: ${made.length} updates made, ${claimed} told`]
					: [];
			}),
		];
	},
};
