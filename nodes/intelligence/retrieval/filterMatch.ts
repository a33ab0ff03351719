import type { IDataObject } from 'n8n-workflow';
import { isRecord, show } from '../../shared/guards';

/** Fields of a document beside its metadata (beyond-the-spec.md section 6 "Documents"). */
const FIELDS = new Set([
	'collection_ids',
	'created_at',
	'document_type',
	'id',
	'ingestion_status',
	'owner_id',
	'size_in_bytes',
	'summary',
	'title',
	'updated_at',
	'version',
]);

type Test = (value: unknown, wanted: unknown) => boolean;

/** The operators of beyond-the-spec.md sections 6 and 9. A field that is not there matches none of them, as in the engine's database. */
const OPERATORS: Record<string, Test> = {
	$eq: isEqual,
	$ne: (value, wanted) => !isEqual(value, wanted),
	$neq: (value, wanted) => !isEqual(value, wanted),
	$gt: (value, wanted) => compare(value, wanted) > 0,
	$gte: (value, wanted) => compare(value, wanted) >= 0,
	$lt: (value, wanted) => compare(value, wanted) < 0,
	$lte: (value, wanted) => compare(value, wanted) <= 0,
	$in: (value, wanted) => listOf(value).some((one) => contains(wanted, one)),
	$nin: (value, wanted) => !listOf(value).some((one) => contains(wanted, one)),
	$overlap: (value, wanted) => listOf(value).some((one) => contains(wanted, one)),
	$contains: (value, wanted) => listOf(wanted).every((one) => contains(value, one)),
	$like: (value, wanted) => isLike(String(value), String(wanted)),
	$ilike: (value, wanted) => isLike(String(value).toLowerCase(), String(wanted).toLowerCase()),
};

/** What in a filter cannot be evaluated here, in words; undefined where all can. */
export function unknownIn(filter: IDataObject): string | undefined {
	// It would match every document
	if (Object.keys(filter).length === 0) return 'a condition is empty';
	for (const [key, value] of Object.entries(filter)) {
		if (key === '$and' || key === '$or') {
			if (!Array.isArray(value) || value.length === 0 || !value.every((one) => isRecord(one)))
				return `${key} needs a list of conditions`;
			const inside = (value as IDataObject[]).map(unknownIn).find((one) => one !== undefined);
			if (inside !== undefined) return inside;
			continue;
		}
		if (key.startsWith('$')) return `${key} is not known`;
		if (!isRecord(value)) continue;
		if (Object.keys(value).length === 0) return `${key} has no condition`;
		const operator = Object.keys(value).find((one) => !Object.hasOwn(OPERATORS, one));
		if (operator !== undefined) return `${show(operator)} of ${key} is not known`;
		const list = Object.entries(value).find(([one, given]) => needsList(one) && !isFilled(given));
		if (list) return `${list[0]} of ${key} needs a list with values`;
	}
	return undefined;
}

/** Whether a document passes a filter, of which {@link unknownIn} knows all. */
export function matches(document: IDataObject, filter: IDataObject): boolean {
	return Object.entries(filter).every(([key, wanted]) => {
		if (key === '$and') return (wanted as IDataObject[]).every((one) => matches(document, one));
		if (key === '$or') return (wanted as IDataObject[]).some((one) => matches(document, one));
		const value = valueOf(document, key);
		if (value === undefined || value === null) return false;
		const tests = isRecord(wanted) ? Object.entries(wanted) : [['$eq', wanted] as const];
		return tests.every(([operator, given]) => OPERATORS[operator]?.(value, given));
	});
}

/** The value of a field such as `document_id`, `title`, `metadata.topic` or, for short, `topic`. */
function valueOf(document: IDataObject, key: string): unknown {
	const field = key === 'document_id' ? 'id' : key;
	if (FIELDS.has(field)) return document[field];
	const path = (key.startsWith('metadata.') ? key.slice('metadata.'.length) : key).split('.');
	return path.reduce<unknown>(
		(value, part) => (isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined),
		document.metadata,
	);
}

function isEqual(value: unknown, wanted: unknown): boolean {
	if (typeof value !== 'object' && typeof wanted !== 'object')
		return String(value) === String(wanted);
	return JSON.stringify(value) === JSON.stringify(wanted);
}

/** Numbers by value, dates by the moment that they name, texts by their characters; NaN, which is no order, for anything else. */
function compare(value: unknown, wanted: unknown): number {
	if ([value, wanted].every(isWhole)) {
		const difference = BigInt(String(value)) - BigInt(String(wanted));
		return difference < 0n ? -1 : Number(difference > 0n);
	}
	const [one, other] = [Number(value), Number(wanted)];
	const areNumbers = [value, wanted].every((given) => String(given).trim() !== '');
	if (areNumbers && Number.isFinite(one) && Number.isFinite(other)) return one - other;
	if (typeof value !== 'string' || typeof wanted !== 'string') return NaN;
	const [time, otherTime] = [timeOf(value), timeOf(wanted)];
	if (time !== undefined && otherTime !== undefined) return time - otherTime;
	// By its characters, every date is before "Oct 24" and "Invalid DateTime"
	if ([value, wanted].some(isDated) && ![value, wanted].every(isDated)) return NaN;
	return value < wanted ? -1 : Number(value > wanted);
}

/** Whether a value is a whole number, or the text of one: all its digits count. */
function isWhole(value: unknown): boolean {
	return /^\s*-?\d+\s*$/.test(String(value));
}

/** A date, or a time of one, with or without a zone. */
const TIME =
	/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Whether a text begins as a date does, such as `2026-04`. */
function isDated(text: string): boolean {
	return /^\s*\d{4}-\d\d/.test(text);
}

/** The moment that a text names; undefined where it names none. Without a zone it is taken for one in UTC. */
function timeOf(text: string): number | undefined {
	const [, date, time = '00:00', zone = 'Z'] = TIME.exec(text.trim()) ?? [];
	const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
	const moment = Date.parse(`${date}T${time}${sign}${hours}:${minutes}`);
	return Number.isNaN(moment) ? undefined : moment;
}

/** A whole number that is larger than those that are exact: other digits may have been meant. */
export function roundedIn(filter: unknown): number | undefined {
	if (typeof filter === 'number')
		return Number.isInteger(filter) && !Number.isSafeInteger(filter) ? filter : undefined;
	if (typeof filter !== 'object' || filter === null) return undefined;
	return Object.values(filter)
		.map(roundedIn)
		.find((one) => one !== undefined);
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [value];
}

function contains(list: unknown, value: unknown): boolean {
	return listOf(list).some((one) => isEqual(one, value));
}

/** SQL's LIKE: `%` for any text, `_` for any character; without a regular expression, whose time a text could stretch. */
function isLike(text: string, pattern: string): boolean {
	const parts = pattern.split('%');
	const fits = (at: number, part: string) =>
		at + part.length <= text.length &&
		[...part].every((character, index) => character === '_' || character === text[at + index]);
	const [first = '', ...rest] = parts;
	if (!fits(0, first)) return false;
	const last = rest.pop();
	if (last === undefined) return text.length === first.length;
	let at = first.length;
	for (const part of rest) {
		while (at <= text.length && !fits(at, part)) at++;
		if (at > text.length) return false;
		at += part.length;
	}
	return text.length - last.length >= at && fits(text.length - last.length, last);
}

function needsList(operator: string): boolean {
	return ['$in', '$nin', '$overlap', '$contains'].includes(operator);
}

function isFilled(value: unknown): boolean {
	return Array.isArray(value) && value.length > 0;
}
