import type { IDataObject } from 'n8n-workflow';
import { isSecretKey } from '../marketplace/secrets';
import { isRecord } from '../shared/guards';

/** The fields of an update that details may show: values of the others may be masked. */
export function openFields(body: IDataObject): string[] {
	return Object.keys(body).filter((key) => !isSecretKey(key));
}

/** Whether details show a field as it is sent; undefined where they do not show it, or in another form, as they may show variables. */
export function shows(details: IDataObject, body: IDataObject, key: string): boolean | undefined {
	const [wanted, shown] = [body[key], settingIn(details, key)];
	if (wanted === undefined || shown === undefined) return undefined;
	const isSameForm =
		isRecord(wanted) === isRecord(shown) && Array.isArray(wanted) === Array.isArray(shown);
	return isSameForm ? isSameValue(wanted, shown) : undefined;
}

/** The first value with this key: a service may keep it at the top, or among the settings of the container or the registry. */
export function settingIn(details: IDataObject, key: string): unknown {
	const places = [details, details.container_config, details.registry_config].filter(isRecord);
	return places.find((place) => place[key] !== undefined && place[key] !== null)?.[key];
}

/** Of variables, those that were sent; others may be left from before. */
function isSameValue(wanted: unknown, shown: unknown): boolean {
	if (isRecord(wanted) && isRecord(shown))
		return Object.entries(wanted).every(([name, value]) => String(shown[name]) === String(value));
	return Array.isArray(wanted)
		? JSON.stringify(wanted) === JSON.stringify(shown)
		: String(wanted) === String(shown);
}
