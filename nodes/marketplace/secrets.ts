import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';

/** Keys of a container deployment whose values are secret (beyond-the-spec.md section 2). */
const SECRET_KEYS = ['secret_env_variables', 'registry_secret'];

const MASK = '***';

/** A request, or what the service shows of a deployment, with its secret values masked; the names of secret variables stay. */
export function withoutSecrets(entry: IDataObject): IDataObject {
	return masked(entry, false) as IDataObject;
}

function masked(value: unknown, isSecret: boolean): unknown {
	if (Array.isArray(value)) return value.map((one) => masked(one, isSecret));
	if (!isRecord(value)) return isSecret && value !== null && value !== undefined ? MASK : value;
	return Object.fromEntries(
		Object.entries(value).map(([key, one]) => [
			key,
			// A list of variables may have a name and a value each
			masked(one, (isSecret && key !== 'name') || SECRET_KEYS.includes(key)),
		]),
	);
}
