/**
 * The secrets of the test run. Whatever n8n would show, save or log of an execution is searched for the ones that stand in
 * any credential of any engine of the same file: in every test of vitest, without the test asking for it. Elsewhere (benchmarks
 * measure the package alone) a search is asked for by `expectNoSecret`.
 */
const known = new Map<string, { name: string; forms: string[] }>();

const isAlwaysOn = process.env.VITEST !== undefined;

/** Shorter ones stand in ordinary words. */
const SHORTEST = 8;
/** Fields of credentials that hold a secret, whatever the type of the credential. */
const SECRET_FIELD = /key|token|secret|pass/i;
const OTHER_FIELD = /url|uri|type|header/i;

/** Remembers every secret that stands in the data of a credential, at any depth. */
export function rememberSecrets(where: string, data: unknown, name = ''): void {
	if (typeof data === 'string') {
		if (!SECRET_FIELD.test(name) || OTHER_FIELD.test(name)) return;
		// Each line of a private key is one
		for (const secret of [data, ...data.split('\n').filter((line) => !line.startsWith('-----'))])
			if (secret.trim().length >= SHORTEST)
				known.set(secret.trim(), { name: `${where}: ${name}`, forms: formsOf(secret.trim()) });
		return;
	}
	if (typeof data !== 'object' || data === null) return;
	for (const [key, value] of Object.entries(data)) rememberSecrets(where, value, key);
}

/**
 * Forgets all of them. Files of tests share processes: which ones meet there is chance, and the key of one, such as a row of digits,
 * may be an ordinary text of another.
 */
export function forgetSecrets(): void {
	known.clear();
}

/** How many of them there are. */
export function knownSecrets(): number {
	return known.size;
}

/** As it is, as it stands in URLs, and as it stands in JSON. */
function formsOf(secret: string): string[] {
	return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])];
}

/**
 * Looks for secrets in a text, such as a log file.
 * @returns the secret's name and the text before it, without the secret; undefined where there is none
 */
export function secretIn(text: string): string | undefined {
	for (const { name, forms } of known.values()) {
		const at = forms.map((form) => text.indexOf(form)).find((place) => place >= 0);
		if (at !== undefined) return `${name} after "${text.slice(Math.max(0, at - 100), at)}"`;
	}
	return undefined;
}

/** Throws where a value holds a secret at any depth: in its keys and texts, in an error's message, stack, cause and context. */
export function expectNoSecret(what: string, value: unknown): void {
	const seen = new Set<unknown>();
	const waiting: unknown[] = [value];
	while (waiting.length > 0) {
		const next = waiting.pop();
		if (typeof next === 'string') {
			const found = secretIn(next);
			if (found !== undefined) throw new Error(`A secret stands in ${what}: ${found}`);
		}
		if (typeof next !== 'object' || next === null || seen.has(next)) continue;
		seen.add(next);
		waiting.push(...partsOf(next));
	}
}

/** What stands in an object, what is not enumerable too; nothing is called for it. */
function partsOf(value: object): unknown[] {
	if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1')];
	if (value instanceof Map || value instanceof Set) return [...value.entries()].flat();
	const descriptors = Object.entries(Object.getOwnPropertyDescriptors(value));
	return descriptors.flatMap(([key, descriptor]) => [key, descriptor.value as unknown]);
}

/** What was logged since the last search. */
const logged: unknown[] = [];

/** Keeps a line of a log for the next search. */
export function watchLog(line: unknown): void {
	if (isAlwaysOn) logged.push(line);
}

/** Waits for a piece of work of the package and searches what came of it, an error too, and what was logged meanwhile. */
export async function watched<T>(what: string, work: Promise<T>): Promise<T> {
	if (!isAlwaysOn) return await work;
	let result: unknown;
	try {
		const value = await work;
		result = value;
		return value;
	} catch (error) {
		result = error;
		throw error;
	} finally {
		expectNoSecret(what, result);
		expectNoSecret('the log', logged.splice(0));
	}
}
