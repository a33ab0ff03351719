import Table from 'cli-table3';
import { Report } from '../report.mts';
import { cases, cuts, type Case } from './cases.mts';
import { eventsource, eventsourceParser, ours, type Client, type Seen } from './clients.mts';

const clients = [ours, eventsourceParser, eventsource];
const report = new Report();
const table = new Table({
	head: ['web-platform-tests/eventsource', ...clients.map(({ name }) => name)],
	style: { head: [], border: [] },
});
const sums = new Map(clients.map((client) => [client, 0]));

for (const test of cases) {
	const row = [];
	for (const client of clients) {
		const right = [];
		for (const size of cuts) right.push(isRight(test, await client.read(test, size), client));
		const passed = right.filter(Boolean).length;
		sums.set(client, (sums.get(client) ?? 0) + passed);
		row.push(`${right.map((yes) => (yes ? '+' : '-')).join(' ')}`);
		if (client === ours)
			report.check(`${test.name}: whole, byte by byte and in threes`, passed === cuts.length);
	}
	table.push([test.note ? `${test.name} *` : test.name, ...row]);
}
table.push([
	'sum',
	...clients.map((client) => `${sums.get(client) ?? 0}/${cases.length * cuts.length}`),
]);

console.log(
	`\n+ right, - wrong: whole, byte by byte, in pieces of three bytes\n${table.toString()}`,
);
for (const note of new Set(cases.flatMap(({ note }) => note ?? []))) console.log(`* ${note}`);
report.end();

function isRight(test: Case, seen: Seen, client: Client): boolean {
	const sameRetry = client === eventsource || seen.retryMs === test.retryMs;
	return sameRetry && JSON.stringify(seen.events) === JSON.stringify(test.events);
}
