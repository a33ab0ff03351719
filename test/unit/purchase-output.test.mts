import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { outputOf, saidOf } from '../../nodes/marketplace/purchased.ts';
import type { Reply } from '../../nodes/shared/http/reply.ts';
import { minutesAgo, noteOf, ORDERED } from './purchase-parts.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

describe('the answer to a deploy', () => {
	const answer = (json: unknown): Reply =>
		({
			kind: 'answer',
			status: 200,
			contentType: 'application/json',
			text: JSON.stringify(json),
		}) as Reply;

	it('says what was made, with its ID', () => {
		expect(saidOf(answer({ data: { id: 7, name: 'job' } }))).toEqual({
			id: 7,
			name: 'job',
			deployment_id: '7',
			resource_private_name: 'job',
		});
	});

	it('says nothing of an ID that was there before, or that is none', () => {
		expect(saidOf(answer({ id: 'd1', name: 'job' }), ['d1'])).toMatchObject({
			name: 'job',
			deployment_id: null,
		});
		expect(saidOf(answer([]))).toEqual({ deployment_id: null });
		expect(saidOf(undefined)).toEqual({ deployment_id: null });
		expect(saidOf({ kind: 'cancelled' })).toEqual({ deployment_id: null });
	});
});

describe('the output of a purchase', () => {
	const note = () => noteOf('job', { order: { ...ORDERED, sentAt: Date.now() - 60_000 } });

	it('has the end of the hours that were bought, or an earlier one', () => {
		const shown = (more: IDataObject) => outputOf(note(), { deployment_id: 'd1', ...more });
		expect(shown({})).toMatchObject({ expires_at: minutesAgo(-119) });
		expect(shown({ expires_at: minutesAgo(-60) })).toMatchObject({ expires_at: minutesAgo(-60) });
		expect(shown({ expires_at: minutesAgo(-180) })).toMatchObject({
			expires_at: minutesAgo(-119),
		});
	});

	it('has no end of what has ended, or is not known', () => {
		expect(outputOf(note(), { deployment_id: null })).not.toHaveProperty('expires_at');
		expect(outputOf(note(), { deployment_id: 'd1', status: 'failed' })).not.toHaveProperty(
			'expires_at',
		);
	});
});
