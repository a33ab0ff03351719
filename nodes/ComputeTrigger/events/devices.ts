import type { IDataObject } from 'n8n-workflow';
import { downtimeDays, readDevice } from '../../marketplace/devices';
import type { RequestContext } from '../../shared/http/request';
import { numberOf } from '../../shared/numbers';
import { now } from '../../shared/time';
import type { DeviceSettings } from '../settings';
import type { TriggerEvent, Watch } from '../watch';

/** By device and day, how many steps of downtime were told. */
export interface SeenDowntime {
	steps: Record<string, Record<string, number>>;
	/** The device at which the next poll begins. */
	next?: string;
}

/** Details are limited to 100 in 5 minutes (beyond-the-spec.md section 3), and n8n polls each minute at most. */
const DEVICES_A_POLL = 20;
/** Days that are kept of each device beside those in the answer: they may be missing in one. */
const KEPT_DAYS = 60;
const DAY_MS = 24 * 3_600_000;
const DATE_LENGTH = 'YYYY-MM-DD'.length;

/**
 * Devices whose downtime grows. The service shows no state of a device, only the seconds of downtime of each day
 * (compute-api.md "Downtime entry"), so an event is one step more of it.
 */
export function watchDevices(settings: DeviceSettings): Watch<SeenDowntime> {
	const { deviceIds, downtimeMinutes } = settings;
	return {
		async look(context, seen = { steps: {} }) {
			const steps: SeenDowntime['steps'] = {};
			for (const id of deviceIds) if (seen.steps[id]) steps[id] = seen.steps[id];
			const events: TriggerEvent[] = [];
			const first = Math.max(deviceIds.indexOf(seen.next ?? ''), 0);
			const turn = [...deviceIds.slice(first), ...deviceIds.slice(0, first)];
			let failure: unknown;
			for (const id of turn.slice(0, DEVICES_A_POLL)) {
				const read = await readDays(context, id).catch((error: unknown) => ({ error }));
				if ('error' in read) {
					failure ??= read.error;
					if (context.signal?.aborted) break;
					continue;
				}
				const told = steps[id];
				const days = told ? { ...told } : { [dayBefore()]: 0 };
				const oldest = Object.keys(told ?? {}).sort()[0] ?? '';
				for (const day of read.days) {
					const step = Math.floor(day.seconds / 60 / downtimeMinutes);
					if (step <= (days[day.date] ?? 0)) continue;
					days[day.date] = step;
					if (told && !isBefore(day.date, oldest))
						events.push(eventOf(read.device, id, day, step * downtimeMinutes));
				}
				steps[id] = recent(days, read.days);
			}
			const next = turn[DEVICES_A_POLL];
			return { events, seen: { steps, ...(next !== undefined && { next }) }, failure };
		},
		async sample(context) {
			const id = deviceIds[0]!;
			const { device, days } = await readDays(context, id);
			const [day] = days.sort((a, b) => (a.date < b.date ? 1 : -1));
			return itemOf(device, id, day);
		},
	};
}

/** A day with all its downtime, and what the service says about it. */
interface Day {
	date: string;
	seconds: number;
	note?: unknown;
}

async function readDays(
	context: RequestContext,
	deviceId: string,
): Promise<{ device: IDataObject; days: Day[] }> {
	const device = await readDevice(context, deviceId, 'details');
	const days = new Map<string, Day>();
	for (const { date, downtime, note } of downtimeDays(device.downtime_by_date)) {
		const before = days.get(date)?.seconds ?? 0;
		days.set(date, { date, seconds: before + (numberOf(downtime) ?? 0), note });
	}
	return { device, days: [...days.values()] };
}

/** The days of the answer, and the latest of the others. */
function recent(steps: Record<string, number>, answered: Day[]): Record<string, number> {
	const present = new Set(answered.map(({ date }) => date));
	const days = Object.keys(steps).sort().reverse();
	const kept = days.filter((date, index) => present.has(date) || index < KEPT_DAYS);
	return Object.fromEntries(kept.map((date) => [date, steps[date]!]));
}

/** The day before this one in UTC: at a base line, what is older than it and not shown is no news either. */
function dayBefore(): string {
	return new Date(now() - DAY_MS).toISOString().slice(0, DATE_LENGTH);
}

/** Whether a day is before all that are kept, as where an answer goes back further than those before. */
function isBefore(date: string, oldest: string): boolean {
	return /^\d{4}-\d{2}-\d{2}/.test(date) && date < oldest;
}

function eventOf(device: IDataObject, id: string, day: Day, minutes: number): TriggerEvent {
	return {
		identity: [id, day.date, String(minutes)],
		isUnique: true,
		json: itemOf(device, id, day),
	};
}

function itemOf(device: IDataObject, id: string, day?: Day): IDataObject {
	const { hardware_name, location_name, iso2, down_percentage } = device;
	return {
		device_id: id,
		date: day?.date ?? null,
		downtime: day?.seconds ?? 0,
		note: typeof day?.note === 'string' ? day.note : null,
		...shown({ hardware_name, location_name, iso2, down_percentage }),
	};
}

function shown(values: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
