import { afterEach, describe, expect, it, vi } from 'vitest';
import {
	forgetId,
	isCleared,
	isNew,
	isWrittenLately,
	knownId,
	noteBegun,
	noteCleared,
	noteCreated,
	noteWritten,
	rememberId,
	takeBegun,
	writtenLately,
} from '../../nodes/MemoryCompute/knownIds.ts';
import { JUMPS, setWallClock } from './still-time.mts';

afterEach(() => vi.useRealTimers());

let sessions = 0;
const fresh = () => `unit ${++sessions}`;
const said = (text: string) => ({ role: 'user', text, id: text, place: 0 }) as const;
const texts = (session: string) => writtenLately(session).map(({ text }) => text);

describe('what this process knows of a session', () => {
	it('all messages of the last two minutes', () => {
		vi.useFakeTimers({ now: 0 });
		const [session, other] = [fresh(), fresh()];
		rememberId(session, 'c1');
		noteWritten(session);
		expect([isWrittenLately(session), texts(session)]).toEqual([true, []]);
		noteWritten(session, said('a'));
		vi.advanceTimersByTime(60_000);
		noteWritten(session, said('b'));
		expect(texts(session)).toEqual(['a', 'b']);
		vi.advanceTimersByTime(60_000);
		expect([isWrittenLately(session), texts(session)]).toEqual([true, ['b']]);
		vi.advanceTimersByTime(60_000);
		noteWritten(other);
		expect([isWrittenLately(session), texts(session)]).toEqual([false, []]);
		expect(knownId(session)).toBe('c1');
	});

	it.each(JUMPS)('what is late is late, too, where the wall clock is set by %i ms', (jump) => {
		vi.useFakeTimers();
		const session = fresh();
		noteWritten(session, said('a'));
		setWallClock(jump);
		vi.advanceTimersByTime(60_000);
		expect([isWrittenLately(session), texts(session)]).toEqual([true, ['a']]);
		vi.advanceTimersByTime(60_000);
		expect([isWrittenLately(session), texts(session)]).toEqual([false, []]);
	});

	it('what of a turn was stored, once', () => {
		const session = fresh();
		noteBegun(session, [said('a')]);
		expect([takeBegun(session), takeBegun(session)]).toEqual([[said('a')], []]);
	});

	it('another conversation has none of the messages of the one before', () => {
		const session = fresh();
		rememberId(session, 'c1');
		noteWritten(session, said('a'));
		rememberId(session, 'c1');
		expect(texts(session)).toEqual(['a']);
		rememberId(session, 'c2');
		expect([isWrittenLately(session), texts(session)]).toEqual([false, []]);
	});

	it('a conversation that it has created is new until a list shows it, or another', () => {
		for (const shown of ['c1', 'c2']) {
			const session = fresh();
			noteCreated(session, 'c1');
			expect([knownId(session), isNew(session)]).toEqual(['c1', true]);
			rememberId(session, shown);
			expect([knownId(session), isNew(session)]).toEqual([shown, false]);
		}
	});

	it('a conversation that is gone is not new', () => {
		const session = fresh();
		noteCreated(session, 'c1');
		forgetId(session);
		expect(isNew(session)).toBe(false);
	});

	it('one that is gone may come back, one that was cleared may not', () => {
		const session = fresh();
		rememberId(session, 'c1');
		noteWritten(session, said('a'));
		forgetId(session);
		expect([knownId(session), texts(session)]).toEqual([undefined, []]);
		expect(isCleared(session, 'c1')).toBe(false);
		noteCleared(session, 'c1');
		expect(isCleared(session, 'c1')).toBe(true);
		expect(isCleared(session, 'c2')).toBe(false);
	});
});
