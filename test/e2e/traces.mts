import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { knownSecrets, secretIn } from '../engine/secrets.mts';
import { credentialNames, packageName } from './manifest.mts';
import { logsOf, READY } from './n8n.mts';

/** The package itself; everything else in n8n's folder was written by n8n about what it did */
const NOT_SEARCHED = 'nodes';

/**
 * Searches all that n8n has printed and saved for the secrets of its credentials: its logs, its event log, and its database
 * with the data of all executions, the static data and the workflows. n8n keeps only the credentials encrypted.
 * @param home the home folder of that n8n
 * @throws an Error that names each secret and where it is, or when there is nothing to search
 */
export function expectNoTraces(home: string): void {
	const folder = join(home, '.n8n');
	const saved = filesIn(folder).filter(
		(file) => relative(folder, file).split('/')[0] !== NOT_SEARCHED,
	);
	const texts = [...saved, ...filesIn(logsOf(home))].map(
		(file) => [relative(home, file), textOf(file)] as const,
	);
	const isThere = (name: RegExp) => texts.some(([file, text]) => name.test(file) && text !== '');
	if (knownSecrets() > 0 && !(isThere(/database\.sqlite$/) && isThere(/\.log$/)))
		throw new Error(`${home} has nothing to search for secrets`);
	const found = texts.flatMap(([file, text]) => {
		const secret = secretIn(text);
		return secret === undefined ? [] : [`${file}: ${secret}`];
	});
	if (found.length > 0)
		throw new Error(`secrets in what n8n has printed and saved:\n${found.join('\n')}`);
}

/**
 * What n8n printed about the package while it loaded it, at each start: nothing when all is well.
 * @param home the home folder of that n8n
 */
export function loaderWarnings(home: string): string[] {
	return filesIn(logsOf(home))
		.flatMap((file) => (textOf(file).split(READY, 1)[0] ?? '').split('\n'))
		.filter((line) => [packageName, ...credentialNames].some((name) => line.includes(name)));
}

function filesIn(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}

/** A database that is in use has files that come and go */
function textOf(file: string): string {
	return existsSync(file) ? readFileSync(file, 'latin1') : '';
}
