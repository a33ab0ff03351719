import { describe, expect, it } from 'vitest';
import { released, sectionOf } from '../../release.mts';

const REPOSITORY = 'https://github.com/owner/name';
const changelog = (body: string, link = 'commits') =>
	`# Changelog\n\n## [Unreleased]\n\n${body}[unreleased]: ${REPOSITORY}/${link}\n`;
const ADDED = '### Added\n\n- A node.\n\n';

describe('a release in the changelog', () => {
	it('the first one links to its tag', () => {
		expect(released(changelog(ADDED), '0.1.0', '2026-01-31')).toBe(
			`# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-31\n\n${ADDED}` +
				`[unreleased]: ${REPOSITORY}/compare/v0.1.0...HEAD\n[0.1.0]: ${REPOSITORY}/releases/tag/v0.1.0\n`,
		);
	});

	it('the next one links to the changes since the last', () => {
		const first = released(changelog(ADDED), '0.1.0', '2026-01-31');
		const more = first.replace('## [Unreleased]\n', '## [Unreleased]\n\n### Fixed\n\n- A word.\n');
		const second = released(more, '0.1.1', '2026-02-28');
		expect(sectionOf(second, '0.1.1')).toBe('### Fixed\n\n- A word.');
		expect(sectionOf(second, '0.1.0')).toBe(ADDED.trim());
		expect(second.split('\n').slice(-4)).toEqual([
			`[unreleased]: ${REPOSITORY}/compare/v0.1.1...HEAD`,
			`[0.1.1]: ${REPOSITORY}/compare/v0.1.0...v0.1.1`,
			`[0.1.0]: ${REPOSITORY}/releases/tag/v0.1.0`,
			'',
		]);
	});

	it.each([
		[released(changelog(ADDED), '0.1.0', '2026-01-31'), '0.1.0', 'already has a section for 0.1.0'],
		[changelog(''), '0.1.0', 'has nothing under Unreleased'],
		[changelog(ADDED).replace('[unreleased]', '[next]'), '0.1.0', 'has no link for Unreleased'],
		[changelog(ADDED), 'v0.1.0', '"v0.1.0" is not a version'],
	])('of %j as %s is an error: %s', (text, version, message) => {
		expect(() => released(text, version, '2026-03-31')).toThrow(message);
	});

	it('a section needs a date and a change', () => {
		expect(sectionOf('\n## [1.0.0] - Unreleased\n\n- A node.\n', '1.0.0')).toBeUndefined();
		expect(sectionOf('\n## [1.0.0] - 2026-01-31\n\n[1.0.0]: x\n', '1.0.0')).toBeUndefined();
		expect(sectionOf('\n## [1.0.0] - 2026-01-31\n\n- A node.\n', '1.0.0')).toBe('- A node.');
		expect(sectionOf('\n## [1.0.0] - 2026-01-31\n\n- A node.\n', '1.0.1')).toBeUndefined();
	});
});
