import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { hiding } from '../shared/http/credentials';
import { parseJson } from '../shared/json';
import type { ProductContext } from './product';
import { stateOf } from './state';

/** Keys of a container deployment whose values are secret (beyond-the-spec.md section 2), also as other services spell them. */
const SECRET_KEY = /^(secret_?env|registry_?(secret|password))/i;
/** Whether a field of a request or an answer holds secrets. */
export function isSecretKey(key: string): boolean {
	return SECRET_KEY.test(key);
}

/** The same somewhere in a text. */
const SECRET_WORD = /secret_?env|registry_?(secret|password)/i;

const MASK = '***';

/** IDs, names and dates are read of answers, and are no place for a secret. */
const READ_KEYS = new Set([
	...['deployment_id', 'id', 'deploymentId', 'uuid', 'container_id', 'hardware_id'],
	...['name', 'resource_private_name', 'currency', 'created_at', 'started_at', 'finished_at'],
]);

/**
 * A context whose answers do not show the secrets of a request.
 * @param open what the request tells openly
 */
export function hidingSecrets<Context extends ProductContext>(
	context: Context,
	secrets: string[],
	open: IDataObject,
): Context {
	const told = new Set(textsIn(open));
	const account = hiding(
		context.account,
		secrets,
		(key, text) => READ_KEYS.has(key) || told.has(text) || stateOf(text) !== 'unknown',
	);
	return { ...context, account };
}

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A request, or what the service shows of a deployment, with its secret values masked; the names of secret variables stay. */
export function withoutSecrets(entry: IDataObject): IDataObject {
	return masked(entry, false) as IDataObject;
}

function masked(value: unknown, isSecret: boolean): unknown {
	if (Array.isArray(value)) return value.map((one) => maskedEntry(one, isSecret));
	if (isRecord(value)) return maskedRecord(value, isSecret);
	if (isSecret) return value === null || value === undefined ? value : MASK;
	if (typeof value !== 'string' || !SECRET_WORD.test(value)) return value;
	const content = parseJson(value);
	return typeof content === 'object' ? JSON.stringify(masked(content, false)) : value;
}

/** A list of variables may have a name and a value each. */
function maskedEntry(value: unknown, isSecret: boolean): unknown {
	if (!isRecord(value) || !('value' in value)) return masked(value, isSecret);
	return { ...maskedRecord(value, isSecret), ...('name' in value && { name: value.name }) };
}

function maskedRecord(value: Record<string, unknown>, isSecret: boolean): IDataObject {
	return Object.fromEntries(
		Object.entries(value).map(([key, one]) => [key, masked(one, isSecret || isSecretKey(key))]),
	) as IDataObject;
}
