import type { HardwareOffer } from './compute/catalogue.mts';
import type { Books } from './compute/ledger.mts';
import type { LogBook } from './compute/logs.mts';
import type { Clock } from './core/clock.mts';
import type { RecordedRequest } from './core/recorder.mts';
import type { FaultBoard } from './faults.mts';

export interface Keys {
	/** `x-api-key` of the compute service. */
	apiKey: string;
	/** `Authorization: Bearer` of the explorer and the log stream. */
	accessToken: string;
	/** The key of the intelligence API, in any one of its three headers. */
	intelligenceKey: string;
}

/** How this service fills what the specification leaves open; each default is one plausible service. */
export interface Settings {
	/** Path segment of the compute service. */
	service: string;
	/** Path segment of retrieval. */
	ragSegment: string;
	/** From `deployment requested` to `running`. */
	startupMs: number;
	/** From `termination requested` to `destroyed`. */
	terminationMs: number;
	/** First page of the deployment lists (beyond-the-spec.md section 1 shows both). A page before it is the first page again. */
	firstPage: 0 | 1;
	/** Refuses a page before the first with 422 instead. */
	refusesPageBelowFirst: boolean;
	/** Under which key the deployment lists show the name. */
	nameField: 'name' | 'resource_private_name';
	/** What a successful deploy answers. */
	deployAnswer: 'flat' | 'data' | 'empty';
	/** Part of every price and every bill. */
	serviceFeePercent: number;
	/** Part of a price in another currency than usdc. */
	conversionFeePercent: number;
	/** Lines that each container writes by itself in a second, of deployments that run. */
	logLinesPerSecond: number;
	/** Query name of the log offset; the specification does not show it. */
	offsetParameter: string;
	/** Which of the two known shapes the model lists have (beyond-the-spec.md section 5). */
	modelsShape: 'list' | 'paged';
	/** Credits of the account for chat, in one pool for all models. */
	creditsPerHour: number;
	/** Whether the 429 of a used-up pool says when it opens again. */
	namesRetryAfter: boolean;
	/** Streams with keep-alives, mixed line ends and sometimes no `[DONE]`. */
	streamNoise: boolean;
}

export interface SandboxOptions extends Partial<Settings> {
	/** Default: real time. */
	clock?: Clock;
	/** Default: a free port. */
	port?: number;
	keys?: Partial<Keys>;
}

/** The running sandbox: its addresses, its switches and its insides for assertions. */
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
	books: Books;
	/** The catalogue; tests may change it. */
	hardware: HardwareOffer[];
	/** What the containers write. */
	logs: LogBook;
	/** Makes a deployment break down now; its state is then `failed`. */
	fail(deploymentId: string): void;
	/** Stops listening: answers under way are still given, then clients get a true ECONNREFUSED. */
	refuseNext(): Promise<void>;
	/** Opens the same port again. */
	listenAgain(): Promise<void>;
	/** State, catalogue, faults and requests back to the start; requests that a fault holds are cut without being worked on. */
	reset(): void;
	/** Connections that clients hold open. */
	openSockets(): Promise<number>;
	/** Stops at once, also with open connections; no socket or timer is left. */
	close(): Promise<void>;
}
