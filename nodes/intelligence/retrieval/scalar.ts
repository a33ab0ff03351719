import { show } from '../../shared/guards';
import type { Parameters } from '../../shared/operation/parameters';

/** A value of a metadata field. */
export type Scalar = string | number | boolean;

/** A text, number or truth value as it is: an expression gives the type with the value. */
export function readScalar(parameters: Parameters, name: string): Scalar {
	return scalarOf(parameters, name, parameters.value(name));
}

/** As {@link readScalar}, for one value of a list. Throws the error of the field. */
export function scalarOf(parameters: Parameters, name: string, value: unknown): Scalar {
	if (typeof value === 'string' || typeof value === 'boolean') return value;
	// JSON has no NaN and no Infinity: they would be sent as null
	if (typeof value === 'number' && Number.isFinite(value)) return value;
	const given = typeof value === 'number' ? String(value) : show(value);
	return parameters.fail(name, `must be text, a number, true or false, got ${given}`);
}
