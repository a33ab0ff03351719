import Table from 'cli-table3';
import type { IDataObject } from 'n8n-workflow';
import { startEngine } from '../../engine/engine.mts';
import { sandboxCredentials } from '../../engine/start.mts';
import { useHaste } from '../../engine/time.mts';
import { Report } from '../../report.mts';
import { startSandbox, type LogFormat, type ResumeHabits } from '../../sandbox/index.mts';
import { play, type Plan, type Result } from './scenario.mts';

/** Of each kind; `npm run test:logs -- 200` plays more or fewer. */
const DISCONNECTS = Number(process.argv[2] ?? 1_000);
const EACH = 25;
const AT_ONCE = 12;
/** Pauses between connections are cut to a fraction: many disconnects matter here, and not their pace. */
const HASTE = Number(process.env.HASTE ?? 20);

const base = { disconnects: EACH, restarts: 2, restart: 'clean' as const, options: {} };
const units: Array<[string, ResumeHabits, IDataObject]> = [
	['entries', {}, {}],
	['bytes', { unit: 'bytes' }, { offsetUnit: 'bytes' }],
	['event ID', { unit: 'eventId' }, { offsetUnit: 'eventId' }],
];
const formats: LogFormat[] = ['sse', 'lines'];
const withOffset: Plan[] = units.flatMap(([unit, resume, options]) =>
	formats
		.filter((format) => unit !== 'event ID' || format === 'sse')
		.map((format) => ({ ...base, name: `offset in ${unit}, ${format}`, format, resume, options })),
);
const groups: Array<{ name: string; plans: Plan[]; duplicates: 'none' | 'counted' | 'in flight' }> =
	[
		{ name: 'with offset', plans: withOffset, duplicates: 'none' },
		{
			name: 'without offset',
			plans: formats.flatMap((format) => [
				{ ...base, name: `offset ignored, ${format}`, format, resume: { ignoresOffset: true } },
				{
					...base,
					name: `no offset, ${format}`,
					format,
					resume: { ignoresOffset: true },
					options: { offsetUnit: 'none' },
				},
			]),
			duplicates: 'counted',
		},
		{
			name: 'killed',
			plans: withOffset.map((plan) => ({ ...plan, restarts: 5, restart: 'kill' })),
			duplicates: 'in flight',
		},
	];

useHaste(HASTE);
const sandbox = await startSandbox();
const engine = await startEngine(sandboxCredentials(sandbox));
const report = new Report();
const table = new Table({
	head: ['', 'disconnects', 'restarts', 'lines', 'lost', 'duplicated', 'in flight at a restart'],
	style: { head: [], border: [] },
});
let seed = 1;

for (const { name, plans, duplicates } of groups) {
	const jobs = Array.from({ length: Math.ceil(DISCONNECTS / EACH) }, (_, index) => ({
		plan: plans[index % plans.length],
		seed: seed++,
	}));
	const results: Array<Result & { plan: string; seed: number }> = [];
	const work = async () => {
		for (let job = jobs.shift(); job?.plan; job = jobs.shift()) {
			const result = await play(sandbox, engine, job.plan, job.seed);
			results.push({ plan: job.plan.name, seed: job.seed, ...result });
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	const sum = (key: keyof Result) => results.reduce((total, result) => total + result[key], 0);
	table.push([
		name,
		sum('disconnects'),
		sum('restarts'),
		sum('lines'),
		sum('lost'),
		sum('duplicated'),
		sum('inFlight'),
	]);
	report.check(
		`${name}: ${sum('disconnects')} disconnects, ${sum('restarts')} restarts, ${sum('lines')} lines: none lost`,
		sum('lost') === 0,
	);
	if (duplicates === 'none')
		report.check(
			`${name}: none duplicated`,
			sum('duplicated') === 0,
			JSON.stringify(results.filter(({ duplicated }) => duplicated > 0)),
		);
	if (duplicates === 'in flight')
		report.check(
			`${name}: at most the batches in flight twice`,
			results.every((result) => result.duplicated <= result.inFlight),
		);
}

console.log(`\n${table.toString()}`);
await sandbox.close();
report.end();
process.exit();
