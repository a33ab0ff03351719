import type { ServerResponse } from 'node:http';

export type Json = Record<string, unknown>;

/** What is rented out, as the books of the service have it. */
export interface Rented {
	product: string;
	id: string | number | bigint;
	name: unknown;
	status: string;
	/** Milliseconds since 1970, by the true clock. */
	boughtAt: number;
	/** When its paid time begins; absent while it waits for its start. */
	startedAt?: number;
	endedAt?: number;
	hours: number;
	workers: number;
	gpus: number;
	hardwareId: unknown;
	locations: unknown[];
	paid: number;
	body: Json;
}

export interface Call {
	method: string;
	product: string;
	/** Below the product: `/deployments`. */
	path: string;
	query: URLSearchParams;
	body: Json;
	text: string;
	response: ServerResponse;
}

/** An answer in place of the documented one; `cut` closes the connection, `handled` has written to the socket. */
export type Answer =
	| { status: number; json?: unknown; text?: string; headers?: Record<string, string> }
	| 'cut'
	| 'handled';
