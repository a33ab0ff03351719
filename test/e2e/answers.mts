import type { Execution, Rest } from './rest.mts';
import { until } from './until.mts';

/**
 * What a person does when an execution waits for one: sends the form that n8n shows, with a value for each field in order, or
 * follows a link that n8n has put into a message, such as its button *Approve*
 */
export type Answer = { form: string[] } | { link: RegExp };

const LONGEST_WAIT_MS = 60_000;

/** Gives an execution one answer after the other, each when the execution waits for it */
export async function answerAll(rest: Rest, executionId: string, answers: Answer[]): Promise<void> {
	let answered = '';
	for (const answer of answers) {
		const place = await until(
			`execution ${executionId} waits for a person`,
			async () => {
				const execution = await rest.execution(executionId);
				const found = execution.status === 'waiting' && placeOf(execution, answer);
				return found !== answered && found;
			},
			LONGEST_WAIT_MS,
		);
		answered = place;
		await send(place.split(' ', 1)[0] ?? '', answer);
	}
}

/** The address that takes the answer, and the node that waits for it: pages of one form have the same address */
function placeOf({ data }: Execution, answer: Answer): string | false {
	const { lastNodeExecuted = '', runData = {} } = data?.resultData ?? {};
	const run = runData[lastNodeExecuted]?.at(-1);
	const url =
		'form' in answer ? run?.metadata?.resumeFormUrl : linkIn(JSON.stringify(runData), answer.link);
	return url !== undefined && `${url} ${lastNodeExecuted}`;
}

function linkIn(text: string, wanted: RegExp): string | undefined {
	const links = text.match(/https?:\/\/[^"\\\s]+/g) ?? [];
	return links.findLast((link) => wanted.test(link));
}

async function send(url: string, answer: Answer): Promise<void> {
	const fields = new FormData();
	if ('form' in answer)
		for (const [index, value] of answer.form.entries()) fields.set(`field-${index}`, value);
	const response = await fetch(url, {
		// n8n takes a client that names no browser for a preview of the link, and does nothing
		headers: { connection: 'close', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0' },
		...('form' in answer && { method: 'POST', body: fields }),
	});
	if (!response.ok) throw new Error(`n8n answered ${response.status}: ${await response.text()}`);
}
