/**
 * The official package scanner, offline: its two legs (source and packed tarball) with its own rules, and the bars for
 * size and content of what is published. What it also does online, checking provenance, happens when a release exists.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, projectFolder, TARBALL_LIMIT, unpack } from './pack.mts';
import { Report } from './report.mts';

interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

interface Manifest {
	dependencies?: Record<string, string>;
	n8n: { nodes: string[]; credentials: string[] };
}

const TARBALL_PATTERNS = ['**/*.js', 'package.json'];
/** A longer one is minified: scanners of the supply chain and people cannot read it. */
const LINE_LIMIT = 2_000;
const EXPECTED = [
	/^(package\.json|README\.md|LICENSE|dist\/THIRD_PARTY_NOTICES\.md)$/,
	/^dist\/(index|(nodes|credentials)\/.+)\.js$/,
	/^dist\/nodes\/.+\.node\.json$/,
	/^dist\/nodes\/\w+\/__schema__\/v1\.0\.0\/\w+\/\w+\.json$/,
	/^dist\/icons\/.+\.svg$/,
];

const temp = mkdtempSync(join(tmpdir(), 'compute-scan-'));
// The scanner makes a folder for temporary files when it is loaded and never removes it: it goes into ours
process.env.TMPDIR = temp;
const scannerModule: string = '@n8n/scan-community-package/scanner/scanner.mjs';

try {
	await scan(new Report(), (await import(scannerModule)) as Scanner);
} finally {
	rmSync(temp, { recursive: true, force: true });
}

async function scan(report: Report, scanner: Scanner): Promise<void> {
	const leg = async (name: string, folder: string, patterns: string[]) => {
		const { passed, message, details } = await scanner.analyzePackage(folder, patterns);
		// "Nothing to look at" is a pass for the scanner, not for us
		report.check(
			name,
			passed && message === undefined,
			[message, details].filter(Boolean).join('\n'),
		);
	};

	await leg('scanner, source', projectFolder, scanner.SOURCE_FILE_PATTERNS);

	const tarball = pack(temp);
	const unpacked = join(temp, 'package');
	unpack(tarball, unpacked);
	await leg('scanner, packed tarball', unpacked, TARBALL_PATTERNS);

	const paths = tarball.files.map((file) => file.path);
	const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest;

	report.check('no runtime dependencies', Object.keys(manifest.dependencies ?? {}).length === 0);
	report.check(
		`tarball ${kilobytes(tarball.bytes)} of at most ${kilobytes(TARBALL_LIMIT)}`,
		tarball.bytes <= TARBALL_LIMIT,
	);
	const lines = paths
		.filter((path) => path.endsWith('.js'))
		.flatMap((path) => readFileSync(join(unpacked, path), 'utf8').split('\n'));
	const longest = lines.reduce((length, line) => Math.max(length, line.length), 0);
	report.check(`longest line ${longest} of at most ${LINE_LIMIT}`, longest <= LINE_LIMIT);

	const unexpected = paths.filter((path) => !EXPECTED.some((pattern) => pattern.test(path)));
	report.check(
		'only the expected files are packed',
		unexpected.length === 0,
		unexpected.join('\n'),
	);
	const missing = [
		'README.md',
		'LICENSE',
		...manifest.n8n.nodes,
		...manifest.n8n.credentials,
	].filter((path) => !paths.includes(path));
	report.check(
		'README, LICENSE and every listed node and credential are packed',
		missing.length === 0,
		missing.join('\n'),
	);

	await plantedViolations(report, scanner, unpacked);
	report.end();
}

/** A scanner that could not load its parser or its rules would pass everything: show that it still sees what is wrong */
async function plantedViolations(
	report: Report,
	scanner: Scanner,
	unpacked: string,
): Promise<void> {
	const planted = join(temp, 'planted');
	cpSync(join(unpacked, 'package.json'), join(planted, 'package.json'));
	const nodeFolder = join(planted, 'nodes', 'Planted');
	mkdirSync(nodeFolder, { recursive: true });
	writeFileSync(
		join(nodeFolder, 'Planted.node.ts'),
		'export const later = (run: () => void): void => { setTimeout(run, 1); };\n',
	);
	const source = await scanner.analyzePackage(planted, scanner.SOURCE_FILE_PATTERNS);
	report.check(
		'the scanner finds a forbidden global planted in TypeScript',
		isViolation(source, 'no-restricted-globals'),
	);

	writeFileSync(join(unpacked, 'dist', 'planted.js'), "require('node:fs');\n");
	const packed = await scanner.analyzePackage(unpacked, TARBALL_PATTERNS);
	report.check(
		'the scanner finds a forbidden import planted in JavaScript',
		isViolation(packed, 'no-restricted-imports'),
	);
}

function isViolation(result: { passed: boolean; details?: string }, rule: string): boolean {
	return !result.passed && (result.details ?? '').includes(rule);
}

function kilobytes(bytes: number): string {
	return `${(bytes / 1000).toFixed(1)} kB`;
}
