import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { jsonOf, LEVELS, levelOf } from '../Caas/level';
import { entryJson, type LogName, type Position } from '../Caas/logStream';
import type { StreamEvent } from '../shared/decoder';
import type { Settings } from './settings';

interface Entry {
	event: StreamEvent;
	/** The place before it. */
	place: Position;
	receivedAt: string;
	isMatch: boolean;
}

/** Chooses the entries of one log that go into a run, with the lines around them, and makes items of them. */
export class Picker {
	private chosen: Entry[] = [];
	/** Entries that may still become the context of one that comes after them. */
	private recent: Entry[] = [];
	private contextLeft = 0;
	private readonly isFiltering: boolean;

	constructor(private readonly log: LogName, private readonly settings: Settings) {
		this.isFiltering = Boolean(settings.include ?? settings.exclude ?? settings.level) || settings.jsonOnly;
	}

	get size(): number {
		return this.chosen.length;
	}

	/** The place before the first entry that may still be needed. */
	neededFrom(place: Position): Position {
		return this.recent[0]?.place ?? place;
	}

	add(event: StreamEvent, place: Position, receivedAt: string, isStop: boolean): void {
		if (!this.isFiltering) {
			this.chosen.push({ event, place, receivedAt, isMatch: true });
			return;
		}
		const isMatch = isStop || this.keeps(event.data);
		const isContext = !isMatch && this.contextLeft > 0;
		if (!isMatch && !isContext && this.settings.contextLines === 0) return;
		// A line that is kept must not keep the whole chunk that it was cut from in memory
		const entry = { event: { ...event, data: Buffer.from(event.data).toString() }, place, receivedAt, isMatch };
		if (isMatch) {
			this.chosen.push(...this.recent, entry);
			this.recent = [];
			this.contextLeft = this.settings.contextLines;
		} else if (isContext) {
			this.contextLeft--;
			this.chosen.push(entry);
		} else {
			this.recent.push(entry);
			if (this.recent.length > this.settings.contextLines) this.recent.shift();
		}
	}

	/** The items of the entries that were chosen so far; after that there are none. */
	take(): INodeExecutionData[] {
		const entries = this.chosen;
		this.chosen = [];
		const { containerId, deploymentId, stream } = this.log;
		const jsons = entries.map((entry) => this.jsonOf(entry));
		if (this.settings.output === 'entries') return jsons.map((json) => ({ json }));
		const batch = { deployment_id: deploymentId, container_id: containerId, stream, count: jsons.length };
		return [{ json: { ...batch, first_offset: jsons[0]?.offset ?? null, last_offset: jsons.at(-1)?.offset ?? null, entries: jsons } }];
	}

	private keeps(line: string): boolean {
		const { include, exclude, level, jsonOnly } = this.settings;
		if (include && !include.test(line)) return false;
		if (exclude?.test(line)) return false;
		if (jsonOnly && !jsonOf(line)) return false;
		if (!level) return true;
		const own = levelOf(line);
		return own !== undefined && LEVELS.indexOf(own) >= LEVELS.indexOf(level);
	}

	private jsonOf({ event, place, receivedAt, isMatch }: Entry): IDataObject {
		const json = entryJson(this.log, this.settings.offsetUnit, event, place, receivedAt);
		return this.settings.contextLines > 0 ? { ...json, matched: isMatch } : json;
	}
}
