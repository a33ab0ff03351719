import { isFalse, isRecord } from '../guards';
import { ownWords } from './errors';

/** Words of a status that say that nothing was done. */
const REFUSALS =
	/^(?:fail(?:ed|ure)?|error|rejected|declined|denied|refused|invalid|insufficient.*)$/i;

/** Words of a status that say that it was done. */
const CONSENTS = /^(?:success\w*|succeeded|ok(?:ay)?|accepted|created|completed|done)$/i;

/** Words in place of an error that say that there is none. */
const NO_ERROR = /^\s*(?:none|null|nil|undefined|false|0|no(?: errors?)?|ok|success\w*)?\s*$/i;

/** Whether an `error` says something: some services send an empty one with each response, or say that there is none. */
export function saysError(error: unknown): boolean {
	if (typeof error === 'string') return !NO_ERROR.test(error);
	if (typeof error !== 'object' || error === null) return Boolean(error);
	return Object.values(error).some(saysError);
}

/** In words, the refusal that a service has put into a 2xx, such as `{"success": false, "error": "…"}`; undefined where there is none. */
export function refusalIn(answer: unknown): string | undefined {
	if (isDenial(answer)) return 'no';
	if (!isRecord(answer)) return undefined;
	const { success, ok, status, result, error, errors, detail } = answer;
	const words = [status, result].filter((word) => typeof word === 'string');
	const said = [answer.code, status, answer.statusCode, answer.status_code];
	const codes = said.filter((code) => typeof code === 'number');
	const isYes =
		[success, ok].some((one) => [true, 1, 'true'].includes(one as never)) ||
		words.some((word) => CONSENTS.test(word)) ||
		codes.some((code) => code >= 200 && code < 300) ||
		[answer.data, answer.results].some(hasContent);
	const isNo =
		saysNo(answer) ||
		saysError(error) ||
		// The retrieval engine's errors are `{message, error_type}` (beyond-the-spec.md section 6 "Envelope")
		saysError(answer.error_type) ||
		// Beside a success, or what was asked for, it tells of that
		(saysError(detail) && !isYes) ||
		// A number of them may count what a report lists
		(typeof errors !== 'number' && saysError(errors)) ||
		codes.some((code) => code >= 400) ||
		said.some((code) => isTextOfError(code, answer)) ||
		words.some((word) => REFUSALS.test(word));
	if (isNo) return ownWords('', JSON.stringify(answer)) || String(status ?? 'no');
	return refusalIn([answer.data, answer.results].find(isRefusal));
}

/** A code that is text may be that of anything. Beside a message it is the status of HTTP. */
function isTextOfError(code: unknown, { message, detail }: Record<string, unknown>): boolean {
	const isError = typeof code === 'string' && /^[45]\d\d$/.test(code);
	return isError && [message, detail].some((words) => typeof words === 'string' && words !== '');
}

/** Whether a flag in an answer, or in the content of one, says no. */
function saysNo(data: unknown): boolean {
	return isRecord(data) && [data.success, data.ok].some(isFalse);
}

/** Whether an envelope has something in it beside a refusal. */
function hasContent(data: unknown): boolean {
	if (Array.isArray(data)) return data.length > 0;
	return isRecord(data) && Object.keys(data).length > 0 && !isRefusal(data);
}

/** Whether the content of an envelope is a no to what was to be done, whatever is beside it. */
function isRefusal(data: unknown): boolean {
	return isDenial(data) || isOnlyRefusal(data) || saysNo(data);
}

/** Whether a value is a no alone: `false`, or `{"deleted": false}`. Of a read, and of what a model has written, it is the answer. */
function isDenial(value: unknown): boolean {
	const said = isRecord(value) ? Object.values(value) : [value];
	return said.length > 0 && said.every((one) => one === false);
}

/** Whether the content of an envelope says no, and not what it would say of a thing: a `failed` deployment is no refusal. */
function isOnlyRefusal(data: unknown): boolean {
	if (!isRecord(data)) return false;
	if (saysNo(data)) return Object.keys(data).every((key) => BESIDE_REFUSAL.test(key));
	const { error, message, ...others } = data;
	const isAlone = Object.keys(others).every((key) => /^(?:success|status|code|detail)$/.test(key));
	return isAlone && (saysError(error) || typeof message === 'string');
}

/** What an answer may have beside its refusal without saying anything else. */
const BESIDE_REFUSAL =
	/^(?:success|ok|status|status_?code|code|errors?|error_(?:type|code|description)|detail|message|msg|reason|type|request_?id|trace_?id|timestamp|path)$/i;

/** In words, the refusal of an answer that is nothing else; undefined where it has something that may be of use. */
export function refusalAlone(answer: unknown): string | undefined {
	if (!isRecord(answer)) return undefined;
	const hasMore = Object.entries(answer).some(
		([key, value]) => value !== null && !BESIDE_REFUSAL.test(key) && !isOnlyRefusal(value),
	);
	const { status, ...others } = answer;
	// Beside `data` it is the status of the envelope, which is read by whoever asked
	return hasMore ? undefined : refusalIn('data' in answer ? others : { ...others, status });
}
