import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { contextError } from '../../nodes/shared/operation/context.ts';
import { sshCredential } from '../../nodes/marketplace/ssh.ts';
import { whileAlive } from '../../nodes/Vmaas/resources/job/aliveRuns.ts';
import { jobName, type JobKind } from '../../nodes/Vmaas/resources/job/jobName.ts';
import { withMachine, type Machine } from '../../nodes/Vmaas/resources/job/machine.ts';
import { start } from '../../nodes/Vmaas/resources/job/start.ts';
import { jobParameters } from '../engine/nodes.mts';
import { inputOf, outcome, type Answer } from './job-bench.mts';
import { CHOSEN, destroyedBy, jobContext, shopOf, type Shop } from './job-shop.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const { order } = inputOf(start, jobParameters());

type Context = ReturnType<typeof jobContext>;

/** What comes of a job that does this with its VM. */
async function rented<T>(
	shop: Shop,
	use: (machine: Machine) => Promise<T>,
	{ kind = 'start', context = jobContext(shop) }: { kind?: JobKind; context?: Context } = {},
) {
	const credential = await sshCredential(context);
	const machineOrder = { key: 'train', kind, order, credential, waitMs: 60_000 };
	const result = await outcome(async () => await withMachine(context, machineOrder, use));
	return { result, context };
}

async function failed(...job: Parameters<typeof rented>) {
	const { result, context } = await rented(...job);
	if (!(result instanceof Error)) throw new Error('No error');
	const { message, description, context: facts } = result as NodeApiError;
	return { message, description, known: facts.known as object, context };
}

const NAME = /^train-start-[0-9a-f]{10}$/;
const nameIn = ({ sold }: Shop) => String(sold[0]?.resource_private_name);
const endOf = (shop: Shop, amount: number | null = null) => ({
	deployment_id: shop.ids[0],
	resource_private_name: nameIn(shop),
	destroyed: true,
	verified: true,
	amount_paid: amount,
});
const wasDestroyed = (shop: Shop) =>
	`Deployment ${shop.ids[0]} ("${nameIn(shop)}") was destroyed, and its end was seen.`;
const nothing = async () => await Promise.resolve('used');
const broken = (shop: Shop) => contextError(shop.context(), { message: 'broken' });

describe('a VM of a job', () => {
	it('is rented under a name of its own, and handed over as soon as it answers', async () => {
		const shop = shopOf();
		const { result, context } = await rented(
			shop,
			async (machine) => await Promise.resolve(machine),
		);
		const name = nameIn(shop);
		expect(name).toMatch(NAME);
		expect(shop.sold).toMatchObject([
			{ hardware_id: 1, gpus_per_vm: 1, location_ids: ['US'], duration_hours: 2 },
		]);
		expect(result).toMatchObject({
			jobId: name.slice(-10),
			name,
			boughtAt: Date.now(),
			bought: { ...CHOSEN, deployment_id: shop.ids[0] },
			vm: { deploymentId: shop.ids[0], name, login: { host: '192.0.2.1', username: 'ubuntu' } },
			leftovers: undefined,
		});
		expect(context.known).toEqual({ resource_private_name: name, deployment_id: shop.ids[0] });
		expect(context.journal.intent()).toEqual({
			what: `Job "${name}"`,
			deployment_id: shop.ids[0],
			resource_private_name: name,
		});
		expect(destroyedBy(shop)).toBe(0);
	});

	it('is looked for among leftovers by Run alone', async () => {
		const shop = shopOf();
		const use = async ({ leftovers }: Machine) => await Promise.resolve(leftovers);
		const { result } = await rented(shop, use, { kind: 'run' });
		expect(result).toEqual({ ended_leftovers: [], left_alone: [] });
		expect(nameIn(shop)).toMatch(/^train-run-/);
	});

	it('is ended once, however often that is asked for', async () => {
		const shop = shopOf({}, { amount_paid: 2 });
		const { result } = await rented(shop, async ({ end }) => [await end(), await end()]);
		expect(result).toEqual([{ end: endOf(shop, 2) }, { end: endOf(shop, 2) }]);
		expect(destroyedBy(shop)).toBe(1);
	});

	it('is not rented twice at a time under one name: nothing is sent', async () => {
		const shop = shopOf();
		const name = jobName(jobContext(shop), 'train', 'start');
		const twice = async () => await failed(shop, nothing);
		const error = await whileAlive(name, () => new Error('unused'), twice);
		expect(error).toMatchObject({
			message: `The job "${name}" runs already: it was called twice with the same arguments`,
			description: 'Nothing was deployed now.',
			known: { resource_private_name: name },
		});
		expect(shop.requests).toEqual([]);
		expect((await rented(shop, nothing)).result).toBe('used');
	});

	it('is not rented for an AI agent whose limit no person has set', async () => {
		const shop = shopOf();
		const context = jobContext(shop);
		const safety = { maxPrice: '={{ $json.price }}' };
		Object.assign(context.functions, {
			isToolExecution: () => true,
			getNode: () => ({ credentials: { computeSshApi: {} }, parameters: { safety } }),
		});
		const error = await failed(shop, nothing, { context });
		expect(error.message).toMatch(/^An AI agent may spend money only under a price limit/);
		expect(shop.requests).toEqual([]);
	});
});

describe('a VM of a job that goes wrong', () => {
	it('is ended where it never answers, and the error says so', async () => {
		const refused = () =>
			Object.assign(new Error('no'), { level: 'client-socket', code: 'ECONNREFUSED' });
		const shop = shopOf({ refusal: refused });
		const { context, ...error } = await failed(shop, nothing);
		expect(error).toEqual({
			message:
				'The VM did not answer over SSH within its time: Nothing listens at 192.0.2.1:22 (connection refused)',
			description: `Raise Wait Timeout under Options if VMs take longer. n8n must be able to reach the SSH port of the VM.\n${wasDestroyed(shop)}`,
			known: endOf(shop),
		});
		expect(context.journal.intent()).toBeUndefined();
		expect(shop.logged).toEqual([]);
	});

	it.each([
		['failed', 'failed'],
		['terminating', 'terminating'],
	])('is ended where it is %s before it has answered', async (status, shown) => {
		const shop = shopOf({}, { status });
		const error = await failed(shop, nothing);
		expect(error.message).toBe(`The deployment is "${shown}" and never ran the job`);
	});

	it('is ended once where its job fails, whether or not the job has ended it', async () => {
		for (const isEnded of [false, true]) {
			const shop = shopOf();
			const error = await failed(shop, async ({ end }) => {
				if (isEnded) await end();
				throw broken(shop);
			});
			expect(error).toMatchObject({
				message: 'broken',
				description: wasDestroyed(shop),
				known: endOf(shop),
			});
			expect(destroyedBy(shop)).toBe(1);
		}
	});

	it('is ended and noted in the log where the execution is cancelled', async () => {
		const shop = shopOf();
		const controller = new AbortController();
		const context = { ...jobContext(shop), signal: controller.signal };
		const use = async () => {
			controller.abort();
			return await Promise.reject(broken(shop));
		};
		await failed(shop, use, { context });
		expect(shop.logged).toEqual([
			[`A job was cancelled. ${wasDestroyed(shop).slice(0, -1)}`, endOf(shop)],
		]);
	});

	it('may still run where its end is not seen: the message says so, and a retry ends it first', async () => {
		let refusal: Answer | undefined = [403, { message: 'locked' }];
		const shop = shopOf();
		const { destroy } = shop;
		shop.destroy = () => refusal ?? destroy();
		const fail = async () => await Promise.reject(broken(shop));
		const first = await failed(shop, fail);
		const warning = `Deployment ${shop.ids[0]} ("${nameIn(shop)}") may still run and bill: `;
		expect(first.message).toContain(`broken. ${warning}`);
		expect(first.description).toContain(warning);
		expect(first.known).toEqual({
			...endOf(shop),
			destroyed: null,
			verified: false,
		});
		const second = await failed(shop, nothing);
		expect(second.message).toContain(
			`An earlier try of this job may have left its deployment, and nothing was deployed now. ${warning}`,
		);
		expect(second.known).toMatchObject({ deployment_id: shop.ids[0], destroyed: null });
		expect(shop.sold).toHaveLength(1);
		refusal = undefined;
		expect((await rented(shop, nothing)).result).toBe('used');
		expect(shop.sold).toHaveLength(2);
		expect(shop.sold[1]?.resource_private_name).toBe(nameIn(shop));
	});
});

describe('a deploy that is refused', () => {
	/** The service has made the deployment all the same, and shows it after so many milliseconds; undefined: it has not. */
	function refusingShop(lagMs?: number): Shop {
		const shop = shopOf();
		const { instead } = shop;
		let made: Shop['details'];
		let shows = Infinity;
		shop.instead = (request, body) => {
			const answer = instead?.(request, body);
			if (Date.now() >= shows) shop.details = made;
			if (!request.endsWith('/deploy')) return answer;
			made = shop.details;
			shop.details = undefined;
			shows = Date.now() + (lagMs ?? Infinity);
			return [402, { detail: 'insufficient balance' }];
		};
		return shop;
	}

	it('was refused and shows later: it is ended', async () => {
		const shop = refusingShop(60_000);
		const error = await failed(shop, nothing);
		expect(error.message).toContain('insufficient balance');
		expect(error.description).toContain(wasDestroyed(shop));
		expect(error.known).toMatchObject(endOf(shop));
		expect(destroyedBy(shop)).toBe(1);
	});

	it('was refused and never shows: the error is that of the service', async () => {
		const startedAt = Date.now();
		const shop = refusingShop();
		const { context, ...error } = await failed(shop, nothing);
		expect(error.message).toContain('insufficient balance');
		expect(error.description ?? '').not.toContain('may exist');
		expect(error.known).not.toHaveProperty('destroyed');
		expect(Date.now() - startedAt).toBeLessThan(150_000);
		expect(context.kept.size).toBe(0);
		expect(context.journal.intent()).toBeUndefined();
	});
});

describe('a deploy that says nothing of its deployment', () => {
	/** The service confirms the deploy, and shows the deployment after so many lists. */
	function silentShop(shows: boolean): Shop {
		const shop = shopOf();
		const { instead } = shop;
		shop.instead = (request, body) => {
			const answer = instead?.(request, body);
			if (!request.endsWith('/deploy')) return answer;
			if (!shows) shop.details = undefined;
			return [200, { status: 'success' }];
		};
		return shop;
	}

	it('is found by its name', async () => {
		const { result } = await rented(silentShop(true), nothing);
		expect(result).toBe('used');
	});

	it('is an error that says what may bill where it never shows', async () => {
		const shop = silentShop(false);
		const { context, ...error } = await failed(shop, nothing);
		const name = nameIn(shop);
		const warning = `The outcome of the deploy of "${name}" is unknown: it may exist and bill. Look for it by its name`;
		expect(error).toEqual({
			message: `The service has confirmed the deploy, and shows no deployment of its name. ${warning}`,
			description: `The service confirmed the deployment without an ID of its own, and it is not in the list of deployments. Find it by its name.\n${warning}.`,
			known: {
				deployment_id: null,
				resource_private_name: name,
				destroyed: null,
				verified: false,
				amount_paid: null,
			},
		});
		expect(context.journal.intent()).toMatchObject({
			isConfirmed: true,
			what: `Job "${name}"`,
			product: 'vmaas',
			resource_private_name: name,
		});
	});
});
