/**
 * `npm start`: the main job of the package on the sandbox, without an account. The built package is loaded as n8n loads it,
 * and examples/deploy-extend-destroy.json runs in n8n's own execution engine with an encrypted credential.
 */
import { readFile } from 'node:fs/promises';
import Table from 'cli-table3';
import type { IDataObject } from 'n8n-workflow';
import ora from 'ora';
import { PROJECT, startEngine, type WorkflowJson } from './engine/engine.mts';
import { sandboxCredentials } from './engine/start.mts';
import { startSandbox, systemClock, type Sandbox } from './sandbox/index.mts';

/** A minute of the sandbox in each second, so that a machine starts while one looks on. */
const SPEED = 60;

const MINUTE_MS = 60_000;

/** How often progress is shown on a terminal, and in a file */
const TICK_MS = 500;
const LINE_MS = 4_000;

const EXAMPLE = 'examples/deploy-extend-destroy.json';

const say = (text = '') => process.stdout.write(`${text}\n`);
const usd = (value: unknown) =>
	typeof value === 'number' ? `$${value.toFixed(2)}` : String(value ?? '-');

function table(head: string[], rows: string[][]): string {
	const drawn = new Table({ head, style: { head: [], border: [] } });
	drawn.push(...rows);
	return drawn.toString();
}

/** What each step of the workflow has to tell. */
const REPORTS: Record<string, (items: IDataObject[]) => string> = {
	'Find Offers': (items) =>
		table(
			['GPU', 'Cards', 'GB each', 'Location', 'USD/h'],
			items.map((offer) =>
				[offer.name, offer.num_cards, offer.vram_per_card, offer.location, usd(offer.price)].map(
					String,
				),
			),
		),
	'Get Price': ([price = {}]) =>
		`2 hours of the cheapest cost ${usd(price.total_cost_usdc)}, fees included`,
	Deploy: ([machine = {}]) =>
		`"${String(machine.resource_private_name)}" is ordered: ${String(machine.deployment_id)}`,
	'Wait Until Running': ([machine = {}]) =>
		`it is ${String(machine.status)} until ${String(machine.expires_at)}`,
	Extend: ([machine = {}]) => `1 hour more, until ${String(machine.expires_at)}`,
	Destroy: ([machine = {}]) => `${machine.verified === true ? 'gone, verified' : 'ordered to end'}`,
};

async function main(): Promise<void> {
	const sandbox = await startSandbox({ clock: systemClock(SPEED) });
	try {
		say(`Sandbox of the service at ${sandbox.url} (its clock runs ${SPEED} times as fast)`);
		say(`Running ${EXAMPLE} in n8n's execution engine\n`);
		const engine = await startEngine(sandboxCredentials(sandbox), PROJECT);
		const workflow = JSON.parse(await readFile(`${PROJECT}/${EXAMPLE}`, 'utf8')) as WorkflowJson;
		const steps = workflow.nodes.map((node) => node.name).filter((name) => name in REPORTS);
		const progress = new Progress(sandbox);
		const run = await engine.runWorkflow(workflow, {
			onNodeStart: (name) => {
				if (name in REPORTS) progress.start(name);
			},
			onNode: (name, items, error) => {
				const report = REPORTS[name];
				progress.stop();
				if (!report) return;
				say(`${error ? 'x' : '✓'} ${steps.indexOf(name) + 1}/${steps.length} ${name}`);
				say(
					error
						? `  ${error.message}`
						: report(items.map((item) => item.json)).replace(/^/gm, '  '),
				);
			},
		});
		if (run.data.resultData.error) throw run.data.resultData.error;
		say(`\nThe bill\n${bill(sandbox)}`);
		say(
			'\nTo see it on the canvas: install n8n-nodes-compute-marketplace under Settings > Community Nodes in n8n, start the service',
		);
		say(
			`with "npm run sandbox", enter its address and key in a Compute Marketplace API credential, and import ${EXAMPLE}.`,
		);
	} finally {
		await sandbox.close();
	}
}

/** Says while a step waits what the service is doing: on a terminal in place, otherwise in a line now and then */
class Progress {
	readonly #spinner = ora({
		isEnabled: process.stdout.isTTY,
		discardStdin: false,
		stream: process.stdout,
	});

	#timer?: NodeJS.Timeout;

	constructor(private readonly sandbox: Sandbox) {}

	start(step: string): void {
		const { clock, books } = this.sandbox;
		const begin = clock.now();
		const text = () => {
			const minutes = Math.round((clock.now() - begin) / MINUTE_MS);
			const states = books.deployments.map(({ state }) => state);
			return `${step}: ${minutes} min on the clock of the sandbox, ${states.join(', ') || 'nothing deployed'}`;
		};
		if (process.stdout.isTTY) this.#spinner.start(step);
		const show = () => {
			if (process.stdout.isTTY) this.#spinner.text = text();
			else say(`  ${text()}`);
		};
		this.#timer = setInterval(show, process.stdout.isTTY ? TICK_MS : LINE_MS).unref();
	}

	stop(): void {
		clearInterval(this.#timer);
		this.#spinner.stop();
	}
}

/** From the service's own books: what was charged for each machine, and what came back. */
function bill({ books }: Sandbox): string {
	const rows = books.deployments.map(
		({ resource_private_name: name, charges, charged, refunded }) => [
			name,
			charges.map(({ reason, hours, amount }) => `${reason} ${hours} h ${usd(amount)}`).join('\n'),
			usd(charged),
			usd(refunded),
			usd(charged - refunded),
		],
	);
	return table(
		['Deployment', 'Bought', 'Paid', 'Refunded', 'Cost (the first hour is never refunded)'],
		rows,
	);
}

await main().catch((error: Error) => {
	say(`\nIt did not work: ${error.message}`);
	process.exitCode = 1;
});
