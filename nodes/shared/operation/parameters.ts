import type {
	IDataObject,
	INode,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';
import { dateText } from '../dates';
import { isRecord, show } from '../guards';
import { operationError } from '../http/errors';
import { parseJson } from '../json';

/** A service identifier as the service gave it: some are integers, some are text (`12` beside `8H100.80S.176V`). */
export type Id = string | number;

type Field = INodeProperties | INodePropertyCollection | INodePropertyOptions;

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
	) {}

	/** Throws the error for a field, with its label as the person sees it: `Duration Hours must be …, got 0`. */
	fail(name: string, problem: string, description?: string): never {
		throw operationError(this.node, `${this.path}${this.label(name)} ${problem}`, {
			itemIndex: this.itemIndex,
			description,
		});
	}

	/** Whether an optional field holds something; only a field that is absent or blank does not. */
	has(name: string): boolean {
		const value = this.read(name);
		return value !== undefined && value !== '';
	}

	/** Whether an optional field was added, be it blank: reading it then says what is wrong with it. */
	isSet(name: string): boolean {
		return this.read(name) !== undefined;
	}

	/** A text that is not blank. Numbers from expressions are taken as text. */
	text(name: string): string {
		const value = this.read(name);
		const text = typeof value === 'number' ? String(value) : dateText(value);
		if (typeof text !== 'string') this.fail(name, `must be text, got ${show(value)}`);
		if (text.trim() === '') this.fail(name, 'is required and must not be empty');
		return text.trim();
	}

	/** A text that is taken as it is, with its blanks; it must hold more than blanks. */
	verbatim(name: string): string {
		this.text(name);
		return String(dateText(this.read(name)));
	}

	/** As {@link verbatim}; a list of texts from an expression becomes one text, joined by line breaks. */
	lines(name: string): string {
		const value = this.read(name);
		return Array.isArray(value) &&
			value.length > 0 &&
			value.every((line) => typeof line === 'string')
			? value.join('\n')
			: this.verbatim(name);
	}

	/**
	 * Several texts taken as they are: a list from an expression, or one text with its commas.
	 * @param mayBeBlank whether blanks and line breaks alone are a text, as where a model is to stop
	 */
	verbatimTexts(name: string, mayBeBlank = false): string[] {
		const value = this.read(name);
		const isText = (text: unknown): text is string =>
			typeof text === 'string' && (mayBeBlank ? text : text.trim()) !== '';
		if (!Array.isArray(value)) return [isText(value) ? value : this.verbatim(name)];
		if (value.length === 0) this.fail(name, 'is required: the list of texts is empty');
		return value.map((text: unknown, index) => {
			if (isText(text)) return text;
			return this.fail(
				name,
				`must contain texts that are not empty, got ${show(text)} at position ${index + 1}`,
			);
		});
	}

	/** As {@link verbatimTexts}, with none where the field is absent, blank or an empty list. */
	optionalTexts(name: string): string[] {
		const value = this.read(name);
		return !this.has(name) || (Array.isArray(value) && value.length === 0)
			? []
			: this.verbatimTexts(name);
	}

	optionalText(name: string): string | undefined {
		return this.has(name) ? this.text(name) : undefined;
	}

	/** A whole number within limits, also as text from an expression. */
	integer(name: string, limits: { min: number; max?: number }): number {
		const value = this.number(name);
		if (
			!Number.isSafeInteger(value) ||
			value < limits.min ||
			(limits.max !== undefined && value > limits.max)
		) {
			this.fail(name, `must be a whole number ${range(limits)}, got ${show(value)}`);
		}
		return value;
	}

	/** A blank number that was added to a collection is an error: an expression that finds nothing must not lift a limit. */
	optionalInteger(name: string, limits: { min: number; max?: number }): number | undefined {
		return this.read(name) === undefined ? undefined : this.integer(name, limits);
	}

	/** A finite number, also as text from an expression; decimals allowed. */
	number(name: string, limits?: { min: number; max?: number }): number {
		const value = this.read(name);
		const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		if (typeof parsed !== 'number' || !Number.isFinite(parsed))
			this.fail(name, `must be a number, got ${show(value)}`);
		if (limits && (parsed < limits.min || (limits.max !== undefined && parsed > limits.max))) {
			this.fail(name, `must be a number ${range(limits)}, got ${show(parsed)}`);
		}
		return parsed;
	}

	optionalNumber(name: string, limits?: { min: number; max?: number }): number | undefined {
		return this.read(name) === undefined ? undefined : this.number(name, limits);
	}

	/** A switch; text `true` and `false` from expressions are taken. */
	flag(name: string): boolean {
		const value = this.read(name);
		if (value === undefined || value === false || value === 'false') return false;
		if (value === true || value === 'true') return true;
		this.fail(name, `must be true or false, got ${show(value)}`);
	}

	/** A text, number or truth value as it is; an expression gives the type with the value. */
	scalar(name: string): string | number | boolean {
		const value = this.read(name);
		if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
			return value;
		this.fail(name, `must be text, a number, true or false, got ${show(value)}`);
	}

	/** Several of them: typed text is cut at its commas, what an expression gives stays as it is. */
	scalars(name: string): Array<string | number | boolean> {
		const value = this.read(name);
		if (typeof value === 'string') return this.texts(name);
		const list: unknown[] = Array.isArray(value) ? value : [value];
		return list.map((entry) =>
			new Parameters(this.node, this.itemIndex, this.fields, () => entry, this.path).scalar(name),
		);
	}

	choice<T extends string>(name: string, allowed: readonly T[]): T {
		const value = this.read(name);
		return (
			allowed.find((option) => option === value) ??
			this.fail(name, `must be one of ${allowed.join(', ')}, got ${show(value)}`)
		);
	}

	/** Several texts: a multiple-value field, an array from an expression, or one comma-separated text. Blank ones are dropped. */
	texts(name: string): string[] {
		const value = this.read(name);
		if (value === undefined || value === '') return [];
		const list = Array.isArray(value)
			? value
			: typeof value === 'string'
				? value.split(',')
				: [value];
		return list.flatMap((entry: unknown) => {
			if (typeof entry !== 'string' && typeof entry !== 'number')
				this.fail(name, `must be a list of texts, got ${show(value)}`);
			const text = String(entry).trim();
			return text === '' ? [] : [text];
		});
	}

	/** As {@link texts}, of an option that limits something: one that was added and holds nothing must not lift the limit. */
	optionalIds(name: string): string[] | undefined {
		const ids = this.isSet(name) ? this.texts(name) : undefined;
		return ids?.length === 0 ? this.fail(name, 'must contain at least one ID') : ids;
	}

	/** Throws this problem where a field was added and is blank or nothing, as an expression leaves it that finds nothing. */
	requireFilled(name: string, problem: string): void {
		const value = this.read(name);
		if (value === null || (typeof value === 'string' && value.trim() === ''))
			this.fail(name, problem);
	}

	/** A JSON object: typed as text, or an object from an expression. */
	object(name: string): IDataObject {
		const value = this.parsed(name);
		return isRecord(value)
			? (value as IDataObject)
			: this.fail(name, `must be a JSON object such as {"key": "value"}, got ${show(value)}`);
	}

	/** A JSON list: typed as text, or an array from an expression. */
	list(name: string): unknown[] {
		const value = this.parsed(name);
		return Array.isArray(value)
			? value
			: this.fail(name, `must be a JSON list such as ["a", "b"], got ${show(value)}`);
	}

	private parsed(name: string): unknown {
		const value = this.read(name);
		if (typeof value !== 'string') return value;
		const parsed = parseJson(value);
		return parsed === undefined
			? this.fail(name, `must be valid JSON, got ${show(value)}`)
			: parsed;
	}

	/**
	 * Exactly one identifier. One that was chosen from a live list keeps the type that the service gave it;
	 * of a typed or computed one, digits alone become an integer.
	 */
	id(name: string): Id {
		const raw = this.read(name);
		const value = single(isRecord(raw) && '__rl' in raw ? raw.value : raw);
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
		return this.checkedPathId(name, String(this.id(name)));
	}

	/** As {@link pathId}, for one of several values that were read otherwise. */
	checkedPathId(name: string, text: string): string {
		if (!/^[A-Za-z0-9._~:@+=-]+$/.test(text) || /^\.+$/.test(text)) {
			this.fail(name, `must contain only letters, digits and . _ ~ : @ + = -, got ${show(text)}`);
		}
		return text;
	}

	/** One or several path identifiers: an expression may give an array. */
	pathIds(name: string): string[] {
		const raw = this.read(name);
		const value = isRecord(raw) && '__rl' in raw ? raw.value : raw;
		if (!Array.isArray(value)) return [this.pathId(name)];
		if (value.length === 0) this.fail(name, 'is required: the list of IDs is empty');
		return value.map((id: unknown) =>
			new Parameters(this.node, this.itemIndex, this.fields, () => id, this.path).pathId(name),
		);
	}

	/** A collection (Filters, Options, Safety), as a form of its own. */
	group(name: string): Parameters {
		const value = this.has(name) ? this.read(name) : {};
		if (!isRecord(value)) this.fail(name, `must be an object, got ${show(value)}`);
		return this.inner(name, childFields(this.field(name)), value, '');
	}

	/** The rows of a fixed collection with multiple values, each as a form of its own. */
	rows(name: string, rowsName: string): Parameters[] {
		const value = this.has(name) ? this.read(name) : {};
		const rows = isRecord(value) ? (value[rowsName] ?? []) : value;
		const list: unknown[] = Array.isArray(rows) ? rows : [rows];
		const rowField = childFields(this.field(name)).find((child) => child.name === rowsName);
		return list.map((row, index) => {
			if (!isRecord(row)) this.fail(name, `must be a list of objects, got ${show(row)}`);
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

function childFields(field: Field | undefined): Field[] {
	if (field && 'values' in field) return field.values;
	return field && 'options' in field ? (field.options ?? []) : [];
}

/** An array of one, as an expression may give it, stands for its element. */
function single(value: unknown): unknown {
	return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function range({ min, max }: { min: number; max?: number }): string {
	return max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
}
