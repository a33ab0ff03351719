import { isRecord } from '../../../core/guards.mts';

/** A filter that the engine cannot turn into SQL; it answers 500 with these words. */
export class FilterError extends Error {}

/** A row of the engine's table of chunks. */
export interface Row {
	document_id: string;
	owner_id: string;
	collection_ids: readonly string[];
	metadata: Record<string, unknown>;
	[column: string]: unknown;
}

/** As in SQL: true, false, or null where a value is missing. */
type Truth = boolean | null;

const COLUMNS = ['id', 'document_id', 'owner_id', 'created_at', 'updated_at', 'status', 'text'];
const OPERATORS = [
	...['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$nin', '$like', '$ilike'],
	...['$overlap', '$contains', '$json_contains', '$and', '$or'],
];

const not = (truth: Truth): Truth => (truth === null ? null : !truth);
const and = (parts: Truth[]): Truth =>
	parts.includes(false) ? false : parts.includes(null) ? null : true;
const or = (parts: Truth[]): Truth =>
	parts.includes(true) ? true : parts.includes(null) ? null : false;

/** Whether a row meets a filter in R2R 3.6, by the SQL that its `apply_filters` builds. */
export function meetsInSql(filter: Record<string, unknown>, row: Row): boolean {
	return truthOf(filter, row) === true;
}

function truthOf(filter: Record<string, unknown>, row: Row): Truth {
	return and(
		Object.entries(filter).map(([key, wanted]) => {
			if (key !== '$and' && key !== '$or') return ofField(key, wanted, row);
			if (!Array.isArray(wanted)) throw new FilterError(`'${key}' value must be a list`);
			const parts = wanted.filter(isRecord).map((part) => truthOf(part, row));
			return key === '$and' ? and(parts) : or(parts);
		}),
	);
}

function ofField(field: string, wanted: unknown, row: Row): Truth {
	const [operator, operand] = single(wanted);
	if (field === 'collection_ids') return ofCollections(operator ?? '$overlap', operand, row);
	if (COLUMNS.includes(field)) return ofColumn(operator ?? '$eq', operand, row[field]);
	return ofMetadata(field.replace(/^metadata\./, ''), wanted, row);
}

/** The only key of a condition and its value; a bare value has no operator. */
function single(wanted: unknown): [operator: string | undefined, operand: unknown] {
	if (!isRecord(wanted)) return [undefined, wanted];
	const entries = Object.entries(wanted);
	if (entries.length !== 1) throw new FilterError('a condition must have a single key');
	return entries[0] as [string, unknown];
}

function ofCollections(operator: string, operand: unknown, { collection_ids: ids }: Row): Truth {
	if (!['$overlap', '$contains', '$in', '$nin'].includes(operator))
		throw new FilterError(`Unsupported operator '${operator}' for 'collection_ids'`);
	if (!Array.isArray(operand)) throw new FilterError(`'${operator}' requires a list of UUIDs`);
	if (operator === '$contains') return operand.every((id) => ids.includes(String(id)));
	const hasAny = operand.some((id) => ids.includes(String(id)));
	return operator === '$nin' ? !hasAny : hasAny;
}

function ofColumn(operator: string, operand: unknown, value: unknown): Truth {
	if (operator === '$in' || operator === '$nin') {
		if (!Array.isArray(operand)) throw new FilterError(`'${operator}' requires a list value`);
		return operand.includes(value) === (operator === '$in');
	}
	const compared = comparison(operator, value, operand);
	if (compared !== undefined) return compared;
	throw new FilterError(`Unsupported operator '${operator}' for standard column`);
}

function ofMetadata(path: string, wanted: unknown, row: Row): Truth {
	const [key, operand] = single(wanted);
	// What is no operator is taken for the next key of the path
	if (key !== undefined && !OPERATORS.includes(key))
		return ofMetadata(`${path}.${key}`, operand, row);
	const operator = key ?? '$eq';
	const value = path
		.split('.')
		.reduce<unknown>((now, part) => (isRecord(now) ? now[part] : undefined), row.metadata);
	switch (operator) {
		case '$in':
			return hasAnyText(value, operand);
		case '$nin':
			return not(hasAnyText(value, operand));
		case '$contains':
			if (!Array.isArray(operand)) throw new FilterError(`'${operator}' requires a list value`);
			return value === undefined ? null : contains(value, operand);
		case '$json_contains':
			return value === undefined ? null : contains(value, operand);
	}
	const shown = textOf(value);
	const converted =
		shown === null
			? null
			: typeof operand === 'boolean'
				? booleanOf(shown)
				: typeof operand === 'number'
					? numericOf(shown)
					: shown;
	// `IS NOT NULL AND` stands before the casts
	if (shown === null && typeof operand !== 'string') return false;
	const compared = comparison(operator, converted, operand);
	if (compared !== undefined) return compared;
	throw new FilterError(`Unsupported operator '${operator}' for metadata field '${path}'.`);
}

/** `?|`: a text, or one in a list, or a key; a number is none of them. */
function hasAnyText(value: unknown, operand: unknown): Truth {
	if (!Array.isArray(operand)) throw new FilterError('requires list value');
	if (value === undefined) return null;
	const texts = operand.map((one) =>
		typeof one === 'boolean' ? (one ? 'True' : 'False') : String(one),
	);
	const has = (one: unknown) => typeof one === 'string' && texts.includes(one);
	if (isRecord(value)) return Object.keys(value).some(has);
	return Array.isArray(value) ? value.some(has) : has(value);
}

/** `@>`: a list contains each element, an object each key, a list also a bare scalar. */
function contains(value: unknown, wanted: unknown): boolean {
	if (Array.isArray(value))
		return (Array.isArray(wanted) ? wanted : [wanted]).every((one) =>
			value.some((element) => contains(element, one)),
		);
	if (isRecord(value) && isRecord(wanted))
		return Object.entries(wanted).every(([key, one]) => contains(value[key], one));
	return value === wanted;
}

/** `->>`. */
function textOf(value: unknown): string | null {
	if (value === undefined || value === null) return null;
	return typeof value === 'string' ? value : JSON.stringify(value);
}

function numericOf(text: string): number {
	if (Number.isNaN(Number(text || NaN)))
		throw new FilterError(`invalid input syntax for type numeric: "${text}"`);
	return Number(text);
}

function booleanOf(text: string): boolean {
	if (text !== 'true' && text !== 'false')
		throw new FilterError(`invalid input syntax for type boolean: "${text}"`);
	return text === 'true';
}

/** A comparison of two values of one type; undefined for another operator. */
function comparison(operator: string, value: unknown, operand: unknown): Truth | undefined {
	if (operator === '$like' || operator === '$ilike') {
		if (typeof operand !== 'string') throw new FilterError(`'${operator}' requires a string value`);
		const source = operand
			.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
			.replaceAll('%', '.*')
			.replaceAll('_', '.');
		return value === null
			? null
			: new RegExp(`^${source}$`, operator === '$like' ? 's' : 'si').test(String(value));
	}
	const [a, b] = [value as string, operand as string];
	const results: Record<string, boolean> = {
		$eq: a === b,
		$ne: a !== b,
		$lt: a < b,
		$lte: a <= b,
		$gt: a > b,
		$gte: a >= b,
	};
	return operator in results && value === null ? null : results[operator];
}

const same = (a: unknown, b: unknown): boolean => (Array.isArray(a) ? a.includes(b) : a === b);

const DOCUMENTED: Record<string, (value: unknown, operand: unknown) => boolean> = {
	$eq: same,
	$neq: (value, operand) => !same(value, operand),
	$gt: (value, operand) => (value as number) > (operand as number),
	$gte: (value, operand) => (value as number) >= (operand as number),
	$lt: (value, operand) => (value as number) < (operand as number),
	$lte: (value, operand) => (value as number) <= (operand as number),
	$in: (value, operand) => (operand as unknown[]).some((one) => same(value, one)),
	$nin: (value, operand) => !(operand as unknown[]).some((one) => same(value, one)),
	$overlap: (value, operand) => (operand as unknown[]).some((one) => same(value, one)),
	$like: (value, operand) => comparison('$like', value, operand) === true,
	$ilike: (value, operand) => comparison('$ilike', value, operand) === true,
};

/** Whether a row meets a filter by the engine's documentation (beyond-the-spec.md section 6), which has the operators of MongoDB. */
export function meetsAsDocumented(filter: Record<string, unknown>, row: Row): boolean {
	return Object.entries(filter).every(([key, wanted]) => {
		if (key === '$and') return (wanted as Row[]).every((part) => meetsAsDocumented(part, row));
		if (key === '$or') return (wanted as Row[]).some((part) => meetsAsDocumented(part, row));
		const field = key.replace(/^metadata\./, '');
		const value = field in row ? row[field] : row.metadata[field];
		return Object.entries(isRecord(wanted) ? wanted : { $eq: wanted }).every(
			([operator, operand]) => {
				const test = DOCUMENTED[operator];
				if (!test) throw new FilterError(`Unknown operator '${operator}'`);
				return test(value, operand);
			},
		);
	});
}
