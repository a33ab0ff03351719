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

/**
 * The operators of beyond-the-spec.md sections 6 and 9. What matches is deleted, so each matches for certain or not at all:
 * values that cannot be compared are neither equal nor not equal, neither less nor greater. A field that is not there matches
 * none, as in the engine's database.
 */
const OPERATORS: Record<string, Test> = {
	$eq: isEqual,
	$ne: isOther,
	$neq: isOther,
	$gt: (value, wanted) => compare(value, wanted) > 0,
	$gte: (value, wanted) => compare(value, wanted) >= 0,
	$lt: (value, wanted) => compare(value, wanted) < 0,
	$lte: (value, wanted) => compare(value, wanted) <= 0,
	$in: (value, wanted) => listOf(value).some((one) => contains(wanted, one)),
	$nin: (value, wanted) =>
		listOf(value).every((one) => listOf(wanted).every((given) => isOther(one, given))),
	$overlap: (value, wanted) => listOf(value).some((one) => contains(wanted, one)),
	$contains: (value, wanted) => listOf(wanted).every((one) => contains(value, one)),
	$like: (value, wanted) => typeof value !== 'object' && isLike(String(value), String(wanted)),
	$ilike: (value, wanted) => OPERATORS.$like!(lowerCase(value), lowerCase(wanted)),
};

/** Those that compare with a list. */
const OF_LISTS = ['$in', '$nin', '$overlap', '$contains'];

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
		for (const [one, given] of Object.entries(value)) {
			if (OF_LISTS.includes(one) && !isFilled(given))
				return `${one} of ${key} needs a list with values`;
			const isSingle = !Array.isArray(given) && !isRecord(given);
			if (![...OF_LISTS, '$eq'].includes(one) && !isSingle)
				return `${one} of ${key} needs a single value`;
		}
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

/** Whether two values are the same for certain: their characters are, or the moment that they name. */
function isEqual(value: unknown, wanted: unknown): boolean {
	const moment = momentOf(value);
	if (moment !== undefined && moment === momentOf(wanted)) return true;
	if (typeof value !== 'object' && typeof wanted !== 'object')
		return String(value) === String(wanted);
	return JSON.stringify(value) === JSON.stringify(wanted);
}

/** Whether two values differ for certain: `007` and `7` may be the same number, a date and a text the same day. */
function isOther(value: unknown, wanted: unknown): boolean {
	const order = compare(value, wanted);
	if (!Number.isNaN(order)) return order !== 0 && !isSameText(value, wanted);
	// These may have no order, such as a file name that begins as a date does
	const areAlike = [isTruth, isName].some((isKind) => [value, wanted].every(isKind));
	return areAlike && !isSameText(value, wanted);
}

/** Whether two values are one text, spelled otherwise: an accent of its own, or the letters of a UUID in capitals. */
function isSameText(value: unknown, wanted: unknown): boolean {
	const [one, other] = [value, wanted].map((text) => {
		const whole = String(text).normalize();
		return UUID.test(whole) ? whole.toLowerCase() : whole;
	});
	return one === other;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function isTruth(value: unknown): boolean {
	return [true, false, 'true', 'false'].includes(value as never);
}

/** Whether a value is a text that names no moment. */
function isName(value: unknown): boolean {
	return typeof value === 'string' && momentOf(value) === undefined;
}

/**
 * The order of two values: numbers and the texts of numbers by value, dates by the moment that they name, texts by their
 * characters; NaN, which is no order, for anything else.
 */
function compare(value: unknown, wanted: unknown): number {
	const both = [value, wanted];
	if (both.every(isWhole)) return orderOf(BigInt(value as string), BigInt(wanted as string));
	if (both.every(isNumber)) return orderOf(Number(value), Number(wanted));
	// By its characters, "unknown" is more than "9", and "10.1.2" less
	if (both.some(isNumber)) return NaN;
	if (typeof value !== 'string' || typeof wanted !== 'string') return NaN;
	const [moment, other] = [momentOf(value), momentOf(wanted)];
	if (moment !== undefined && other !== undefined) return orderOf(moment, other);
	// By its characters, every date is before "Oct 24" and "Invalid DateTime"
	return both.some(isDated) ? NaN : orderOf(value, wanted);
}

function orderOf<T extends bigint | number | string>(one: T, other: T): number {
	return one < other ? -1 : Number(one > other);
}

/** Whether a value is a whole number, or the text of one: all its digits count. */
function isWhole(value: unknown): boolean {
	return isNumber(value) && /^\s*-?\d+\s*$/.test(String(value));
}

/** Whether a value is a number, or the text of one. JavaScript takes `true`, `[3]` and a blank for numbers, too. */
function isNumber(value: unknown): boolean {
	const isText = typeof value === 'string' && value.trim() !== '';
	return (isText || typeof value === 'number') && Number.isFinite(Number(value));
}

/** A month, a date, or a time of one, with or without a zone. */
const MOMENT =
	/^(\d{4}-\d\d)(?:(-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.(\d+))?)?) ?(?:Z|([+-]\d\d)(?::?(\d\d))?)?)?)?$/i;

/** Whether a value begins as a date does, such as `2026-04 (draft)`. */
function isDated(value: unknown): boolean {
	return /^\s*\d{4}-\d\d/.test(String(value));
}

/** The moment that a text names, in nanoseconds; undefined where it names none. Without a zone it is taken for one in UTC. */
function momentOf(value: unknown): bigint | undefined {
	const found = typeof value === 'string' ? MOMENT.exec(value.trim()) : undefined;
	const [, month, day = '-01', time = '00:00', part = '', hours = '+00', minutes = '00'] =
		found ?? [];
	const ms = Date.parse(`${month}${day}T${time}${hours}:${minutes}`);
	if (Number.isNaN(ms)) return undefined;
	// Databases keep more digits than the three that count here
	const nanoseconds = part.slice(3, 9).padEnd(6, '0');
	return BigInt(ms) * 1_000_000n + BigInt(nanoseconds);
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

function lowerCase(value: unknown): unknown {
	return typeof value === 'string' ? value.toLowerCase() : value;
}

/** A character that LIKE asks for; undefined where any will do. */
type Asked = string | undefined;

/** SQL's LIKE: `%` for any text, `_` for any character; without a regular expression, whose time a text could stretch. */
function isLike(value: string, pattern: string): boolean {
	const text = [...value];
	const fits = (at: number, part: Asked[]) =>
		part.every((asked, index) => asked === undefined || asked === text[at + index]);
	const [first, ...rest] = partsOf(pattern);
	if (!fits(0, first)) return false;
	const last = rest.pop();
	if (last === undefined) return text.length === first.length;
	let at = first.length;
	for (const part of rest) {
		while (at <= text.length && !fits(at, part)) at++;
		at += part.length;
	}
	// Also false where a part was not found
	return text.length - last.length >= at && fits(text.length - last.length, last);
}

/** What a pattern asks for between each `%`; after a backslash, `%`, `_` and the backslash stand for themselves, as in PostgreSQL. */
function partsOf(pattern: string): [Asked[], ...Asked[][]] {
	const parts: [Asked[], ...Asked[][]] = [[]];
	const characters = [...pattern];
	for (let at = 0; at < characters.length; at++) {
		const character = characters[at];
		const part = parts.at(-1)!;
		if (character === '%') parts.push([]);
		else if (character === '_') part.push(undefined);
		// A backslash at the end escapes nothing: no text fits
		else part.push(character === '\\' ? (characters[++at] ?? '') : character);
	}
	return parts;
}

function isFilled(value: unknown): boolean {
	return Array.isArray(value) && value.length > 0;
}
