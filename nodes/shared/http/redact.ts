import { isRecord } from '../guards';
import { parseAnswer } from '../json';

/**
 * Replaces each secret in a text that a person or a log will see.
 * @param isCut whether the text goes on, so that a secret may begin at its end
 */
export type Redact = (text: string, isCut?: boolean) => string;

/** Shorter ones are left alone: replacing them would tear ordinary words out of a message. */
const SHORTEST_SECRET = 6;

/** Replaces the secrets of a credential, in the forms in which a service or a log repeats a key. */
export function redactor(secrets: unknown[]): Redact {
	const redact = replacing(formsOf(secrets, encoded));
	const numbers = numbersOf(secrets);
	// Replaced as text, a number would leave JSON that nobody can read
	return numbers.size > 0 ? inContent(redact, numbers, () => false) : redact;
}

/** All forms in one pass: a log is searched as it arrives, and an expression that is a group takes half the time of `replaceAll`. */
function replacing(forms: string[]): Redact {
	if (forms.length === 0) return (text) => text;
	// The longer ones first: a secret may be the beginning of another
	const literals = forms
		.sort((one, other) => other.length - one.length)
		.map((secret) => secret.replace(/[^A-Za-z0-9]/g, expressionOf));
	const anySecret = new RegExp(`(?:${literals.join('|')})`, 'g');
	return (text, isCut) => {
		const shown = text.replace(anySecret, '***');
		return isCut ? withoutBeginning(shown, forms) : shown;
	};
}

/** A text without the secret that begins at its end. Fewer characters than the shortest secret has show little, and may be an ordinary word. */
function withoutBeginning(text: string, forms: string[]): string {
	const lengths = forms.map((secret) => {
		let length = Math.min(secret.length - 1, text.length);
		while (length >= SHORTEST_SECRET && !text.endsWith(secret.slice(0, length))) length--;
		return length;
	});
	const longest = Math.max(...lengths);
	return longest < SHORTEST_SECRET ? text : `${text.slice(0, -longest)}***`;
}

/** Encoders of JSON escape these, or may. */
const ESCAPED = /["\\/&<>+='\u0080-\uffff]/;

/**
 * A character of a secret in an expression, in all forms that it may have in JSON, in JSON inside of JSON, and in a page, whose encoders
 * may write any character as its number.
 */
function expressionOf(character: string): string {
	const literal = character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');
	const number = character.charCodeAt(0);
	const hex = number.toString(16);
	const name = ENTITIES[character];
	const inPage = `(?:&|\\\\{1,4}u0026)(?:amp;)*(?:#0*${number}|#[xX]0*(?:${hex}|${hex.toUpperCase()})${name === undefined ? '' : `|${name}`});`;
	if (!ESCAPED.test(character)) return `(?:${literal}|${inPage})`;
	const code = hex.padStart(4, '0');
	// A backslash is escaped by another one
	const escaped = character === '\\' ? '\\\\{1,8}' : `\\\\{0,7}${literal}`;
	return `(?:${escaped}|\\\\{1,4}u(?:${code}|${code.toUpperCase()})|${inPage})`;
}

/** Whether a text of an answer has to be read as it is, although a secret may hold the same characters. */
export type IsOpen = (key: string, text: string) => boolean;

/** As {@link redactor}, for secrets that a person has chosen, such as `deployment`: of JSON the texts are searched, and it stays JSON. */
export function contentRedactor(secrets: unknown[], isOpen: IsOpen): Redact {
	return inContent(replacing(formsOf(secrets, oftenEncoded)), numbersOf(secrets), isOpen);
}

function inContent(redact: Redact, numbers: Set<number>, isOpen: IsOpen): Redact {
	const inside = (value: unknown, key: string): unknown => {
		if (typeof value === 'string') return isOpen(key, value) ? value : redact(value);
		if (typeof value === 'number')
			return numbers.has(value) && !isOpen(key, String(value)) ? '***' : value;
		if (Array.isArray(value)) return value.map((one) => inside(one, ''));
		if (!isRecord(value)) return value;
		return Object.fromEntries(
			Object.entries(value).map(([name, one]) => [
				PLAIN_KEY.test(name) ? name : redact(name),
				inside(one, name),
			]),
		);
	};
	return (text, isCut) => {
		// What is read of it must not be rounded on the way: an ID may have 19 digits
		const content = parseAnswer(text);
		return typeof content === 'object' && content !== null
			? JSON.stringify(inside(content, ''))
			: redact(text, isCut);
	};
}

/** Looks like a key of the service. */
const PLAIN_KEY = /^[a-z][a-zA-Z_]*$/;

/** Secrets that a service may repeat as numbers of JSON, which may be written in other ways: `12345678` as `1.2345678e7`. */
function numbersOf(secrets: unknown[]): Set<number> {
	const numbers = secrets
		.filter((value) => typeof value === 'string')
		.map((value) => value.trim())
		.filter((secret) => secret.length >= SHORTEST_SECRET && /^-?\d+(\.\d+)?$/.test(secret));
	return new Set(numbers.map(Number));
}

function formsOf(secrets: unknown[], encode: (secret: string) => string[]): string[] {
	const forms = secrets
		.filter((value) => typeof value === 'string')
		// What is sent is trimmed; pasted with a line break it is the same secret
		.flatMap((value) => [value, value.trim()])
		.filter((secret) => secret.trim().length >= SHORTEST_SECRET)
		.flatMap((secret) => [secret, ...encode(secret)]);
	return [...new Set(forms)];
}

/**
 * In a URL; in JSON, which a service or a proxy may have put into JSON of its own; in a page; and in Base64, in which a header may have
 * it.
 */
function encoded(secret: string): string[] {
	const json = inJson(secret);
	const twice = inJson(json);
	// Half a character has no form for URLs
	const url = encodeURIComponent(Buffer.from(secret).toString());
	const lowerCase = url.replace(/%../g, (code) => code.toLowerCase());
	const page = secret.replace(/[&<>"']/g, (character) => `&${ENTITIES[character]!};`);
	const digits = base64Forms(secret);
	return [
		...[url, lowerCase, page, json, twice, inJson(twice)],
		...digits,
		...digits.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
	];
}

/** Also in the settings of a registry, which are JSON in Base64 and have the login in Base64, too. */
function oftenEncoded(secret: string): string[] {
	return [...encoded(secret), ...base64Forms(secret).flatMap(inBase64)];
}

/** Of the secret itself, and of what it is in JSON. */
function base64Forms(secret: string): string[] {
	return [...new Set([secret, inJson(secret)])].flatMap(inBase64);
}

/** A text that was encoded as a whole, or within a longer one, where the digits at its ends belong to its neighbors as well. */
function inBase64(text: string): string[] {
	const whole = Buffer.from(text).toString('base64').replace(/=+$/, '');
	const within = [0, 1, 2].map((before) => {
		const bytes = Buffer.from('-'.repeat(before) + text);
		return bytes
			.toString('base64')
			.slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
	});
	return [whole, ...within];
}

function inJson(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

const ENTITIES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

/** A value without the secrets of an account: in pieces that came one by one, none was found. */
export function redactedIn<T>({ redact }: { redact: Redact }, value: T): T {
	const whole = JSON.stringify(value);
	const shown = redact(whole);
	return shown === whole ? value : (JSON.parse(shown) as T);
}
