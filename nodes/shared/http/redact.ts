import { isRecord } from '../guards';
import { parseJson } from '../json';

/** Replaces each secret in a text that a person or a log will see. */
export type Redact = (text: string) => string;

/** Shorter ones are left alone: replacing them would tear ordinary words out of a message. */
const SHORTEST_SECRET = 6;

/** All secrets in one pass: a log is searched as it arrives, and an expression that is a group takes half the time of `replaceAll`. */
export function redactor(secrets: unknown[]): Redact {
	const forms = formsOf(secrets);
	if (forms.length === 0) return (text) => text;
	// The longer ones first: a secret may be the beginning of another
	const literals = forms
		.sort((one, other) => other.length - one.length)
		.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
	const anySecret = new RegExp(`(?:${literals.join('|')})`, 'g');
	return (text) => text.replace(anySecret, '***');
}

/** Whether a text of an answer has to be read as it is, although a secret may hold the same characters. */
export type IsOpen = (key: string, text: string) => boolean;

/** As {@link redactor}, for secrets that a person has chosen, such as `deployment`: of JSON the texts are searched, and it stays JSON. */
export function contentRedactor(secrets: unknown[], isOpen: IsOpen): Redact {
	const redact = redactor(secrets);
	const inside = (value: unknown, key: string): unknown => {
		if (typeof value === 'string') return isOpen(key, value) ? value : redact(value);
		if (Array.isArray(value)) return value.map((one) => inside(one, ''));
		if (!isRecord(value)) return value;
		return Object.fromEntries(
			Object.entries(value).map(([name, one]) => [
				PLAIN_KEY.test(name) ? name : redact(name),
				inside(one, name),
			]),
		);
	};
	return (text) => {
		const content = parseJson(text);
		return typeof content === 'object' && content !== null
			? JSON.stringify(inside(content, ''))
			: redact(text);
	};
}

/** Looks like a key of the service. */
const PLAIN_KEY = /^[a-z][a-zA-Z_]*$/;

/** The forms in which secrets may be repeated. */
function formsOf(secrets: unknown[]): string[] {
	const forms = secrets
		.filter((value) => typeof value === 'string')
		// What is sent is trimmed; pasted with a line break it is the same secret
		.flatMap((value) => [value, value.trim()])
		.filter((secret) => secret.trim().length >= SHORTEST_SECRET)
		.flatMap((secret) => [secret, ...encoded(secret)]);
	return [...new Set(forms)];
}

function encoded(secret: string): string[] {
	const bytes = Buffer.from(secret);
	const json = inJson(secret);
	return [
		// Half a character has no such form
		encodeURIComponent(bytes.toString()),
		json,
		inJson(json),
		json.replace(/[\u0080-\uffff]/g, inAscii),
		secret.replace(/[&<>"']/g, (character) => ENTITIES[character]!),
		bytes.toString('base64').replace(/=+$/, ''),
		bytes.toString('base64url'),
	];
}

function inJson(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

function inAscii(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};
