import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import { SECOND, type Answer } from './service.mts';
import { begin, deploy, destroy } from './stage.mts';

/** Reads show IDs in capitals, the answer to a deploy does not. */
const inCapitals = (answer: Answer): Answer => ({
	...answer,
	body: JSON.parse(JSON.stringify(answer.body).replaceAll('c0ffee', 'C0FFEE')) as unknown,
});

const capitals = async (lagMs = 30 * SECOND) => {
	const stage = await begin({ lagMs });
	stage.service.then = ({ what }, answer) =>
		['list', 'details'].includes(what) ? inCapitals(answer) : answer;
	return stage;
};

describe('IDs that reads show in capitals', () => {
	/** The second deploy is lost, and was not done. */
	const losing = async () => {
		const stage = await capitals();
		stage.service.instead = ({ what }) =>
			what === 'deploy' && stage.service.sent('deploy').length === 2 ? { isCut: true } : undefined;
		return stage;
	};
	const anyway = { safety: { ifNameExists: 'deploy' } };

	it('do not make what one item has bought that of another', async () => {
		const { service, run } = await losing();
		const { items } = await run(deploy(anyway, CONTINUE), [{}, {}]);
		expect(service.bought).toHaveLength(1);
		expect(items.filter(({ deployment_id }) => typeof deployment_id === 'string')).toHaveLength(1);
	});

	it('do not make what one execution has bought that of another', async () => {
		const { service, run } = await losing();
		const first = await run(deploy(anyway));
		const second = await run(deploy(anyway));
		expect(service.bought).toHaveLength(1);
		expect([first.items.length, second.items.length]).toEqual([1, 0]);
	});

	it.each(['id', 'name'] as const)('are those of one to destroy by %s', async (mode) => {
		const { service, chain } = await capitals();
		const reference = mode === 'id' ? '={{ $json.deployment_id }}' : 'job';
		const { items } = await chain(deploy(), destroy(reference, mode));
		expect(items.map(({ deleted }) => deleted)).toEqual([true]);
		expect(service.bought.map((one) => service.statusOf(one))).toEqual(['destroyed']);
	});
});

describe('IDs that are numbers', () => {
	it('of 16 digits are those of one deployment each', async () => {
		const { service, chain } = await begin({ nextId: (n) => `90071992547409${90 + n}` });
		for (const name of ['a', 'b', 'c']) service.add(name);
		service.then = (_, answer) => ({
			...answer,
			body: JSON.stringify(answer.body).replaceAll(/"(9007\d{12})"/g, '$1'),
		});
		const { items } = await chain(deploy(), destroy('={{ $json.deployment_id }}'));
		expect(items.map(({ deleted }) => deleted)).toEqual([true]);
		expect(service.rentals.map(({ asked }) => asked)).toEqual([0, 0, 0, 1]);
	});

	it('may begin with 0', async () => {
		const { service, run } = await begin({ nextId: (n) => String(n - 1) });
		const [zero, one] = ['zero', 'one'].map((name) => service.add(name));
		service.then = (_, answer) => ({
			...answer,
			body: JSON.stringify(answer.body).replaceAll(/"id":"(\d+)"/g, '"id":$1'),
		});
		const { items } = await run(destroy(0));
		expect(items.map(({ deleted }) => deleted)).toEqual([true]);
		expect([zero?.asked, one?.asked]).toEqual([1, 0]);
	});
});
