import type { Parameters } from '../../shared/operation/parameters';
import { compileFilter, type Pattern } from '../../shared/regex/filter';

/**
 * Reads an optional parameter that holds a regular expression.
 * @throws where the expression is not supported, with the construct and its position
 */
export function readPattern(parameters: Parameters, name: string): Pattern | undefined {
	const source = parameters.text(name, { optional: true });
	if (source === undefined) return undefined;
	const pattern = compileFilter(source);
	return 'problem' in pattern ? parameters.fail(name, pattern.problem, pattern.advice) : pattern;
}
