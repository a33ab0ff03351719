import type { ISupplyDataFunctions } from 'n8n-workflow';
import { operationError } from '../shared/http/errors';

/**
 * The session of the chat: the field `sessionId` of the input, or else of the first item of the workflow's chat trigger, which is
 * where n8n's own memories look for it.
 * @throws where there is none
 */
export function chatSession(functions: ISupplyDataFunctions, itemIndex: number): string {
	const own = evaluate('{{ $json.sessionId }}');
	const trigger = own === '' ? functions.getChatTrigger()?.name : undefined;
	const session =
		trigger === undefined
			? own
			: evaluate(`{{ $(${JSON.stringify(trigger)}).first().json.sessionId }}`);
	if (session !== '') return session;
	throw operationError(functions.getNode(), 'No session ID found', {
		itemIndex,
		description:
			"The input has no field 'sessionId', which a chat trigger adds. Choose Define Below to use something else.",
	});

	function evaluate(expression: string): string {
		const value = functions.evaluateExpression(expression, itemIndex);
		return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	}
}
