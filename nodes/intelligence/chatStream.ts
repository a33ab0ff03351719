import { isTool, type OperationContext } from '../shared/operation/context';

/** What a chat shows after an answer that is not whole; the output says it in a field. */
export const CUT_OFF_NOTE = '\n\n(The answer was cut off.)';

/** Whether n8n streams this execution into a chat. The answer to a tool call is for the agent, not for the chat. */
export function isChat({ functions }: OperationContext): boolean {
	return functions.isStreaming() && !isTool(functions);
}

/**
 * Reads an answer that arrives in pieces, and shows them in n8n's chat if the execution streams into one.
 * @param textOf the text of a piece
 * @param ending what is shown after the answer, such as its sources
 * @param isShown whether it may be shown in a chat
 */
export async function readAnswer<Piece, Answer>(
	context: OperationContext,
	pieces: AsyncGenerator<Piece, Answer>,
	textOf: (piece: Piece) => string,
	ending: (answer: Answer) => string = () => '',
	isShown = isChat(context),
): Promise<Answer> {
	const { functions, itemIndex } = context;
	const show = async (text: string) => {
		// The type says void; awaiting the promise slows the stream down to the speed of the chat
		if (isShown && text !== '') await functions.sendChunk('item', itemIndex, text);
	};
	let isComplete = false;
	try {
		if (isShown) await functions.sendChunk('begin', itemIndex);
		let next = await pieces.next();
		for (; !next.done; next = await pieces.next()) await show(isShown ? textOf(next.value) : '');
		await show(isShown ? ending(next.value) : '');
		isComplete = true;
		return next.value;
	} finally {
		// If the chat has failed, the service must stop generating
		await pieces.return(undefined as never);
		if (isShown && isComplete) await functions.sendChunk('end', itemIndex);
		// n8n tells the chat of an error that ends the execution, but not of one that becomes an item
		if (isShown && !isComplete && functions.continueOnFail())
			await functions.sendChunk('error', itemIndex, 'The response ended early');
	}
}
