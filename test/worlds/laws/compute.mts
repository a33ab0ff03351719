import { secretIn } from '../../engine/secrets.mts';
import type { Deployment } from '../../sandbox/index.mts';
import type { Item, Wish } from '../computeRecord.mts';
import { askedName, describe, names, ownHours, type ComputeLaw } from './computeWords.mts';
import { added, updated } from './computeChanges.mts';

/** Requests in ten seconds at most (beyond-the-spec.md section 3, the only limit that is documented). */
const MOST_REQUESTS = 150;
const WINDOW_MS = 10_000;

const ENDING = ['termination requested', 'destroyed', 'completed', 'failed'];

const runs = ({ state }: Deployment) => !ENDING.includes(state);

const ofWish = (wish: Pick<Wish, 'name' | 'product'>, deployments: Deployment[]) =>
	deployments.filter(
		(deployment) =>
			deployment.order.kind === wish.product && askedName(deployment).startsWith(wish.name),
	);

const isPurchase = ({ operation, json }: Item) =>
	(operation.startsWith('deploy') || operation === 'use the existing') && json.dry_run !== true;

const succeeds: ComputeLaw = {
	name: 'what must succeed, succeeds',
	broken: ({ world, refusals }) =>
		refusals
			.filter(({ operation }) => world.mustSucceed.includes(operation))
			.map(({ operation, reason }) => `${operation}: ${reason.slice(0, 300)}`),
};

const gone: ComputeLaw = {
	name: 'what is called gone is gone',
	broken: ({ items, exists }) =>
		items.flatMap(({ operation, product, json, state, namesakes }) => {
			const id = String(json.deployment_id);
			const isVerified = json.verified === true || (json.reached === true && isEnd(json));
			if (json.deleted !== true && !isVerified) return [];
			const [namesake] = operation === 'destroy by name' ? namesakes : [];
			if (namesake) return [`all of its name are called gone, and ${describe(namesake)} runs`];
			if (!exists(id, product)) return [`"${id}" is called gone, and there never was one`];
			if (state !== undefined && !ENDING.includes(state))
				return [`${id} is called gone and is ${state}`];
			return isVerified && state === 'termination requested'
				? [`${id} is called verified and is ${state}`]
				: [];
		}),
};

const isRunning: ComputeLaw = {
	name: 'what is called running runs',
	broken: ({ items }) =>
		items
			.filter(({ json, state }) => json.reached === true && state === 'deployment requested')
			.map(
				({ json, product }) =>
					`${product} ${String(json.deployment_id)} is called ${String(json.status)}`,
			),
};

/** Whether an item of Wait For tells of an end. */
const isEnd = ({ status }: Item['json']) =>
	/destroyed|unknown|completed|failed/i.test(String(status));

const once: ComputeLaw = {
	name: 'no wish is bought twice',
	broken(record) {
		const { wishes, bought, extensions } = record;
		const strangers = bought.filter(
			(one) => !wishes.some((wish) => ofWish(wish, [one]).length > 0),
		);
		return [
			...strangers.map((one) => `${describe(one)} is no wish`),
			...wishes.flatMap((wish) => {
				const made = ofWish(wish, bought);
				return made.length > wish.machines
					? [`${made.length} for ${wish.machines} wishes: ${made.map(describe).join(', ')}`]
					: [];
			}),
			...[...extensions].flatMap(([extended, hours]) => {
				const added = ownHours(record, extended);
				return added > hours ? [`${extended.id} was extended by ${added} h for ${hours} h`] : [];
			}),
		];
	},
};

const asOrdered: ComputeLaw = {
	name: 'what was ordered is bought',
	broken: ({ wishes, bought, items }) => [
		...wishes.flatMap((wish) =>
			ofWish(wish, bought).flatMap((one) => {
				const problem = wish.mismatch?.(one.order);
				return problem === undefined ? [] : [`${describe(one)}: ${problem}`];
			}),
		),
		...items.flatMap(({ json, misfit }) =>
			misfit === undefined || 'hint' in json
				? []
				: [`${String(json.deployment_id)} was passed on: ${misfit}`],
		),
	],
};

const withinLimits: ComputeLaw = {
	name: 'no bill above a limit',
	broken: ({ wishes, ours }) =>
		wishes.flatMap(({ maxPrice = Infinity, maxHourlyPrice = Infinity, ...wish }) =>
			ofWish(wish, ours).flatMap((one) => {
				const { hourlyPrice } = one.order;
				if (hourlyPrice > maxHourlyPrice)
					return [`${describe(one)} costs ${hourlyPrice} an hour, the limit is ${maxHourlyPrice}`];
				const dear = one.charges.find(({ amount }) => amount > maxPrice);
				return dear ? [`${describe(one)} costs ${dear.amount}, the limit is ${maxPrice}`] : [];
			}),
		),
};

const nothingElse: ComputeLaw = {
	name: 'nothing else is destroyed',
	broken({ destroyed, meant, kept, bought }) {
		const mine = new Set([...meant, ...bought]);
		return [...new Set(destroyed)]
			.filter((one) => kept.has(one) || !mine.has(one))
			.map((one) => `${describe(one)} was destroyed and was not meant`);
	},
};

const told: ComputeLaw = {
	name: 'what runs was told',
	broken({ scenario, bought, ours, meant, items, problems, prefixes }) {
		const warnings = items.filter(
			({ operation, json }) =>
				'hint' in json || (operation.startsWith('destroy') && json.deleted !== true),
		);
		const shown = scenario.tearsDown ? warnings : items;
		const text = JSON.stringify([problems.map((one) => one.text), shown.map(({ json }) => json)]);
		// What was there before need not be known by name to a node that fails
		const earlier = problems.length > 0 ? [] : ours.filter((one) => meant.has(one));
		return [...bought, ...earlier]
			.filter((one) => runs(one) && !names(text, one))
			.filter((one) => !prefixes.some((it) => askedName(one).startsWith(it) && text.includes(it)))
			.map((one) => `${describe(one)} still runs, and nothing says so`);
	},
};

const real: ComputeLaw = {
	name: 'a success is a real deployment',
	broken({ items, bought, ours, exists }) {
		const seen = new Map<string, string>();
		const purchases = items.filter(isPurchase);
		const isOf = ({ json, product }: Item) => {
			const { deployment_id: id } = json;
			return (one: Deployment) => one.id === id && one.order.kind === product;
		};
		const told = purchases.filter(({ json }) => !json.existing);
		const unnamed = bought.filter((one) => !told.some((item) => isOf(item)(one)));
		return purchases.flatMap((item) => {
			const { json, product, execution } = item;
			const { deployment_id: id } = json;
			if (typeof id !== 'string') {
				if (!('hint' in json)) return [`no ID and no hint: ${JSON.stringify(json)}`];
				return unnamed.pop() ? [] : [`nothing was bought: ${JSON.stringify(json)}`];
			}
			const isOld = json.existing === true;
			if (isOld && ours.some(isOf(item))) return [];
			if (isOld && !exists(id, product)) return [`${id} is no deployment of ${product}`];
			if (isOld) return 'resource_private_name' in json ? [] : [`${id} has no name`];
			if (!bought.some(isOf(item))) return [`${id} was not bought here`];
			const key = `${product} ${id}`;
			const before = seen.get(key);
			seen.set(key, execution);
			return before === undefined ? [] : [`${id} is the answer to two wishes`];
		});
	},
};

const complete: ComputeLaw = {
	name: 'lists are complete',
	broken: ({ lists }) =>
		lists.flatMap(({ shown, wanted }) => {
			const missing = wanted.filter((id) => !shown.includes(id));
			const twice = shown.filter((id, index) => shown.indexOf(id) !== index);
			return [
				...(missing.length > 0 ? [`${missing.length} of ${wanted.length} are missing`] : []),
				...(twice.length > 0 ? [`${twice.length} come twice`] : []),
			];
		}),
};

/** What a person can do nothing with. */
const CRASH = /Cannot read|is not a function|is not iterable|undefined/;

const clear: ComputeLaw = {
	name: 'errors say what may bill',
	broken: ({ problems, bought }) =>
		problems.flatMap(({ operation, text, alive }) => {
			const problem = `${operation}: ${text.slice(0, 300)}`;
			if (CRASH.test(text)) return [problem];
			// A node that cannot read a list does not know what is in it
			const known = /^(get|find|destroy many)/.test(operation)
				? []
				: alive.filter((one) => bought.includes(one) || /^(extend|destroy)/.test(operation));
			return known.length === 0 || known.some((one) => names(text, one))
				? []
				: [`${problem}\nwhile ${known.map(describe).join(', ')} ran`];
		}),
};

const noSecret: ComputeLaw = {
	name: 'no secret is shown',
	broken({ items, problems }) {
		const shown = [items.map(({ json }) => json), problems.map(({ text }) => text)];
		const found = secretIn(JSON.stringify(shown));
		return found === undefined ? [] : [found];
	},
};

const gentle: ComputeLaw = {
	name: 'at most 150 requests in 10 s',
	broken({ requests }) {
		let most = 0;
		let first = 0;
		requests.forEach((at, index) => {
			while ((requests[first] ?? at) <= at - WINDOW_MS) first++;
			most = Math.max(most, index - first + 1);
		});
		return most > MOST_REQUESTS ? [`${most} requests in 10 s`] : [];
	},
};

/** Every law of VMaaS and CaaS, in the order of the table. */
export const computeLaws: readonly ComputeLaw[] = [
	succeeds,
	gone,
	isRunning,
	once,
	asOrdered,
	withinLimits,
	nothingElse,
	told,
	real,
	added,
	updated,
	complete,
	clear,
	noSecret,
	gentle,
];
