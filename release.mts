/**
 * `npx tsx release.mts 0.2.0` makes the release commit and its tag: what is under Unreleased in CHANGELOG.md becomes the section
 * of the version, and package.json and package-lock.json get the version. Nothing is pushed. `--check` fails unless the changelog
 * has a section for the version in package.json; .github/workflows/publish.yml asks for that before it publishes.
 *
 * `npm version` alone would not do: .npmrc turns its lifecycle scripts off, so no script of ours could change the changelog in
 * between. Only modules of Node.js are imported, so that the check runs without an installation.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CHANGELOG = 'CHANGELOG.md';
const UNRELEASED = '## [Unreleased]\n';
const VERSION = /^\d+\.\d+\.\d+$/;
/** The link of Unreleased: from the last tag to the newest commit, or all commits where there is no tag yet. */
const UNRELEASED_LINK =
	/^\[unreleased\]: (?<repository>https:\/\/github\.com\/[^/\s]+\/[^/\s]+)\/(?:compare\/(?<last>v\S+?)\.\.\.HEAD|commits)$/m;

/** The text under `## [version] - YYYY-MM-DD`; undefined where there is no such section, or nothing in it. */
export function sectionOf(changelog: string, version: string): string | undefined {
	const [, rest] = changelog.split(`\n## [${version}] - `);
	const text = /^\d{4}-\d{2}-\d{2}\n([\s\S]*?)(?=\n## \[|\n\[|$)/.exec(rest ?? '')?.[1];
	return text?.trim() || undefined;
}

/**
 * The changelog with what was unreleased under the version, and the links at its end renewed.
 * @param date YYYY-MM-DD
 * @throws where the version was released before, or nothing is unreleased
 */
export function released(changelog: string, version: string, date: string): string {
	if (!VERSION.test(version)) throw new Error(`"${version}" is not a version such as 0.2.0`);
	if (changelog.includes(`\n## [${version}]`))
		throw new Error(`${CHANGELOG} already has a section for ${version}`);
	const dated = changelog.replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
	if (sectionOf(dated, version) === undefined)
		throw new Error(`${CHANGELOG} has nothing under Unreleased`);
	const { repository, last } = UNRELEASED_LINK.exec(dated)?.groups ?? {};
	if (repository === undefined) throw new Error(`${CHANGELOG} has no link for Unreleased`);
	const tag = `v${version}`;
	const changes = last === undefined ? `releases/tag/${tag}` : `compare/${last}...${tag}`;
	return dated.replace(
		UNRELEASED_LINK,
		`[unreleased]: ${repository}/compare/${tag}...HEAD\n[${version}]: ${repository}/${changes}`,
	);
}

function run(command: string, ...args: string[]): string {
	return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function check(): void {
	const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
	if (sectionOf(readFileSync(CHANGELOG, 'utf8'), version) === undefined)
		throw new Error(`${CHANGELOG} has no section "## [${version}] - YYYY-MM-DD" with changes`);
}

function release(version: string): void {
	if (run('git', 'status', '--porcelain') !== '')
		throw new Error('Commit or stash your changes first');
	const today = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
	writeFileSync(CHANGELOG, released(readFileSync(CHANGELOG, 'utf8'), version, today));
	run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
	run('git', 'commit', '--all', '--message', `chore(release): ${version}`);
	run('git', 'tag', '--annotate', `v${version}`, '--message', `v${version}`);
	console.log(`Look at the commit, then publish it with: git push --follow-tags`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [argument = ''] = process.argv.slice(2);
	try {
		if (argument === '--check') check();
		else release(argument);
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	}
}
