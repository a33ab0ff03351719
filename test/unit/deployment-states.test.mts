import { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	isDestroyed,
	isFinal,
	isSameStatus,
	stateOf,
	wordOf,
} from '../../nodes/marketplace/state.ts';
import { workersShown } from '../../nodes/marketplace/workers.ts';
import { NODE } from './log-parts.mts';

describe('the status of a deployment', () => {
	it.each([
		['deployment requested', 'starting'],
		['running', 'running'],
		['termination requested', 'ending'],
		['terminating', 'ending'],
		['destroying', 'ending'],
		['deleting', 'ending'],
		['completed', 'ended'],
		['failed', 'ended'],
		['destroyed', 'ended'],
		['terminated', 'ended'],
		['deleted', 'ended'],
		['expired', 'ended'],
		['paused', 'unknown'],
		['', 'unknown'],
		[undefined, 'unknown'],
		[7, 'unknown'],
	])('%j means %s', (status, state) => {
		expect(stateOf(status)).toBe(state);
		expect(isFinal(status)).toBe(state === 'ended');
	});

	it('is read in any case, with any blanks', () => {
		expect(wordOf('  Termination_-  REQUESTED ')).toBe('termination requested');
		expect(stateOf('Termination-Requested')).toBe('ending');
		expect(isSameStatus('RUNNING', ' running')).toBe(true);
		expect(isSameStatus('running', 'run ning')).toBe(false);
		expect(isSameStatus(undefined, '')).toBe(true);
	});

	it('says whether it was destroyed, and has not ended in another way', () => {
		const ends = [
			'Destroyed',
			'terminated',
			'deleted',
			'completed',
			'failed',
			'expired',
			'running',
		];
		expect(ends.filter(isDestroyed)).toEqual(['Destroyed', 'terminated', 'deleted']);
	});
});

describe('the VMs of a deployment', () => {
	it('that have ended, end or were replaced are not present', async () => {
		const listed = ['running', 'failed', 'terminating', 'Replaced', 'paused', undefined].map(
			(status, id) => ({ id, status }),
		);
		const shown = await workersShown(async () => await Promise.resolve(listed));
		expect(shown.listed).toBe(listed);
		expect(shown.present.map(({ id }) => id)).toEqual([0, 4, 5]);
	});

	it('are none while the service does not know them', async () => {
		const failing = (httpCode: string) =>
			workersShown(
				async () => await Promise.reject(new NodeApiError(NODE, { message: 'no' }, { httpCode })),
			);
		expect(await failing('404')).toEqual({ listed: [], present: [] });
		await expect(failing('403')).rejects.toMatchObject({ httpCode: '403' });
	});
});
