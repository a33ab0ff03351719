import type { NodeError } from '../shared/http/errors';
import { knownOf, withKnown, type OperationContext } from '../shared/operation/context';

/**
 * Does the billed work of one item. n8n's Retry On Fail drops the error of each try but the last: what was billed and is of no
 * use is kept until then.
 * @throws the error of `work`, with what earlier tries were answered as `earlier`
 */
export async function withEarlier<T>(
	{ kept, itemIndex }: OperationContext,
	work: () => Promise<T>,
): Promise<T> {
	const key = `earlier:${itemIndex}`;
	const earlier = (kept.get(key) ?? []) as unknown[];
	try {
		return await work();
	} catch (caught) {
		const error = caught as NodeError;
		const { partial } = (error.context && knownOf(error)) ?? {};
		if (partial !== undefined) kept.set(key, [...earlier, partial]);
		if (earlier.length === 0 || !error.context) throw error;
		const what =
			earlier.length === 1 ? 'An earlier response' : `${earlier.length} earlier responses`;
		error.description = `${error.description ?? ''}\n${what} to this item may be billed too: see the error details, under earlier.`;
		throw withKnown(error, { earlier: earlier as string[] });
	}
}
