import type { IDataObject, INode, ITriggerFunctions } from 'n8n-workflow';
import type { Settings } from '../../nodes/CaasLogsTrigger/settings.ts';
import type { LogName } from '../../nodes/marketplace/log/request.ts';
import type { StreamEvent } from '../../nodes/shared/stream/event.ts';

/** Parts of the logs trigger alone: entries, settings, and a service in memory. */
export const LOG: LogName = { deploymentId: 'd', containerId: 'c', stream: 'stdout' };

/** What the form gives where nothing is changed. */
export function settingsOf(changes: Partial<Settings> = {}): Settings {
	return {
		deploymentId: 'd',
		containerIds: ['c'],
		streams: ['stdout'],
		startFrom: 'beginning',
		newestLines: 0,
		offset: '0',
		maxEntries: 100,
		maxBytes: 1_048_576,
		maxWaitMs: 1_000,
		delivery: 'completed',
		maxRunsInFlight: 1,
		giveUpAfter: Infinity,
		maxExecutionsPerMinute: Infinity,
		joinLines: false,
		removeColors: false,
		extractTimestamp: false,
		groupEqual: false,
		jsonOnly: false,
		contextLines: 0,
		offsetParameter: 'offset',
		offsetUnit: 'entries',
		idleTimeoutMs: 300_000,
		format: 'auto',
		largestLine: 1_048_576,
		output: 'entries',
		connectionEvents: false,
		...changes,
	};
}

/** The entry of a log whose service gives it no ID. */
export function entry(data: string, more: Partial<StreamEvent> = {}): StreamEvent {
	return {
		data,
		type: '',
		lastEventId: '',
		hasOwnId: false,
		bytes: Buffer.byteLength(data) + 1,
		truncated: false,
		...more,
	};
}

/** A body that brings what a test writes. */
export class Body {
	isDestroyed = false;
	private readonly chunks: Array<string | Error | undefined> = [];
	private wake = (): void => undefined;

	/** @param data undefined ends the body, an error breaks it */
	write(...data: Array<string | Error | undefined>): this {
		this.chunks.push(...data);
		this.wake();
		return this;
	}

	on(): this {
		return this;
	}

	destroy(): void {
		this.isDestroyed = true;
		this.write(undefined);
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
		for (;;) {
			while (this.chunks.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
			const data = this.chunks.shift();
			if (data instanceof Error) throw data;
			if (data === undefined) return;
			yield Buffer.from(data);
		}
	}
}

/** What the service answers: an open body, or a status with JSON and headers. */
export interface Answered {
	status?: number;
	headers?: Record<string, string>;
	body?: Body;
	json?: unknown;
}

export interface Asked {
	url: string;
	qs: IDataObject;
	headers: Record<string, string>;
}

export const NODE: INode = {
	id: 'node',
	name: 'Logs',
	type: 'caasLogsTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** What n8n gives to a trigger, with a service that answers in this process. */
export function functionsOf(
	answer: (asked: Asked) => Promise<Answered> | Answered,
	more: object = {},
): ITriggerFunctions {
	const request = async (asked: Asked) => {
		const { status = 200, headers = {}, body, json } = await answer(asked);
		return {
			statusCode: status,
			headers: { 'content-type': body ? 'text/plain' : 'application/json', ...headers },
			body: body ?? new Body().write(JSON.stringify(json ?? {}), undefined),
		};
	};
	return {
		getNode: () => NODE,
		getNodeParameter: () => 'apiKey',
		getCredentials: async () =>
			await Promise.resolve({ baseUrl: 'https://service.test', service: 'svc', apiKey: 'key-1' }),
		helpers: {
			httpRequest: request,
			httpRequestWithAuthentication: async (_: string, asked: Asked) => await request(asked),
		},
		...more,
	} as unknown as ITriggerFunctions;
}
