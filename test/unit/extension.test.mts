import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { extendIntent, priceIn, type ExtensionNote } from '../../nodes/marketplace/extension.ts';
import type { ProductContext } from '../../nodes/marketplace/product.ts';
import type { Reply } from '../../nodes/shared/http/reply.ts';

const note: ExtensionNote = {
	product: 'VMaaS',
	deployment_id: 'dep-1',
	added_hours: 2,
	before: { minutes: 600, remaining: 300, readAt: Date.now(), paid: 5 },
	prices: { total_price: '1.5' },
};
const context = { account: { redact: (text: string) => text } } as unknown as ProductContext;
const intent = extendIntent(context, note);

const answer = (status: number, body: IDataObject | string): Reply =>
	({
		kind: 'answer',
		status,
		contentType: 'application/json',
		text: typeof body === 'string' ? body : JSON.stringify(body),
	}) as Reply;

const details = (minutes: number) => ({
	deployment_id: 'dep-1',
	status: 'running',
	compute_minutes_served: 300,
	compute_minutes_remaining: minutes - 300,
	amount_paid: minutes > 600 ? 6.5 : 5,
});

describe('an extension', () => {
	it('is told by its deployment and its hours', () => {
		expect(intent.what).toBe('Extension of dep-1 by 2 hours');
		expect(intent.facts).toEqual({ deployment_id: 'dep-1' });
		expect(intent.cancelled).toContain(
			'an extension by 2 hours was under way: it may have been made',
		);
		expect(intent.warning).toContain('Do not extend it again');
		expect(intent.advice).toContain('Deployment > Get');
		expect(priceIn(note)).toBe(1.5);
		expect(priceIn({ ...note, prices: {} })).toBeUndefined();
	});

	it('is shown by an answer whose details have the hours', () => {
		expect(intent.proof(answer(200, { data: details(720) }))).toMatchObject({
			deployment_id: 'dep-1',
			added_hours: 2,
			total_price: '1.5',
			compute_minutes_remaining: 420,
		});
	});

	it('is told with a hint where more was paid for it than its price', () => {
		const prices = { total_price: 1.5, currency: 'usdc' };
		const priced = extendIntent(context, { ...note, prices });
		const shown = (paid: number) =>
			priced.proof(answer(200, { data: { ...details(720), amount_paid: paid } }));
		expect(shown(8)?.hint).toBe(
			'The service shows 3 more paid than before instead of the price of 1.5.',
		);
		expect(shown(6.5)).not.toHaveProperty('hint');
	});

	it.each<[string, Reply]>([
		['that has the old time', answer(200, { data: details(600) })],
		['without details', answer(200, {})],
		['that is a refusal', answer(500, { data: details(720) })],
		['that was lost', { kind: 'lost', reason: 'reset' } as Reply],
	])('is not shown by an answer %s', (_, reply) => {
		expect(intent.proof(reply)).toBeUndefined();
	});

	it.each<[number, string, boolean]>([
		[409, 'Extension already in progress', true],
		[409, 'a request is PENDING', true],
		[409, 'duplicate request', true],
		[409, 'in progress', true],
		[409, 'The deployment has ended', false],
		[400, 'already in progress', true],
		[403, 'already in progress', false],
		[400, 'bad', false],
		[500, 'duplicate', false],
	])('%d "%s": it may be done, as by the first try of a proxy: %j', (status, words, mayBeDone) => {
		expect(intent.mayBeDone?.(answer(status, { message: words }))).toBe(mayBeDone);
	});

	it('may not be done for what is no answer', () => {
		const lost = { kind: 'lost', reason: 'already', status: 409, text: 'already' };
		expect(intent.mayBeDone?.(lost as unknown as Reply)).toBe(false);
	});
});
