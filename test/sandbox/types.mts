import type { HardwareOffer } from './compute/catalogue.mts';
import type { Deployment } from './compute/deployment.mts';
import type { ComputeHabits } from './compute/habits.mts';
import type { Resident } from './compute/residents.mts';
import type { PurchaseRecords } from './compute/purchases.mts';
import type { ContainerLogs } from './compute/logs.mts';
import type { Clock } from './core/clock.mts';
import type { BilledAnswer, ChatHabits } from './intelligence/chat-habits.mts';
import type { RecordedRequest } from './core/recorder.mts';
import type { VmServers } from './compute/vmServers.mts';
import type { FaultBoard } from './faults.mts';

export interface Keys {
	/** `x-api-key` of the compute service. */
	apiKey: string;
	/** `Authorization: Bearer` of the explorer and the log stream. */
	accessToken: string;
	/** The key of the intelligence API, in any one of its three headers. */
	intelligenceKey: string;
}

/** What the specification leaves open; each default is one plausible behaviour. */
export interface Settings extends ComputeHabits {
	/** Path segment of the compute service. */
	service: string;
	/** Path segment of retrieval. */
	ragSegment: string;
	/** From `deployment requested` to `running`. */
	startupMs: number;
	/** From `running`, or an update, until a container answers at its public URL. */
	warmUpMs: number;
	/** From `termination requested` to `destroyed`. */
	terminationMs: number;
	/** Whether each VM that runs has an SSH server on the loopback address; otherwise it has an address where nothing answers. */
	ssh: boolean;
	/** How `ssh_access` says where: `user@host:port`, or a command line. */
	sshAccess: 'address' | 'command';
	/** Percent of every price and every bill. */
	serviceFeePercent: number;
	/** Percent of a price in another currency than usdc. */
	conversionFeePercent: number;
	/** Lines a second that each container of a running deployment writes. */
	logLinesPerSecond: number;
	/** Query name of the log offset; the specification does not show it. */
	offsetParameter: string;
	/** Which of the two known shapes the model lists have (beyond-the-spec.md section 5). */
	modelsShape: 'list' | 'paged';
	/** Credits of the account for chat, in one pool for all models. */
	creditsPerHour: number;
	/** Whether the 429 of an exhausted pool has a `Retry-After`. */
	namesRetryAfter: boolean;
	/** Streams with keep-alives, mixed line ends and sometimes no `[DONE]`. */
	streamNoise: boolean;
	/** Of the chat models, the embedding models and their lists. */
	habits: ChatHabits;
}

export interface SandboxOptions extends Partial<Settings> {
	/** Default: real time. */
	clock?: Clock;
	/** Default: a free port. */
	port?: number;
	keys?: Partial<Keys>;
}

/** The running sandbox: its addresses, its controls and its internal state for assertions. */
export interface Sandbox {
	/** Base URL of the compute service, without trailing slash. */
	url: string;
	/** Base URL of the intelligence service, without trailing slash. */
	intelligenceUrl: string;
	keys: Keys;
	clock: Clock;
	faults: FaultBoard;
	/** Every request in order of arrival. */
	requests: RecordedRequest[];
	/** Everything that was bought and what it costs. */
	books: PurchaseRecords;
	/** Chat completions and vectors that were billed. */
	answers: BilledAnswer[];
	/** The catalogue; tests may change it. */
	hardware: HardwareOffer[];
	/** The SSH servers of the VMs, with `ssh: true`. */
	vms: VmServers;
	/** What the containers write. */
	logs: ContainerLogs;
	/** Called when a request arrives, before anything is done about it; until the next reset. */
	onRequest?(request: RecordedRequest): void;
	/** Behaves in another way from now on, until the next reset. */
	adopt(settings: Partial<Settings>): void;
	/** Adds a deployment of the account that somebody else has made, now or earlier. */
	addResident(resident: Resident): Deployment;
	/** Makes a deployment fail now; its state is then `failed`. */
	fail(deploymentId: string): void;
	/** Stops listening: requests in progress are still answered, then clients get a real ECONNREFUSED. */
	refuseNext(): Promise<void>;
	/** Listens on the same port again. */
	listenAgain(): Promise<void>;
	/** Resets state, catalogue, faults, settings and requests; requests that a fault holds are dropped and not executed. */
	reset(): void;
	/** How often it was reset: each time it is another account. */
	readonly resets: number;
	/** Requests that a fault delays or hangs and whose clients still wait. */
	heldRequests(): number;
	/** Number of open client connections. */
	openSockets(): Promise<number>;
	/** Stops at once, even with open connections; no socket or timer remains. */
	close(): Promise<void>;
}
