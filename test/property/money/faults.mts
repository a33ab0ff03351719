import { createServer, Socket, type AddressInfo, type SocketConnectOpts } from 'node:net';
import { once } from 'node:events';
import { errorForms, type Fault, type Sandbox } from '../../sandbox/index.mts';

/** What can happen to one request. `late` does the work after the client has given up; `hung` does it and never answers. */
export const FAULTS = {
	none: undefined,
	refused: undefined,
	droppedBefore: { drop: 'before' },
	droppedAfter: { drop: 'after' },
	late: { delayMs: 200_000 },
	hung: { hang: true, afterWork: true },
	tooMany: errorForms.tooManyRequests(1),
	quotaUsedUp: errorForms.tooManyRequests(3_600),
	error500: errorForms.detailString(500),
	error500AfterWork: { ...errorForms.messageAndType(500), afterWork: true },
	error502: errorForms.html(502),
	error503AfterWork: { ...errorForms.empty(503), afterWork: true },
	empty: { emptyBody: true },
	html: { status: 200, rawBody: '<html><title>Welcome</title></html>', contentType: 'text/html' },
	htmlAfterWork: {
		status: 200,
		rawBody: '<html><title>Welcome</title></html>',
		contentType: 'text/html',
		afterWork: true,
	},
	cut: { cutBodyAt: 3 },
} as const satisfies Record<string, Fault | undefined>;

export type FaultName = keyof typeof FAULTS;

/**
 * Lets a schedule of faults meet the package's requests, one fault a request, in the order in which connections are made:
 * n8n opens one for each request. A refused connection is a real one: it goes to a port where nobody listens.
 */
export class FaultSchedule {
	private queue: FaultName[] = [];
	private readonly connect = Socket.prototype.connect;
	/** The faults that were met, in order. */
	met: FaultName[] = [];

	private constructor(
		private readonly sandbox: Sandbox,
		closedPort: number,
	) {
		const sandboxPort = Number(new URL(sandbox.url).port);
		const { connect } = this;
		const next = () => this.next();
		Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
			const options = (Array.isArray(args[0]) ? args[0][0] : args[0]) as SocketConnectOpts & {
				port?: number;
			};
			if (Number(options.port) === sandboxPort && next() === 'refused') options.port = closedPort;
			return connect.apply(this, args as Parameters<typeof connect>);
		} as typeof connect;
	}

	static async install(sandbox: Sandbox): Promise<FaultSchedule> {
		const server = createServer().listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		server.close();
		await once(server, 'close');
		return new FaultSchedule(sandbox, port);
	}

	start(faults: readonly FaultName[]): void {
		this.queue = [...faults];
		this.met = [];
	}

	/** Nothing goes wrong any more. */
	stop(): void {
		this.queue = [];
	}

	uninstall(): void {
		Socket.prototype.connect = this.connect;
	}

	private next(): FaultName {
		const name = this.queue.shift();
		if (name === undefined) return 'none';
		this.met.push(name);
		const fault: Fault | undefined = FAULTS[name];
		if (fault) this.sandbox.faults.addFirst(fault);
		return name;
	}
}
