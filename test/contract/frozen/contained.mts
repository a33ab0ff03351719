import type {
	Conditions,
	CredentialInterface,
	CredentialUse,
	NodeInterface,
	Parameter,
} from './describe.mts';
import type { Json } from './golden.mts';

/** Values that parameters of a saved workflow have, by name. */
type Saved = Record<string, Json>;

/** Defaults that nodes take for the same: a field that a new node shows, and nobody has filled in, sets nothing. */
const SAME_DEFAULTS: Record<string, Json[]> = {
	gpusPerVm: [0, ''],
	safety: [{}, { maxHourlyPrice: '', maxPrice: '' }],
};

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const holds = (values: Json[], value: Json): boolean => values.some((one) => same(one, value));

/**
 * What of a frozen node a saved workflow no longer finds in the present one; additions are none.
 * @returns a sentence for each break, beginning with the path of what broke
 */
export function nodeBreaks(frozen: NodeInterface, present: NodeInterface): string[] {
	const at = frozen.name;
	const methods = (kind: 'listSearch' | 'loadOptions'): string[] =>
		missing(frozen.methods[kind], present.methods[kind]).map(
			(name) => `${at}: ${kind} method ${name} is gone`,
		);
	return [
		...missing(frozen.versions, present.versions).map((one) => `${at}: version ${one} is gone`),
		...changes(at, frozen, present, ['group', 'inputs', 'outputs']),
		...(frozen.usableAsTool && !present.usableAsTool ? [`${at}: no longer a tool`] : []),
		...credentialBreaks(at, frozen, present),
		...methods('listSearch'),
		...methods('loadOptions'),
		...parameterBreaks(at, frozen.parameters, present.parameters),
	];
}

/** As {@link nodeBreaks}, of a credential type. */
export function credentialTypeBreaks(
	frozen: CredentialInterface,
	present: CredentialInterface,
): string[] {
	return [
		...changes(frozen.name, frozen, present, ['extends']),
		...parameterBreaks(frozen.name, frozen.parameters, present.parameters),
	];
}

function missing<T>(frozen: T[], present: T[]): T[] {
	return frozen.filter((one) => !present.includes(one));
}

function changes<T extends object>(
	at: string,
	frozen: T,
	present: T,
	keys: Array<keyof T & string>,
): string[] {
	return keys
		.filter((key) => !same(frozen[key], present[key]))
		.map((key) => `${at}: ${key} was ${text(frozen[key])}, is ${text(present[key])}`);
}

const text = (value: unknown): string => JSON.stringify(value) ?? 'not set';

/** With each way to authenticate, the same credentials are asked for as before. */
function credentialBreaks(at: string, frozen: NodeInterface, present: NodeInterface): string[] {
	const ways = frozen.parameters.find(({ name }) => name === 'authentication')?.values;
	const cases: Saved[] = ways?.map((authentication) => ({ authentication })) ?? [{}];
	return cases.flatMap((saved) => {
		const asked = (uses: CredentialUse[], isRequired: boolean): string[] =>
			uses
				.filter((use) => use.required === isRequired && isVisible(use, saved))
				.map(({ name }) => name)
				.sort();
		const needs = [frozen, present].map(({ credentials }) => asked(credentials, true));
		const gone = missing(asked(frozen.credentials, false), asked(present.credentials, false));
		return [
			...(same(needs[0], needs[1])
				? []
				: [`${at}: with ${text(saved)} it needed ${text(needs[0])}, now ${text(needs[1])}`]),
			...gone.map((name) => `${at}: with ${text(saved)} credential ${name} is gone`),
		];
	});
}

function isVisible({ show = {}, hide = {} }: Pick<Parameter, 'show' | 'hide'>, saved: Saved) {
	const meets = ([key, values]: [string, Json[]]): boolean => {
		const value = key === '@version' ? 1 : saved[key];
		return value !== undefined && holds(values, value);
	};
	return Object.entries(show).every(meets) && !Object.entries(hide).some(meets);
}

function parameterBreaks(at: string, frozen: Parameter[], present: Parameter[]): string[] {
	return frozen.flatMap((parameter) => {
		const where = `${at} > ${parameter.name}${parameter.show ? ` ${text(parameter.show)}` : ''}`;
		const found = combinations(parameter.show).flatMap((saved) => {
			const candidates = present.filter(
				(one) =>
					one.name === parameter.name && isStillShown(one, parameter, saved, frozen, present),
			);
			const breaks = candidates.map((one) => changedParameter(where, parameter, one));
			if (breaks.length === 0) {
				const isThere = present.some(({ name }) => name === parameter.name);
				return [`${where}: ${isThere ? `no longer shown with ${text(saved)}` : 'is gone'}`];
			}
			return breaks.find((list) => list.length === 0) ?? breaks[0] ?? [];
		});
		return [...new Set(found)];
	});
}

/** All combinations of the values that show a parameter. */
function combinations(show: Conditions = {}): Saved[] {
	return Object.entries(show).reduce<Saved[]>(
		(all, [key, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
		[{}],
	);
}

/**
 * Whether a present parameter shows where the frozen one did. A condition may be added on a new parameter whose default meets it:
 * a saved workflow does not have that parameter, so it takes the default.
 */
function isStillShown(
	candidate: Parameter,
	parameter: Parameter,
	saved: Saved,
	frozen: Parameter[],
	present: Parameter[],
): boolean {
	const byDefault = (key: string, values: Json[]): boolean =>
		!frozen.some(({ name }) => name === key) &&
		present.some((one) => one.name === key && holds(values, one.default));
	const shows = Object.entries(candidate.show ?? {}).every(([key, values]) => {
		if (key === '@version') return holds(values, 1);
		const value = saved[key];
		return value === undefined ? byDefault(key, values) : holds(values, value);
	});
	const hides = Object.entries(candidate.hide ?? {}).some(([key, values]) => {
		const value = key === '@version' ? 1 : saved[key];
		if (value !== undefined) return holds(values, value);
		return values.some((one) => !holds(parameter.hide?.[key] ?? [], one));
	});
	return shows && !hides;
}

function isSameDefault(frozen: Parameter, present: Parameter): boolean {
	const equals = SAME_DEFAULTS[frozen.name] ?? [];
	return holds(equals, frozen.default) && holds(equals, present.default);
}

/** Whether a text became a resource locator: n8n takes a text that is saved, and an expression, as its value. */
function becameLocator(frozen: Parameter, present: Parameter): boolean {
	return (
		frozen.type === 'string' &&
		frozen.default === '' &&
		present.type === 'resourceLocator' &&
		same(present.default, { mode: 'list', value: '' }) &&
		present.modes?.some(({ name, type }) => name === 'id' && type === 'string') === true
	);
}

function changedParameter(at: string, frozen: Parameter, present: Parameter): string[] {
	const values = (frozen.values ?? []).filter((value) => !holds(present.values ?? [], value));
	const modes = (frozen.modes ?? []).filter(
		(mode) => !present.modes?.some(({ name, type }) => name === mode.name && type === mode.type),
	);
	const groups = (frozen.groups ?? []).flatMap(({ name, parameters }) => {
		const group = present.groups?.find((one) => one.name === name);
		if (!group) return [`${at}: group ${name} is gone`];
		return parameterBreaks(`${at} > ${name}`, parameters, group.parameters);
	});
	return [
		...(becameLocator(frozen, present)
			? []
			: [
					...changes(at, frozen, present, ['type']),
					...(isSameDefault(frozen, present) ? [] : changes(at, frozen, present, ['default'])),
				]),
		...changes(at, frozen, present, ['multipleValues', 'password']),
		// What was optional may be empty in a saved workflow, and what took expressions may hold one
		...(present.required && !frozen.required ? [`${at}: is required now`] : []),
		...(present.noDataExpression && !frozen.noDataExpression ? [`${at}: no expressions now`] : []),
		...(frozen.loadOptionsMethod !== undefined && present.loadOptionsMethod === undefined
			? [`${at}: its options are no longer loaded`]
			: []),
		...values.map((value) => `${at}: option value ${text(value)} is gone`),
		...modes.map(({ name }) => `${at}: mode ${name} is gone`),
		...parameterBreaks(at, frozen.parameters ?? [], present.parameters ?? []),
		...groups,
	];
}
