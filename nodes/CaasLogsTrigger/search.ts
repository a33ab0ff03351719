import { BEGINNING, beyond, type LogOffset, type OffsetSettings } from '../marketplace/log/request';
import { MAX_CHARACTERS, type Answer } from './answer';
import { leadOf, MARGIN } from './cursor';
import type { Habit } from './decide';
import { greetedPlace } from './greeting';
import { join, type Shown } from './join';
import type { KnownEntries, Place } from './known';
import { patienceOf, type Patience } from './patience';

/** Entries beyond those that were read, after which the known ones will not come any more. */
const MAX_BEYOND = 1_000;
/** Answers that are lost before what they have brought counts as all that there is; and before the beginning is requested, which shows more. */
const MAX_LOST = 5;
const MAX_LOST_IN_WINDOW = 2;
/** Answers without an entry to the last known ones alone after which they are not requested again. */
const MAX_UNSEEN = 3;
/** So many known entries prove that an answer is a page of them. */
const MIN_PAGE = 2;
/** Answers that are remembered. */
export const MAX_ANSWERS = 24;

/** The search of the place where reading stopped: each property is a question to the answers so far; nothing else is remembered. */
export class Search {
	/** The answers to this search, the present one last. */
	readonly answers: Answer[] = [];

	/**
	 * @param history all answers of the last connections, those to this search among them
	 * @param former the log before the present one
	 */
	constructor(
		readonly known: KnownEntries,
		readonly habit: Readonly<Habit>,
		private readonly unit: OffsetSettings['offsetUnit'],
		private readonly history: readonly Answer[],
		readonly former?: KnownEntries,
	) {}

	/** Takes the answer that begins. Of those before it, no more is kept than of one, and first what shows lines of the log. */
	add(answer: Answer): void {
		let characters = 0;
		for (const one of [...this.answers].reverse())
			if ((characters += one.characters) > MAX_CHARACTERS) one.release();
		this.answers.push(answer);
		const needless = this.earlier.findIndex((one) => !this.isOfLog(one));
		if (this.answers.length > MAX_ANSWERS) this.answers.splice(Math.max(0, needless), 1);
	}

	get answer(): Answer {
		return this.answers.at(-1)!;
	}

	/** The offset to request. */
	offsetOf(requested: Answer['requested']): LogOffset {
		if (requested === 'beginning') return BEGINNING;
		return requested === 'window' ? this.windowStart : beyond(this.known.position.offset);
	}

	/** Entries that were read. */
	get count(): number {
		return this.known.position.offset.entries;
	}

	/** How many entries are to come before the number of those that were read. */
	get missing(): number {
		return this.count - this.answer.count;
	}

	/** Whether a place is further on than it is in an answer from the offset that was requested. */
	isBehind({ count }: Place): boolean {
		return this.unit === 'entries' && count > this.known.digests.length + MARGIN + 1;
	}

	/** Whether the answer certainly begins where the log begins. */
	get showsBeginning(): boolean {
		const { habit, known, answer } = this;
		if (habit.offset === 'beginning' || this.isSameForBoth) return true;
		return !known.isRepetitive && habit.offset !== 'honoured' && answer.showsIgnored;
	}

	/** Whether two answers begin in the same way, one requested from the beginning and one from far behind it. */
	get isSameForBoth(): boolean {
		return this.isSameFrom(() => true);
	}

	/** Whether the log has entries behind the offset from which such an answer was requested: some services answer one beyond the end with all. */
	get hasIgnored(): boolean {
		return this.isSameFrom(({ count, start }) => count > start);
	}

	private isSameFrom(isMeant: (answer: Answer) => boolean): boolean {
		const { known, answer, earlier } = this;
		if (known.isRepetitive || !answer.isFromBeginning) return false;
		const isFarBehind = (one: Answer) => one.requested === 'window' && one.start > MARGIN;
		return earlier.some((one) => isFarBehind(one) && isMeant(one) && answer.isAlike(one));
	}

	/** Whether the log was shown before from its beginning, as it is in this answer or otherwise; or it cannot be shown. */
	get wasShown(): boolean {
		const { answer, earlier } = this;
		if (answer.ending === 'broken' || (this.isSameForBoth && !answer.hasDropped)) return true;
		return earlier.some((one) => one.isFromBeginning && one.count > 0 && one.ending !== 'broken');
	}

	/** Whether only the number of the entries tells which of them are new, as far as nothing shows that the service honours the offset. */
	get isCounted(): boolean {
		const isCountable = this.unit === 'entries' || this.unit === 'bytes';
		const mayBeWrong = this.isUncertain && this.habit.offset !== 'honoured';
		return isCountable && mayBeWrong && !this.answer.isFromBeginning;
	}

	/** Whether the log repeats itself so that the place is where it is after the offset, although the answer may begin where the log does. */
	get isUncertain(): boolean {
		const { known, answer, count } = this;
		const { place, showsIgnored } = answer;
		if (known.isRepetitive) return true;
		return showsIgnored && place !== undefined && place.count < count && !this.isBehind(place);
	}

	/** Whether the service ignores the offset. */
	get isIgnored(): boolean {
		return this.habit.offset === 'beginning' || this.habit.offset === 'last';
	}

	/** Whether the answer has as many entries as were read. */
	get isLong(): boolean {
		return this.answer.count >= this.count;
	}

	/** Whether known lines came so late before that they may have been new: this answer is to show them again. */
	get isConfirming(): boolean {
		const isFound = this.earlier.some(({ place, loosePlace }) => place ?? loosePlace);
		return !this.known.isRepetitive && isFound;
	}

	/** Whether the answers have shown nothing but lines that are known: they may be new all the same. */
	get hasEqualLines(): boolean {
		const { isRepetitive, digests } = this.known;
		const isKnown = ({ digest }: { digest: string }) => digests.includes(digest);
		return isRepetitive && this.answers.every(({ entries }) => entries.every(isKnown));
	}

	/** Whether answers before this one have shown something. */
	get hasBefore(): boolean {
		return this.earlier.some((one) => this.isOfLog(one));
	}

	/** The place in a log that is known from its beginning, where each connection begins with lines of its own. */
	get greetedPlace(): Place | undefined {
		const { answer, earlier } = this;
		const before = earlier.findLast((one) => one.isFromBeginning);
		return before && answer.isFromBeginning ? greetedPlace(answer, before) : undefined;
	}

	/** Whether the answer can be a page: some entries that are known and nothing else. A line that is not may be one of a new log. */
	get isPage(): boolean {
		return this.pageOf(this.answer) !== undefined;
	}

	/**
	 * Whether the known log is there, both where it begins and from the offset on, but for its last lines: the store of the service is
	 * behind.
	 */
	get isBehindhand(): boolean {
		const page = this.answersTo('window').at(-1);
		if (!page?.isWhole || page.isFromBeginning || !this.isCertainPage(page)) return false;
		return this.answers.some((one) => one.isFromBeginning && one.beginsAsLog);
	}

	/** Whether the last known entries alone were searched before. Once, a gateway may have answered in place of the service. */
	get wasLastSearched(): boolean {
		const last = this.earlier.filter(({ known }) => known?.isLast);
		return last.length >= MAX_UNSEEN || last.some(({ count }) => count > 0);
	}

	/** Whether only the beginning has shown something so far: the known entries may be there, where each answer is short. */
	get isWindowUnseen(): boolean {
		const ofWindow = this.answersTo('window');
		const areEmpty = ofWindow.every(({ count }) => count === 0);
		return this.answer.requested === 'beginning' && ofWindow.length > 0 && areEmpty;
	}

	/** Whether this request of this search was lost too often. What shows nothing is no beginning of a log. */
	get isLostTooOften(): boolean {
		const { requested } = this.answer;
		const lost = this.answersTo(requested).filter(({ ending }) => ending === 'broken');
		if (requested === 'window') return lost.length >= MAX_LOST_IN_WINDOW;
		return lost.filter(({ count }) => count > 0).length >= MAX_LOST;
	}

	/** Whether the answer has brought nothing although entries are known. */
	get isEmpty(): boolean {
		return this.answer.count === 0;
	}

	/** Whether more of the answer cannot help. */
	get isExhausted(): boolean {
		const longest = Math.max(this.count, this.former?.position.offset.entries ?? 0);
		return this.answer.count > longest + MAX_BEYOND;
	}

	/** How many entries of a service that sends the last ones are new: undefined where there are fewer than in the answer before. */
	get fresh(): number | undefined {
		const { count } = this.answer;
		const before = this.history.findLast((one) => one !== this.answer && one.isWhole);
		return before && before.count <= count ? count - before.count : undefined;
	}

	/** Entries of the last whole answer from the known ones on: a service that ignores the offset sends as many for each. */
	get windowCount(): number {
		const isWindow = ({ requested, known, isWhole }: Answer) =>
			requested === 'window' && known?.isLast === false && isWhole;
		return this.history.findLast(isWindow)?.count ?? 0;
	}

	/** What all answers have shown. */
	get shown(): Shown {
		const { answer, earlier, hasEqualLines } = this;
		const lists = earlier.filter((one) => this.isOfLog(one)).map(({ entries }) => entries);
		return join([...lists, answer.entries], !hasEqualLines);
	}

	get patience(): Patience {
		return patienceOf(this);
	}

	/** The answers to one request of this search. */
	private answersTo(requested: Answer['requested']): Answer[] {
		const { known } = this.answer;
		return this.answers.filter((one) => one.requested === requested && one.known === known);
	}

	/** The answers to this search before the present one. */
	private get earlier(): Answer[] {
		return this.answers.slice(0, -1);
	}

	/** Whether the service ends its answers, and has not ended this one, which may be a page: known lines may still come. */
	get mayBePage(): boolean {
		const { answer } = this;
		const history = this.history.filter(({ requested }) => requested !== 'behind');
		const isEnded = (back: number) => history.at(-1 - back)?.ending === 'ended';
		if (!isEnded(1) || answer.requested !== 'window') return false;
		// A log that has ended may be empty from this offset on, because another one has begun
		return answer.count === 0 ? isEnded(2) : this.isPage;
	}

	/** Whether an answer shows more than entries before the place. */
	private isOfLog(answer: Answer): boolean {
		return answer.count > 0 && !this.isPromptPage(answer) && !this.isBefore(answer);
	}

	/** Whether it was lost before it came to the place, and is of the known log: another one may be as short. */
	private isBefore(answer: Answer): boolean {
		const { answers, habit, history } = this;
		if (answer.ending !== 'broken' || answer.place || answer.count >= this.count) return false;
		// What came after it shows that the log is still the known one
		const later = answers.slice(answers.indexOf(answer) + 1);
		if (answer.beginsAsLog && later.some((one) => this.isPromptPage(one))) return true;
		return (
			habit.offset === 'beginning' &&
			history.some((one) => !answers.includes(one) && answer.isBeginningOf(one))
		);
	}

	private isPromptPage(answer: Answer): boolean {
		return this.isCertainPage(answer) && answer.isPrompt && !this.habit.showsNewOnly;
	}

	/** How many entries that are known an answer has that can be a page of them. Where it begins before them, nothing shows what it is. */
	private pageOf(answer: Answer): number | undefined {
		const { position, digests } = this.known;
		if (answer.requested !== 'window') return undefined;
		const size = answer.pageOf(Math.max(0, this.count - digests.length - answer.start) + 1);
		if (size !== undefined && answer.count <= leadOf(position)) return MIN_PAGE;
		return size === 0 ? undefined : size;
	}

	isCertainPage(answer: Answer): boolean {
		return !this.known.isRepetitive && (this.pageOf(answer) ?? 0) >= MIN_PAGE;
	}

	private get windowStart(): LogOffset {
		const { isRepetitive, isLast, position, digests, lead } = this.known;
		if (this.unit === 'none') return BEGINNING;
		const wasLost = this.answers.some((one) => one.ending === 'broken');
		const hasMargin =
			this.unit === 'entries' && !(isRepetitive || isLast || this.habit.showsNewOnly || wasLost);
		const { from } = position;
		// No further: where the service has dropped older entries, their offsets are 0
		const first = Math.min(from.entries + lead.length, Math.max(0, this.count - digests.length));
		return { ...from, entries: hasMargin ? Math.max(0, first - MARGIN) : first };
	}
}
