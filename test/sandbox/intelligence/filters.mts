import { isRecord } from '../core/guards.mts';

type Test = (value: unknown, wanted: unknown) => boolean;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Numbers as numbers, everything else as text. */
const order = (a: unknown, b: unknown): number =>
	typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));

const like =
	(flags: string): Test =>
	(value, wanted) => {
		const pattern = String(wanted)
			.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
			.replaceAll('%', '.*')
			.replaceAll('_', '.');
		return new RegExp(`^${pattern}$`, `s${flags}`).test(String(value));
	};

/** The comparisons of a search filter (beyond-the-spec.md section 6, "Search"). */
const tests: Record<string, Test> = {
	$eq: (value, wanted) => value === wanted,
	$neq: (value, wanted) => value !== wanted,
	$gt: (value, wanted) => order(value, wanted) > 0,
	$gte: (value, wanted) => order(value, wanted) >= 0,
	$lt: (value, wanted) => order(value, wanted) < 0,
	$lte: (value, wanted) => order(value, wanted) <= 0,
	$like: like(''),
	$ilike: like('i'),
	$in: (value, wanted) => listOf(value).some((one) => listOf(wanted).includes(one)),
	$nin: (value, wanted) => !listOf(value).some((one) => listOf(wanted).includes(one)),
	$contains: (value, wanted) => listOf(wanted).every((one) => listOf(value).includes(one)),
	$overlap: (value, wanted) => listOf(value).some((one) => listOf(wanted).includes(one)),
};

/** Whether a chunk's fields meet a filter; a name that is not a field is looked up in the metadata. */
export function meets(filter: unknown, fields: Record<string, unknown>): boolean {
	if (!isRecord(filter)) return true;
	return Object.entries(filter).every(([key, wanted]) => {
		if (key === '$and') return listOf(wanted).every((part) => meets(part, fields));
		if (key === '$or') return listOf(wanted).some((part) => meets(part, fields));
		const name = key.replace(/^metadata\./, '');
		const metadata = isRecord(fields.metadata) ? fields.metadata : {};
		const value = Object.hasOwn(fields, name) ? fields[name] : metadata[name];
		if (!isRecord(wanted)) return value === wanted;
		return Object.entries(wanted).every(
			([test, operand]) => tests[test]?.(value, operand) ?? false,
		);
	});
}
