import type { ProductContext } from '../../../marketplace/product';
import { isRecord } from '../../../shared/guards';
import { contextError, isTool } from '../../../shared/operation/context';

/**
 * A model that writes commands runs what it likes, with what is on the VM: a person allows it, in the form and not by an expression.
 * @throws where an AI agent calls the node without that
 */
export function requireAllowed(context: ProductContext): void {
	const options: unknown = context.functions.getNode().parameters.options;
	if (!isTool(context.functions) || (isRecord(options) && options.allowAiAgents === true)) return;
	throw contextError(context, {
		message:
			'Jobs are not allowed for AI agents. Nothing was sent. A person must add the option Allow AI Agents to this node and turn it on',
	});
}
