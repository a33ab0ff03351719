import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { noteBought } from '../../nodes/marketplace/ownDeployments.ts';
import { noteList } from '../../nodes/marketplace/presence.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { elapsed } from '../../nodes/shared/time.ts';
import { endDeployments } from '../../nodes/Vmaas/resources/job/end.ts';
import { DEPLOYMENT, jobBench, outcome, type Bench } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const NAME = 'train-run-0123456789abc';
const OTHER = 'train-run-fedcba98765432';

type Seen = Record<string, IDataObject>;

/** A service of these deployments, by ID. */
function serviceOf(shown: Seen): Bench {
	return jobBench({
		instead(request) {
			const [method, path] = request.split(' ') as [string, string];
			const id = path.replace(/.*\//, '');
			if (id === 'deployments') {
				const deployments = Object.keys(shown).map((one) => ({ id: one, ...shown[one] }));
				return [200, { data: { deployments, total: deployments.length } }];
			}
			const one = shown[id];
			if (!one) return [404, {}];
			if (method === 'DELETE') one.status = 'destroyed';
			return [200, method === 'GET' ? { data: { id, ...one } } : {}];
		},
	});
}

const running = (more: IDataObject = {}) => ({ name: NAME, status: 'running', ...more });
const contextOf = (bench: Bench) => ({ ...bench.context(), product: VMAAS });
const destroyed = ({ requests }: Bench) =>
	requests.flatMap((one) => /^DELETE .*\/(.*)/.exec(one)?.[1] ?? []);

const seen = {
	deployment_id: DEPLOYMENT,
	resource_private_name: NAME,
	destroyed: true,
	verified: true,
	amount_paid: null,
};

describe('the end of what has a name', () => {
	const endOf = async (bench: Bench) =>
		await endDeployments(contextOf(bench), [DEPLOYMENT], { name: NAME });

	it.each([
		['with more behind the name', `${NAME}-2`, `"${NAME}-2"`],
		['without a name', null, 'no name'],
	])('is not verified beside one that shows %s, which is told', async (_how, name, told) => {
		const bench = serviceOf({ [DEPLOYMENT]: running(), twin: running({ name }) });
		const { end, warning, isOpen } = await endOf(bench);
		expect(end).toEqual({ ...seen, verified: false });
		expect(warning).toContain(`so each of these may be one: twin (${told})`);
		expect(isOpen).toBeUndefined();
		expect(destroyed(bench)).toEqual([DEPLOYMENT]);
	});

	it('is that of one where the list has its ID in another case', async () => {
		const listed = DEPLOYMENT.toUpperCase();
		const bench = serviceOf({ [listed]: running() });
		expect(await endOf(bench)).toEqual({ end: { ...seen, deployment_id: listed } });
		expect(destroyed(bench)).toEqual([listed]);
	});

	it('needs a list, unless the service says for a minute that it has none', async () => {
		const begun = elapsed();
		const bench = serviceOf({ [DEPLOYMENT]: running(), twin: running() });
		const usually = bench.instead;
		bench.instead = (request) =>
			request.endsWith('/deployments') && elapsed() < begun + 40_000
				? [404, {}]
				: usually?.(request);
		expect(await outcome(async () => await endOf(bench))).toMatchObject({
			end: { verified: true },
		});
		expect(destroyed(bench)).toEqual([DEPLOYMENT, 'twin']);
	});
});

describe('the end of what has no name that is known', () => {
	const isName = (shown: string) => shown === NAME;
	const endOf = async (bench: Bench) =>
		await endDeployments(contextOf(bench), [DEPLOYMENT], { isName });

	it('is that of all that the list shows under it', async () => {
		const bench = serviceOf({ [DEPLOYMENT]: running(), copy: running() });
		expect(await endOf(bench)).toEqual({ end: seen });
		expect(destroyed(bench)).toEqual([DEPLOYMENT, 'copy']);
	});

	it('is told beside what is new in a list that changes names', async () => {
		const others = Object.fromEntries(
			Array.from({ length: 12 }, (_, index) => [`new-${index}`, running({ name: 'cut' })]),
		);
		const bench = serviceOf({
			[DEPLOYMENT]: running({ name: 'cut' }),
			old: running({ name: 'old' }),
			ended: running({ status: 'failed' }),
			bought: running({ name: 'bought' }),
			nameless: { status: 'running' },
			...others,
		});
		const context = contextOf(bench);
		context.kept.set(`purchase of ${OTHER}`, { olderIds: ['old'] });
		noteBought(context, 'bought', { names: ['bought'], purchaseId: '1' });
		const { end, warning, isOpen } = await endDeployments(context, [DEPLOYMENT], { name: OTHER });
		expect(end).toMatchObject({ destroyed: true, verified: false });
		expect(isOpen).toBe(true);
		expect(warning).toMatch(/each of these may be one: nameless \(no name\), new-0 \("cut"\), .*/);
		expect(warning).toMatch(/new-8 \("cut"\) and 3 more\. Look for it in the console/);
		expect(warning).not.toMatch(/old|bought|ended \(/);
		expect(destroyed(bench)).toEqual([DEPLOYMENT]);
	});

	it('is verified where nothing in a list that changes names is new', async () => {
		const bench = serviceOf({
			[DEPLOYMENT]: running({ name: 'cut' }),
			old: running({ name: 'cut' }),
		});
		const context = contextOf(bench);
		context.kept.set(`purchase of ${OTHER}`, { olderIds: ['old'] });
		const result = await endDeployments(context, [DEPLOYMENT], { name: OTHER });
		expect(result).toEqual({ end: { ...seen, resource_private_name: OTHER } });
	});

	it.each([undefined, 'train-run'])('is that of the ID alone beside a list of %s', async (name) => {
		const bench = serviceOf({ [DEPLOYMENT]: running({ name }), other: running({ name }) });
		const { end, warning } = await endOf(bench);
		expect(end).toEqual({ ...seen, resource_private_name: null, verified: false });
		expect(warning).toContain('the service does not show the name of the job');
		expect(destroyed(bench)).toEqual([DEPLOYMENT]);
	});
});

it.each([
	[true, null, 'the list of deployments could not be read', true],
	[false, true, 'the service has no list of deployments', undefined],
])(
	'a list that is absent from the end on (it has worked: %s) shows nothing of another one',
	async (hasWorked, destroyed, problem, isOpen) => {
		const bench = serviceOf({ [DEPLOYMENT]: running() });
		const { instead } = bench;
		bench.instead = (request) =>
			request.endsWith('/deployments') ? [404, {}] : instead?.(request);
		const context = contextOf(bench);
		if (hasWorked) noteList(context);
		const result = await outcome(
			async () => await endDeployments(context, [DEPLOYMENT], { name: NAME }),
		);
		expect(result).toMatchObject({ end: { destroyed, verified: false } });
		if (result instanceof Error) throw result;
		expect(result.warning).toContain(`may have made another one, which bills: ${problem}`);
		// A later look at a list that is not there shows nothing either
		expect(result.isOpen).toBe(isOpen);
	},
);
