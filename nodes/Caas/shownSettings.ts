import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';

/** Keys whose values a service may mask. */
const SECRET = ['secret_env_variables', 'registry_secret'];

/** Whether details show every open value of an update; undefined where they do not show them. */
export function shows(details: IDataObject, body: IDataObject): boolean | undefined {
	const open = Object.entries(body).filter(([key]) => !SECRET.includes(key));
	const shown = open.map(([key]) => settingIn(details, key));
	const isReadable = open.every(([, wanted], index) => kindOf(wanted) === kindOf(shown[index]));
	if (open.length === 0 || !isReadable) return undefined;
	return open.every(([, wanted], index) => isSameValue(wanted, shown[index]));
}

/** The first value with this key: a service may keep it at the top, or among the settings of the container or the registry. */
export function settingIn(details: IDataObject, key: string): unknown {
	const places = [details, details.container_config, details.registry_config].filter(isRecord);
	return places.find((place) => place[key] !== undefined && place[key] !== null)?.[key];
}

/** Variables may be shown in another form than they are sent. */
function kindOf(value: unknown): string {
	if (isRecord(value)) return 'object';
	return Array.isArray(value) ? 'list' : value === undefined ? 'nothing' : 'text';
}

/** Of variables, those that were sent; others may be left from before. */
function isSameValue(wanted: unknown, shown: unknown): boolean {
	if (isRecord(wanted) && isRecord(shown))
		return Object.entries(wanted).every(([name, value]) => String(shown[name]) === String(value));
	return Array.isArray(wanted) || isRecord(wanted)
		? JSON.stringify(wanted) === JSON.stringify(shown)
		: String(wanted) === String(shown);
}
