import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { removeColours } from '../marketplace/log/colours';
import { entryJson, itemOf, jsonObjectOf } from '../marketplace/log/entry';
import { signatureOf } from '../marketplace/log/grouping';
import { LEVELS, levelOf } from '../marketplace/log/level';
import type { LogName } from '../marketplace/log/request';
import { timestampOf } from '../marketplace/log/timestamp';
import type { StreamEvent } from '../shared/stream/event';
import type { Settings } from './settings';

/** Decides which lines are wanted, and what the output of them is. */
export class LineFilter {
	/** Whether lines may be dropped. */
	readonly isFiltering: boolean;

	constructor(private readonly settings: Settings) {
		this.isFiltering =
			Boolean(settings.include ?? settings.exclude ?? settings.level) || settings.jsonOnly;
	}

	/** The text that patterns and levels look at: colours are no part of it. */
	textOf(line: string): string {
		return this.isFiltering || this.settings.stopOn ? removeColours(line) : line;
	}

	/** @param text see {@link textOf} */
	matches(text: string): boolean {
		const { include, exclude, level, jsonOnly } = this.settings;
		if (include && !include.test(text)) return false;
		if (exclude?.test(text)) return false;
		if (jsonOnly && !jsonObjectOf(text)) return false;
		if (!level) return true;
		const own = levelOf(text);
		return own !== undefined && LEVELS.indexOf(own) >= LEVELS.indexOf(level);
	}

	/** The output of one entry. */
	jsonOf(
		log: LogName,
		offset: string | number | null,
		event: Readonly<StreamEvent>,
		receivedAt: string,
	): IDataObject {
		const line = this.settings.removeColors ? removeColours(event.data) : event.data;
		// V8 keeps the whole chunk alive that a line was cut from; one that is kept among many that are not is copied
		const data = this.isFiltering ? Buffer.from(line).toString() : line;
		const kept = data === event.data ? event : { ...event, data };
		const json = entryJson(log, offset, kept, receivedAt);
		if (this.settings.extractTimestamp) json.timestamp = timestampOf(removeColours(data)) ?? null;
		return json;
	}

	/** The items of a batch, in the form that the settings ask for. */
	outputOf({ containerId, deploymentId, stream }: LogName, lines: INodeExecutionData[]) {
		const items = this.settings.groupEqual ? grouped(lines) : lines;
		if (this.settings.output === 'entries') return items;
		const entries = items.map(({ json }) => json);
		const name = { deployment_id: deploymentId, container_id: containerId, stream };
		return [
			itemOf({
				...name,
				count: entries.length,
				first_offset: lines[0]?.json.offset ?? null,
				last_offset: lines.at(-1)?.json.offset ?? null,
				entries,
			}),
		];
	}
}

/** One item for all lines that are equal but for numbers and the like: the first of them, with their count. */
function grouped(items: INodeExecutionData[]): INodeExecutionData[] {
	const groups = new Map<string, IDataObject>();
	for (const { json } of items) {
		const signature = `${String(json.matched)} ${signatureOf(removeColours(String(json.line)))}`;
		const group = groups.get(signature);
		if (group) {
			group.count = Number(group.count) + 1;
			group.last_offset = json.offset;
		} else groups.set(signature, Object.assign(json, { count: 1, last_offset: json.offset }));
	}
	return [...groups.values()].map(itemOf);
}
