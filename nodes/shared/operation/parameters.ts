import type { IDataObject, INode } from 'n8n-workflow';
import { dateText } from '../dates';
import { isRecord, segmentProblem, show } from '../guards';
import { operationError } from '../http/errors';
import { parseJson } from '../json';
import { childFields, isSecret, shownOf, type Field } from './secretFields';

/** A service identifier as the service gave it: some are integers, some are text (`12` beside `8H100.80S.176V`). */
export type Id = string | number;

interface TextOptions {
	/** Default true. */
	trim?: boolean;
}

/** Limits of a number, both included. */
interface Limits {
	min?: number;
	max?: number;
	integer?: true;
}

/**
 * Gives undefined where the field was not added. One that was added and is blank stays an error: an expression that finds nothing
 * must not lift a limit.
 */
interface Optional {
	optional: true;
}

/**
 * One item's parameters, read by name and checked against the limits of the specification before anything is sent.
 * Each reader returns a valid value or throws a NodeOperationError that names the field, the value and the limit.
 */
export class Parameters {
	constructor(
		private readonly node: INode,
		private readonly itemIndex: number,
		private readonly fields: Field[],
		private readonly read: (name: string) => unknown,
		private readonly path = '',
		/** The field that holds these, where they are secret. */
		private readonly secretAround?: Field,
		/** The values as they are saved in the node, expressions among them. */
		private readonly saved: unknown = node.parameters,
	) {}

	/** Throws the error for a field, with its label as the person sees it: `Duration Hours must be …, got 0`. */
	fail(name: string, problem: string, description?: string): never {
		throw operationError(this.node, `${this.path}${this.label(name)} ${problem}`, {
			itemIndex: this.itemIndex,
			description,
		});
	}

	/** A wrong value of a field for a message, without what must not be seen. */
	shown(name: string, value: unknown): string {
		return shownOf(this.secretAround ?? this.field(name), value);
	}

	/** Whether an optional field holds something; only a field that is absent or blank does not. */
	has(name: string): boolean {
		const value = chosen(this.read(name));
		return value !== undefined && value !== '';
	}

	/** Whether a person has left the field empty in the form. A blank that an expression gives is none. */
	isLeftEmpty(name: string): boolean {
		const isEmpty = (value: unknown) => value === '' || value === null;
		return isRecord(this.saved) && isEmpty(this.saved[name]) && isEmpty(this.read(name));
	}

	/** The value as it is; undefined only where an optional field was not added. */
	value(name: string): unknown {
		return this.read(name);
	}

	/**
	 * A text that is not blank; numbers from expressions are taken as text.
	 * @param options `trim: false` keeps the white space around it; `optional` gives undefined where the field is absent or blank
	 */
	text(name: string, options?: TextOptions): string;
	text(name: string, options: TextOptions & Optional): string | undefined;
	text(name: string, options: TextOptions & Partial<Optional> = {}): string | undefined {
		if (options.optional && !this.has(name)) return undefined;
		const value = this.read(name);
		const text = Number.isFinite(value) ? String(value) : dateText(value);
		if (typeof text !== 'string') this.fail(name, `must be text, got ${this.shown(name, value)}`);
		if (text.trim() === '')
			this.fail(
				name,
				options.optional ? 'must not be white space alone' : 'is required and must not be empty',
			);
		return options.trim === false ? text : text.trim();
	}

	/**
	 * Several texts: a multiple-value field, a list from an expression, or one text that is split at its commas; blank ones are
	 * dropped, and there may be none. With `split: false` they are taken as they are, and there must be one at least.
	 * @param options `mayBeBlank`: with `split: false`, whether white space alone is a text, as where a model is to stop
	 */
	texts(name: string, options: { split?: boolean; mayBeBlank?: boolean } = {}): string[] {
		const value = this.read(name);
		if (options.split === false) return this.unsplitTexts(name, value, options.mayBeBlank);
		if (value === undefined || value === '') return [];
		const list = typeof value === 'string' ? value.split(',') : listOf(value);
		return list.flatMap((entry) => {
			if (typeof entry !== 'string' && typeof entry !== 'number')
				this.fail(name, `must be a list of texts, got ${show(value)}`);
			const text = String(entry).trim();
			return text === '' ? [] : [text];
		});
	}

	private unsplitTexts(name: string, value: unknown, mayBeBlank = false): string[] {
		const isText = (text: unknown): text is string =>
			typeof text === 'string' && (mayBeBlank ? text : text.trim()) !== '';
		if (!Array.isArray(value)) return [isText(value) ? value : this.text(name, { trim: false })];
		if (value.length === 0) this.fail(name, 'is required: the list of texts is empty');
		return value.map((text: unknown, index) => {
			if (isText(text)) return text;
			return this.fail(
				name,
				`must contain texts that are not empty, got ${show(text)} at position ${index + 1}`,
			);
		});
	}

	/** A finite number within limits, also as text from an expression; see {@link Limits}. */
	number(name: string, limits?: Limits): number;
	number(name: string, limits: Limits & Optional): number | undefined;
	number(name: string, limits: Limits & Partial<Optional> = {}): number | undefined {
		const value = this.read(name);
		if (limits.optional && value === undefined) return undefined;
		const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		if (typeof parsed !== 'number' || !Number.isFinite(parsed))
			this.fail(name, `must be a number, got ${show(value)}`);
		const { min = -Infinity, max = Infinity, integer } = limits;
		if (parsed < min || parsed > max || (integer && !Number.isSafeInteger(parsed)))
			this.fail(
				name,
				`must be a ${integer ? 'whole ' : ''}number ${range(limits)}, got ${show(parsed)}`,
			);
		return parsed;
	}

	/** A whole number within limits, also as text from an expression; see {@link Limits}. */
	integer(name: string, limits: Limits): number;
	integer(name: string, limits: Limits & Optional): number | undefined;
	integer(name: string, limits: Limits & Partial<Optional>): number | undefined {
		return this.number(name, { ...limits, integer: true } as Limits & Optional);
	}

	/** A switch; text `true` and `false` from expressions are taken. */
	flag(name: string): boolean {
		const value = this.read(name);
		if (value === undefined || value === false || value === 'false') return false;
		if (value === true || value === 'true') return true;
		this.fail(name, `must be true or false, got ${show(value)}`);
	}

	choice<T extends string>(name: string, allowed: readonly T[]): T {
		const value = this.read(name);
		return (
			allowed.find((option) => option === value) ??
			this.fail(name, `must be one of ${allowed.join(', ')}, got ${show(value)}`)
		);
	}

	/** Throws this problem where a field was added and is blank or nothing, as an expression leaves it that finds nothing. */
	requireFilled(name: string, problem: string): void {
		const value = this.read(name);
		if (value === null || (typeof value === 'string' && value.trim() === ''))
			this.fail(name, problem);
	}

	/** A JSON object or list: typed as text, or what an expression gives. */
	json(name: string, kind: 'object'): IDataObject;
	json(name: string, kind: 'list'): unknown[];
	json(name: string, kind: 'object' | 'list'): unknown {
		const given = this.read(name);
		const value = typeof given === 'string' ? parseJson(given) : given;
		if (value === undefined && typeof given === 'string')
			this.fail(name, `must be valid JSON, got ${this.shown(name, given)}`);
		if (kind === 'object' ? isRecord(value) : Array.isArray(value)) return value;
		const example = kind === 'object' ? '{"key": "value"}' : '["a", "b"]';
		this.fail(name, `must be a JSON ${kind} such as ${example}, got ${this.shown(name, value)}`);
	}

	/**
	 * Exactly one identifier. One that was chosen from a live list keeps the type that the service gave it;
	 * of a typed or computed one, digits alone become an integer.
	 */
	id(name: string): Id {
		const raw = this.read(name);
		const value = single(chosen(raw));
		if (Array.isArray(value)) this.fail(name, `must be exactly one value, got ${value.length}`);
		if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
		if (typeof value !== 'string') this.fail(name, `must be an identifier, got ${show(value)}`);
		const text = value.trim();
		if (text === '') this.fail(name, 'is required: choose one from the list or enter its ID');
		const keepText = isRecord(raw) && raw.mode === 'list';
		return !keepText && /^(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text))
			? Number(text)
			: text;
	}

	/**
	 * Exactly one identifier that becomes a segment of the request's path. Stricter than {@link id}: some proxies decode
	 * `%2F` and `%2e` again, and the request would then reach another endpoint.
	 */
	pathId(name: string): string {
		const text = String(this.id(name));
		const problem = segmentProblem(text);
		return problem === undefined ? text : this.fail(name, problem);
	}

	/** One or several path identifiers: an expression may give an array. */
	pathIds(name: string): string[] {
		const raw = this.read(name);
		const value = chosen(raw);
		if (!Array.isArray(value)) return [this.pathId(name)];
		if (value.length === 0) this.fail(name, 'is required: the list of IDs is empty');
		return value.map((id: unknown) =>
			new Parameters(this.node, this.itemIndex, this.fields, () => id, this.path).pathId(name),
		);
	}

	/** A collection (Filters, Options, Safety), as a form of its own. */
	group(name: string): Parameters {
		const value = this.has(name) ? this.read(name) : {};
		if (!isRecord(value)) this.fail(name, `must be an object, got ${this.shown(name, value)}`);
		return this.inner(name, childFields(this.field(name)), value, '');
	}

	/** The rows of a fixed collection with multiple values, each as a form of its own. */
	rows(name: string, rowsName: string): Parameters[] {
		const value = this.has(name) ? this.read(name) : {};
		const rows = isRecord(value) ? (value[rowsName] ?? []) : value;
		const list = listOf(rows);
		const rowField = childFields(this.field(name)).find((child) => child.name === rowsName);
		return list.map((row, index) => {
			if (!isRecord(row))
				this.fail(name, `must be a list of objects, got ${this.shown(name, row)}`);
			return this.inner(name, childFields(rowField), row, ` ${index + 1}`);
		});
	}

	private inner(
		name: string,
		fields: Field[],
		values: Record<string, unknown>,
		suffix: string,
	): Parameters {
		const read = (key: string) => (Object.hasOwn(values, key) ? (values[key] ?? null) : undefined);
		return new Parameters(
			this.node,
			this.itemIndex,
			fields,
			read,
			`${this.path}${this.label(name)}${suffix}: `,
			this.secretAround ?? (isSecret(this.field(name)) ? this.field(name) : undefined),
			isRecord(this.saved) ? this.saved[name] : undefined,
		);
	}

	private field(name: string): Field | undefined {
		return this.fields.find((field) => field.name === name);
	}

	private label(name: string): string {
		const field = this.field(name);
		return field && 'displayName' in field ? field.displayName : name;
	}
}

/** What a resource locator holds: n8n takes it out of those of a node, but not of those in a collection. */
function chosen(value: unknown): unknown {
	return isRecord(value) && '__rl' in value ? value.value : value;
}

/** An array of one, as an expression may give it, stands for its element. */
function single(value: unknown): unknown {
	return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [value];
}

function range({ min, max }: Limits): string {
	return max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
}
