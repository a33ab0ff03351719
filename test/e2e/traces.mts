import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { knownSecrets, secretIn } from '../engine/secrets.mts';
import type { Report } from '../report.mts';
import type { Home } from './n8n.mts';

/** The package itself and the files of running processes; everything else in the folder was written by n8n about what it did */
const NOT_SEARCHED = ['nodes', 'tmp'];

/**
 * Searches all that a stopped n8n has printed and saved for the secrets of its credentials: its log, its event log, and its
 * database with the data of all executions, the static data and the workflows. n8n keeps only the credentials encrypted
 */
export function checkTraces(report: Report, home: Home, log: string): void {
	const folder = join(home.folder, '.n8n');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.map((name) => join(folder, name))
		.filter(
			(file) =>
				!NOT_SEARCHED.includes(relative(folder, file).split('/')[0] ?? '') &&
				statSync(file).isFile(),
		);
	const texts = [
		['the log', log] as const,
		...files.map((file) => [relative(folder, file), readFileSync(file, 'latin1')] as const),
	];
	const found = texts.flatMap(([where, text]) => {
		const secret = secretIn(text);
		return secret === undefined ? [] : [`${where}: ${secret}`];
	});
	const megabytes = texts.reduce((sum, [, text]) => sum + text.length, 0) / 1e6;
	const saved = texts.find(([where]) => where === 'database.sqlite')?.[1].length ?? 0;
	console.log(
		`searched for ${knownSecrets()} secrets: the log and ${files.length} files, ${megabytes.toFixed(1)} MB`,
	);
	report.check('there was something to search', knownSecrets() > 0 && log !== '' && saved > 0);
	report.check(
		'no secret stands in what n8n has printed and saved',
		found.length === 0,
		found.join('\n'),
	);
}
