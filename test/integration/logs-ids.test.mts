import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { LOG_PATH, logsTrigger, numbered } from '../engine/logs.mts';
import { useFixture } from '../engine/fixture.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { eventually } from '../engine/wait.mts';

/** How a service goes on after an event ID; the specification leaves it open. */
interface Habits {
	/** Asked without an ID it begins with the next line. */
	beginsNow?: boolean;
	/** Does as if there was no ID. */
	ignoresId?: boolean;
	/** Sends no IDs at all. */
	namesNone?: boolean;
	/** An event without an ID stands before all others. */
	greets?: boolean;
	/** A connection ends cleanly instead of breaking. */
	endsCleanly?: boolean;
}

/** A service with the log of a deployment that runs. */
class Service {
	/** Requests for the log. */
	asked = 0;
	private entries: Array<{ id: number; data: string }> = [];
	private readonly open = new Set<ServerResponse>();
	private readonly server: Server;

	constructor(private readonly habits: Habits) {
		this.server = createServer((request, response) => {
			if (!LOG_PATH.test(request.url ?? ''))
				return void response
					.setHeader('content-type', 'application/json')
					.end(JSON.stringify({ data: { status: 'running' } }));
			const id = request.headers['last-event-id'] as string | undefined;
			const isNamed = id !== undefined && !habits.ignoresId;
			response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
			if (habits.greets) response.write('data: hello\n\n');
			this.entries
				.filter((entry) => (isNamed ? entry.id > Number(id) : !habits.beginsNow))
				.forEach((entry) => this.send(response, entry));
			this.open.add(response.once('close', () => this.open.delete(response)));
			this.asked++;
		}).listen(0, '127.0.0.1');
	}

	async url(): Promise<string> {
		if (!this.server.listening) await once(this.server, 'listening');
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	append(...lines: string[]): void {
		for (const data of lines) {
			const entry = { id: this.entries.length, data };
			this.entries.push(entry);
			this.open.forEach((response) => this.send(response, entry));
		}
	}

	disconnect(): void {
		this.open.forEach((response) =>
			this.habits.endsCleanly ? response.end() : response.destroy(),
		);
		this.open.clear();
	}

	/** The container restarts, and with it the log. */
	rotate(): void {
		this.entries = [];
		this.disconnect();
	}

	close(): void {
		this.server.close();
		this.disconnect();
	}

	private send(response: ServerResponse, { id, data }: { id: number; data: string }): void {
		response.write(`${this.habits.namesNone ? '' : `id: ${id}\n`}data: ${data}\n\n`);
	}
}

const fixture = useFixture({ time: 'immediate' });
let service: Service;

afterEach(() => service.close());

async function follow(habits: Habits): Promise<void> {
	service = new Service(habits);
	const engine = await startEngine(
		sandboxCredentials({ ...fixture.sandbox, url: await service.url() }),
	);
	fixture.trigger = new ActiveTrigger(engine, logsTrigger({ options: { offsetUnit: 'eventId' } }));
	await fixture.trigger.activate();
}

const linesOf = () => fixture.trigger.items.filter(({ line }) => line !== 'hello');
const delivered = async (count: number) =>
	await eventually(`${count} lines`, () => linesOf().length >= count);
const connections = async (count: number) =>
	await eventually(`${count} connections`, () => service.asked >= count);

describe('a log of equal lines, which cannot show whether the ID is honoured', () => {
	it.each<[string, Habits]>([
		['begins with the next line', { beginsNow: true }],
		['begins with the next line, and ends its streams', { beginsNow: true, endsCleanly: true }],
		['begins with the next line, after a greeting', { beginsNow: true, greets: true }],
		['begins at the beginning', {}],
		['ignores the ID and begins at the beginning', { ignoresId: true }],
		[
			'ignores the ID and begins at the beginning, with a greeting',
			{ ignoresId: true, greets: true },
		],
		[
			'ignores the ID, begins at the beginning and ends its streams',
			{ ignoresId: true, endsCleanly: true },
		],
	])('at a service that %s: no line is lost or repeated', async (_, habits) => {
		await follow(habits);
		service.append('tick', 'tick', 'tick');
		await delivered(3);
		service.disconnect();
		service.append('tick');
		await connections(2);
		service.append('tick');
		await delivered(5);
		service.append('tick');
		await delivered(6);
		expect(linesOf().map(({ offset }) => offset)).toEqual(['0', '1', '2', '3', '4', '5']);
	});
});

it.each<[string, Habits]>([
	['begins with the next line, after an event without an ID', { beginsNow: true, greets: true }],
	[
		'ignores the ID, and has an event without one at the beginning',
		{ ignoresId: true, greets: true },
	],
	['has no IDs at all', { namesNone: true }],
])('a service that %s: no line is lost or repeated', async (_, habits) => {
	await follow(habits);
	service.append('line 0', 'line 1');
	await delivered(2);
	service.disconnect();
	service.append('line 2');
	await connections(2);
	service.append('line 3', 'line 4');
	await delivered(5);
	service.append('line 5');
	await delivered(6);
	expect(linesOf().map(({ line }) => line)).toEqual(numbered(6));
});

it.each([
	['one line', ['b0']],
	['some lines', ['b0', 'b1', 'b2']],
])(
	'after a rotation with the same IDs the new log is read from its start: %s at first',
	async (_, lines) => {
		await follow({ endsCleanly: true });
		service.append('a0', 'a1', 'a2', 'a3');
		await delivered(4);
		service.rotate();
		service.append(...lines);
		await delivered(4 + lines.length);
		service.append('last');
		await delivered(5 + lines.length);
		expect(linesOf().map(({ line }) => line)).toEqual(['a0', 'a1', 'a2', 'a3', ...lines, 'last']);
	},
);
