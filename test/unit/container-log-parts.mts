import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { log } from '../../nodes/Caas/resources/log.ts';
import { KEY_CREDENTIALS } from '../../nodes/marketplace/credentials.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { Body, functionsOf, type Answered } from './log-parts.mts';
import { formOf } from './rag-service.mts';
import { ended } from './still-time.mts';

const [getAll] = log.operations as [Operation<unknown>];

/** The answer to a request for a log from this offset on, undefined where none is sent. */
export type Service = (offset: number | undefined, index: number) => Answered | Promise<Answered>;

export const readInput = (changes: IDataObject = {}) =>
	getAll.input(
		formOf(getAll, {
			deploymentId: 'd1',
			containerId: 'c1',
			stream: 'stdout',
			limit: 50,
			maxWaitSeconds: 5,
			options: {},
			...changes,
		}),
		() => undefined,
	);

/** The lines that are read, and the offsets that are requested. */
export async function read(service: Service, changes: IDataObject = {}, signal?: AbortSignal) {
	const offsets: Array<number | undefined> = [];
	const functions = functionsOf(async ({ qs }) => {
		const offset = qs.offset as number | undefined;
		return await service(offset, offsets.push(offset) - 1);
	}) as unknown as IExecuteFunctions;
	const account = await openAccount(functions, KEY_CREDENTIALS);
	const context = { functions, account, itemIndex: 0, known: {}, signal };
	const { value, error, seconds } = await ended(
		getAll.run(context as unknown as OperationContext, readInput(changes)),
	);
	const lines = value as IDataObject[] | undefined;
	return {
		error,
		seconds,
		offsets,
		lines,
		/** Each line with its offset. */
		shown: lines?.map(({ line, offset }) => `${String(offset)} ${String(line)}`),
		broken: lines?.map(({ broken_off }) => broken_off === true),
	};
}

/** An answer of these lines, which ends. */
export const whole = (lines: string[]): Answered => ({
	body: new Body().write(...lines.map((line) => `${line}\n`), undefined),
});

/** An answer of these lines, which stays open. */
export const open = (lines: string[]): Answered => ({
	body: new Body().write(...lines.map((line) => `${line}\n`)),
});

export const numbered = (count: number) =>
	Array.from({ length: count }, (_, index) => `line ${index}`);
export const shownOf = (count: number, from = 0) =>
	numbered(count)
		.map((line, index) => `${index} ${line}`)
		.slice(from);

/** A service that has these lines, and gives so many of them in an answer. */
export const has =
	(lines: string[], perAnswer = Infinity): Service =>
	(offset = 0) =>
		whole(lines.slice(offset, offset + perAnswer));

export const refuses =
	(status: number, service: Service): Service =>
	async (offset, index) =>
		offset === undefined ? await service(0, index) : { status, json: { detail: 'no such offset' } };
