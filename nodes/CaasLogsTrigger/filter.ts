import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { entryJson, itemOf, jsonObjectOf, textJson } from '../marketplace/log/entry';
import { LEVELS, levelOf } from '../marketplace/log/level';
import type { LogName, LogOffset } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import type { Mark } from './checkpoint';
import type { Cursor } from './cursor';
import type { Settings } from './settings';

/** Chooses the entries of one log that go into a run, with the lines around them, and makes items of them. */
export class Picker {
	private chosen: INodeExecutionData[] = [];
	/** Entries that may still become the context of one that comes after them, with the places before them. */
	private recent: Array<{ json: IDataObject; place: LogOffset }> = [];
	private contextLeft = 0;
	/** Each entry is chosen, and nothing is to be said about it. */
	readonly takesAll: boolean;
	private readonly isFiltering: boolean;

	constructor(
		private readonly log: LogName,
		private readonly settings: Settings,
	) {
		this.isFiltering =
			Boolean(settings.include ?? settings.exclude ?? settings.level) || settings.jsonOnly;
		this.takesAll = !this.isFiltering && settings.contextLines === 0;
	}

	get size(): number {
		return this.chosen.length;
	}

	/** The place before the first entry that may still be needed, as it is to be given to {@link begin} later. */
	neededFrom(place: LogOffset): Mark {
		return this.recent[0]?.place ?? { ...place, contextLeft: this.contextLeft };
	}

	/** The next entry is the one after this place. */
	begin({ contextLeft = 0 }: Mark): void {
		this.recent = [];
		this.contextLeft = Math.min(contextLeft, this.settings.contextLines);
	}

	/**
	 * Entries of which there is nothing but their text, where each is chosen.
	 * @param offset of the first
	 */
	addAll(texts: string[], offset: number | null, receivedAt: string): void {
		const { log, chosen } = this;
		for (let index = 0; index < texts.length; index++) {
			chosen.push(
				itemOf(textJson(log, offset === null ? null : offset + index, texts[index]!, receivedAt)),
			);
		}
	}

	/** @param cursor has just read this event */
	add(event: StreamEvent, cursor: Cursor, receivedAt: string, isStop: boolean): void {
		if (this.takesAll)
			this.chosen.push(itemOf(entryJson(this.log, cursor.offsetOf(event), event, receivedAt)));
		else this.choose(event, cursor, receivedAt, isStop);
	}

	private choose(event: StreamEvent, cursor: Cursor, receivedAt: string, isStop: boolean): void {
		const { contextLines } = this.settings;
		const isMatch = !this.isFiltering || isStop || this.keeps(event.data);
		const isContext = !isMatch && this.contextLeft > 0;
		if (!isMatch && !isContext && contextLines === 0) return;
		// A line that is kept must not keep the whole chunk that it was cut from in memory
		const kept = { ...event, data: Buffer.from(event.data).toString() };
		const json = entryJson(this.log, cursor.offsetOf(event), kept, receivedAt);
		if (contextLines > 0) json.matched = isMatch;
		if (isMatch) {
			for (const before of this.recent) this.chosen.push(itemOf(before.json));
			this.recent = [];
			this.contextLeft = contextLines;
			this.chosen.push(itemOf(json));
		} else if (isContext) {
			this.contextLeft--;
			this.chosen.push(itemOf(json));
		} else {
			this.recent.push({ json, place: cursor.placeBefore });
			if (this.recent.length > contextLines) this.recent.shift();
		}
	}

	/** The items of the entries that were chosen so far; after that there are none. */
	take(): INodeExecutionData[] {
		const { chosen } = this;
		this.chosen = [];
		if (this.settings.output === 'entries') return chosen;
		const entries = chosen.map(({ json }) => json);
		const { containerId, deploymentId, stream } = this.log;
		const batch = {
			deployment_id: deploymentId,
			container_id: containerId,
			stream,
			count: entries.length,
		};
		return [
			{
				json: {
					...batch,
					first_offset: entries[0]?.offset ?? null,
					last_offset: entries.at(-1)?.offset ?? null,
					entries,
				},
			},
		];
	}

	private keeps(line: string): boolean {
		const { include, exclude, level, jsonOnly } = this.settings;
		if (include && !include.test(line)) return false;
		if (exclude?.test(line)) return false;
		if (jsonOnly && !jsonObjectOf(line)) return false;
		if (!level) return true;
		const own = levelOf(line);
		return own !== undefined && LEVELS.indexOf(own) >= LEVELS.indexOf(level);
	}
}
