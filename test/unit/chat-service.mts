import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { createCompletion, streamCompletion } from '../../nodes/intelligence/completion.ts';
import { INTELLIGENCE_CREDENTIALS } from '../../nodes/intelligence/credentials.ts';
import { DEFAULT_LIMITS, type RequestLimits } from '../../nodes/intelligence/requestLimits.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import type { RequestContext } from '../../nodes/shared/http/request.ts';
import { Body, functionsOf, type Answered, type Asked } from './log-parts.mts';

export interface Service {
	context: RequestContext;
	/** The body of each request. */
	asked: IDataObject[];
}

/** A service of models in this process that gives these answers, one to each request. */
export async function serviceOf(...answers: Answered[]): Promise<Service> {
	const asked: IDataObject[] = [];
	const answer = ({ body = '' }: Asked & { body?: string }): Answered => {
		asked.push(JSON.parse(body) as IDataObject);
		return answers[asked.length - 1] ?? { status: 410 };
	};
	const functions = functionsOf(answer, {
		getCredentials: async () =>
			await Promise.resolve({
				baseUrl: 'https://service.test',
				ragSegment: 'rag',
				apiKey: 'key-of-models',
				header: 'bearer',
			}),
	});
	const account = await openAccount(functions, INTELLIGENCE_CREDENTIALS);
	return { context: { functions, account, itemIndex: 2 }, asked };
}

/** An answer with this body, which ends, or breaks with an error. */
export const bodyOf = (text: string, end?: Error): Answered => ({
	body: new Body().write(text, end),
});

/** The body of a stream with these events. */
export const events = (...data: Array<object | string>): string =>
	data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('');

/** What a request without a stream gives for an answer with this body. */
export async function completed(text: string, body: IDataObject = {}): Promise<IDataObject> {
	const { context } = await serviceOf(bodyOf(text));
	return await createCompletion(context, body);
}

/** What a stream gives in the end. */
export async function streamed(
	{ context }: Service,
	body: IDataObject = {},
	limits: RequestLimits = DEFAULT_LIMITS,
): Promise<IDataObject> {
	const chunks = streamCompletion(context, body, limits);
	for (;;) {
		const next = await chunks.next();
		if (next.done) return next.value;
	}
}

/** What a piece of work throws; undefined where it does not. */
export const errorOf = async (work: Promise<unknown>) =>
	await work.then(
		() => undefined,
		(error: NodeApiError) => error,
	);
