import { show } from '../shared/guards';
import type { Parameters } from '../shared/operation/parameters';

/** A value of a metadata field. */
export type Scalar = string | number | boolean;

/** A text, number or truth value as it is: an expression gives the type with the value. */
export function readScalar(parameters: Parameters, name: string): Scalar {
	return scalarOf(parameters, name, parameters.value(name));
}

/** As {@link readScalar}, for one value of a list. Throws the error of the field. */
export function scalarOf(parameters: Parameters, name: string, value: unknown): Scalar {
	if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
		return value;
	return parameters.fail(name, `must be text, a number, true or false, got ${show(value)}`);
}
