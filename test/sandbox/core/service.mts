import type { FastifyRequest } from 'fastify';
import type { HardwareOffer } from '../compute/catalogue.mts';
import type { Purchases } from '../compute/purchases.mts';
import type { ContainerLogs } from '../compute/logs.mts';
import type { VmServers } from '../compute/vmServers.mts';
import type { BilledAnswer } from '../intelligence/chat-habits.mts';
import type { Library } from '../intelligence/library.mts';
import type { Quota } from '../intelligence/quota.mts';
import type { Keys, Settings } from '../types.mts';
import type { Clock } from './clock.mts';
import { refusal } from './http.mts';
import type { Recorder } from './recorder.mts';

/** Everything that the routes of the service share. */
export interface Service {
	clock: Clock;
	settings: Settings;
	keys: Keys;
	recorder: Recorder;
	hardware: HardwareOffer[];
	purchases: Purchases;
	logs: ContainerLogs;
	vms: VmServers;
	library: Library;
	quota: Quota;
	answers: BilledAnswer[];
}

const ACCOUNT = 'sandbox-account';

/** Accepts the request as the account's, or refuses it with 401. */
export function admit(
	service: Service,
	request: FastifyRequest,
	isRight: boolean,
	detail: string,
): void {
	if (!isRight) throw refusal(401, detail);
	service.recorder.account(request, ACCOUNT);
}

/** The token of an `Authorization: Bearer` header; undefined when there is no such header, empty when it has another form. */
export function bearerOf(request: FastifyRequest): string | undefined {
	const value = request.headers.authorization;
	if (value === undefined) return undefined;
	return /^Bearer ([^\s]+)$/i.exec(value)?.[1] ?? '';
}

/** `x-api-key` of all cloud endpoints (compute-api.md, "Authentication"). */
export function checkApiKey(service: Service, request: FastifyRequest): void {
	const given = request.headers['x-api-key'];
	admit(
		service,
		request,
		given === service.keys.apiKey,
		given === undefined ? 'Missing API key' : 'Invalid API key',
	);
}

/** The explorer takes an access token as `Authorization: Bearer` or in the header `token` (beyond-the-spec.md section 3). */
export function checkAccessToken(service: Service, request: FastifyRequest): void {
	const given = [bearerOf(request), request.headers.token].filter((value) => value !== undefined);
	const isRight = given.length > 0 && given.every((value) => value === service.keys.accessToken);
	admit(
		service,
		request,
		isRight,
		given.length === 0 ? 'Not authenticated' : 'Invalid access token',
	);
}

/** The log stream needs the API key; an access token sent with it must be the right one (compute-api.md, "Container log stream"). */
export function checkLogKeys(service: Service, request: FastifyRequest): void {
	checkApiKey(service, request);
	const token = bearerOf(request);
	admit(
		service,
		request,
		token === undefined || token === service.keys.accessToken,
		'Invalid access token',
	);
}
