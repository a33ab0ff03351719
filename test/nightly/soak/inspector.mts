import { once } from 'node:events';
import { WebSocket } from 'undici';

/** What a process holds after its garbage was collected. */
export interface Held {
	heapBytes: number;
	/** Sockets, servers, timers and the like that keep it awake, by kind. */
	handles: Record<string, number>;
}

/** What starts a process with an inspector on a free port of this machine. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const LISTENING = /Debugger listening on (ws:\/\/\S+)/;

/** A look into another process by Node's own inspector. */
export class Inspector {
	#id = 0;

	private constructor(readonly socket: WebSocket) {}

	/** @param log what the process has printed; the first inspector in it is that of the process, later ones are of its children */
	static async open(log: string): Promise<Inspector> {
		const [, address] = LISTENING.exec(log) ?? [];
		if (address === undefined) throw new Error(`The process has no inspector:\n${log}`);
		const socket = new WebSocket(address);
		await once(socket, 'open');
		return new Inspector(socket);
	}

	async held(): Promise<Held> {
		// What the first collection finalizes only the second one frees
		for (let time = 0; time < 2; time++) await this.#ask('HeapProfiler.collectGarbage');
		const expression =
			'JSON.stringify([process.memoryUsage().heapUsed, process.getActiveResourcesInfo()])';
		const { result } = (await this.#ask('Runtime.evaluate', { expression })) as {
			result: { value: string };
		};
		const [heapBytes, resources] = JSON.parse(result.value) as [number, string[]];
		const handles: Record<string, number> = {};
		for (const name of resources.sort()) handles[name] = (handles[name] ?? 0) + 1;
		return { heapBytes, handles };
	}

	close(): void {
		this.socket.close();
	}

	async #ask(method: string, params: object = {}): Promise<unknown> {
		const id = ++this.#id;
		this.socket.send(JSON.stringify({ id, method, params }));
		for (;;) {
			const [{ data }] = (await once(this.socket, 'message')) as [{ data: string }];
			const answer = JSON.parse(data) as { id?: number; result?: unknown };
			if (answer.id === id) return answer.result;
		}
	}
}
