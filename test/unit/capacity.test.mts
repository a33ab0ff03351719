import { describe, expect, it } from 'vitest';
import { capacityWords } from '../../nodes/Vmaas/resources/deployment/cheapestPrices.ts';

/** The words of a rejection of an order, if they say that the offer is sold out. */
const saidBy = (text: string, contentType = 'text/plain') =>
	capacityWords({ kind: 'answer', status: 409, contentType, text });

describe('a rejection says that an offer is sold out', () => {
	it.each([
		'Sold out',
		'SOLD-OUT',
		'soldout',
		'Not enough capacity in this location',
		'The hardware is not available',
		'Temporarily unavailable',
		'There are no free GPUs',
		'no available nodes',
		'no matching node',
		'Out of stock',
		'insufficient GPUs',
		'Insufficient hardware',
		'insufficient resources',
		'insufficient stock',
		'insufficient workers',
		'insufficient nodes',
	])('in the words "%s"', (words) => {
		expect(saidBy(words)).toBe(words);
		expect(saidBy(JSON.stringify({ detail: words }), 'application/json')).toBe(words);
	});
});

describe('a rejection says nothing of the offer', () => {
	it.each([
		'',
		'insufficient funds',
		'Insufficient balance',
		'insufficient credits: add some',
		'no SSH key was given',
		'The name is taken',
		'The duration must be at least 1 hour',
		'outstanding invoices',
	])('in the words "%s"', (words) => {
		expect(saidBy(words)).toBeUndefined();
	});

	it('in another field of its body than that of the message', () => {
		const body = JSON.stringify({ detail: 'No credit left', hint: 'sold out' });
		expect(saidBy(body, 'application/json')).toBeUndefined();
	});

	it('where there is none', () => {
		expect(capacityWords({ kind: 'lost', reason: 'sold out' })).toBeUndefined();
		expect(capacityWords({ kind: 'cancelled' })).toBeUndefined();
	});
});
