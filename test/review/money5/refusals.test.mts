import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import type { Call, Said } from './service.mts';
import { deploy, extend, stage, told } from './stage.mts';

const isPost = ({ method }: Call) => method === 'POST';

/** What a gateway or the service says to a request that was done: it was sent on twice, or given up on meanwhile. */
const AFTER_THE_WORK: Array<[string, Said]> = [
	['499 of a gRPC gateway', { status: 499, json: { code: 1, message: 'context canceled' } }],
	['460 of a load balancer', { status: 460, text: '' }],
	['444', { status: 444, text: '' }],
	['425', { status: 425, text: 'Too Early' }],
	['409 in progress', { status: 409, json: { detail: 'Another deploy is being processed' } }],
	[
		'409 already in progress',
		{ status: 409, json: { detail: 'A deployment is already in progress' } },
	],
	['409 of a lock', { status: 409, json: { detail: 'Request with the same content is pending' } }],
	[
		'422 already processed',
		{ status: 422, json: { detail: 'This request was already processed' } },
	],
	['400 repeated', { status: 400, json: { detail: 'Repeated request' } }],
	['409 exists', { status: 409, json: { detail: 'A cluster with this name already exists' } }],
	['423', { status: 423, json: { detail: 'Resource is locked by another operation' } }],
	['409 without words', { status: 409 }],
	['404 without words', { status: 404 }],
	['405 of a proxy', { status: 405, text: '<html><title>405 Not Allowed</title></html>' }],
	[
		'403 page of a firewall',
		{ status: 403, text: '<html><title>Attention Required</title></html>' },
	],
];

describe.each([0, 20_000])('after the work, where reads are behind by %d ms', (behindMs) => {
	it.each(AFTER_THE_WORK)('a deploy that %s answers is bought once', async (_, said) => {
		const { service, run } = await stage();
		const isShown = ({ boughtAt }: { boughtAt: number }) =>
			service.clock.now() >= boughtAt + behindMs;
		service.listed = (machine, entry) => (isShown(machine) ? entry : undefined);
		service.detailed = (machine, details) => (isShown(machine) ? details : undefined);
		let count = 0;
		service.answered = (call, own) => (isPost(call) && ++count === 1 ? said : own);
		const { all } = told(await run(deploy({}, RETRY)));
		expect(service.machines).toHaveLength(1);
		expect(all).toContain('dep-1');
	});

	it.each(AFTER_THE_WORK)('an extension that %s answers is made once', async (_, said) => {
		const { service, run } = await stage();
		const machine = service.add();
		let until = 0;
		service.detailed = (_machine, details) =>
			service.clock.now() < until
				? { ...details, compute_minutes_remaining: 240, amount_paid: 5 }
				: details;
		let count = 0;
		service.answered = (call, own) => {
			if (!isPost(call) || ++count > 1) return own;
			until = service.clock.now() + behindMs;
			return said;
		};
		await run(extend('dep-1', 2, {}, { ...RETRY, ...CONTINUE }));
		expect(machine.hours).toBe(7);
	});
});

describe('a refusal before the work', () => {
	const REFUSED: Array<[string, Said]> = [
		['422', { status: 422, json: { detail: [{ loc: ['body', 'x'], msg: 'bad', type: 'v' }] } }],
		['402', { status: 402, json: { message: 'Not enough credits' } }],
		['409 sold out', { status: 409, json: { detail: 'sold out' } }],
		['403', { status: 403, json: { detail: 'no' } }],
	];
	it.each(REFUSED)('by %s is an error, and nothing else is sent', async (_, said) => {
		const { service, run } = await stage();
		service.instead = (call) => (isPost(call) ? said : undefined);
		const { error } = told(await run(deploy()));
		expect(service.sent('POST')).toHaveLength(1);
		expect(error).toBeDefined();
		expect(error).not.toContain('unknown');
	});
});
