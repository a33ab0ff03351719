import { Expression } from 'n8n-workflow';

/** What n8n-workflow asks of an evaluator; it counts for all workflows of a process. */
interface Evaluator {
	acquire(caller: Expression): Promise<boolean>;
	release(caller: Expression): Promise<void>;
}

interface Internals {
	vmEvaluator?: Evaluator;
	prototype: { renderExpression(this: Expression, expression: string, data: unknown): unknown };
}

/**
 * Bounds n8n's old evaluator, which starts at once, as its default one is bound: an expression is evaluated only while an execution
 * runs, a trigger is activated or polls, or a form asks for a list. A trigger that is active has none of this, and so an
 * expression that it reads then fails in a real n8n.
 */
export function boundExpressions(): void {
	const internals = Expression as unknown as Internals;
	if (internals.vmEvaluator) return;
	const held = new WeakSet<Expression>();
	internals.vmEvaluator = {
		async acquire(caller) {
			const isNew = !held.has(caller);
			held.add(caller);
			return isNew;
		},
		async release(caller) {
			held.delete(caller);
		},
	};
	const { renderExpression } = internals.prototype;
	internals.prototype.renderExpression = function (expression, data) {
		if (!held.has(this)) throw new Error(`A real n8n does not evaluate "${expression}" here`);
		return renderExpression.call(this, expression, data);
	};
}
