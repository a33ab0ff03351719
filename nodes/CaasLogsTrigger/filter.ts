import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { entryJson, itemOf, jsonObjectOf } from '../marketplace/log/entry';
import { LEVELS, levelOf } from '../marketplace/log/level';
import type { LogName, LogOffset } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import type { ResumeOffset } from './checkpoint';
import type { Cursor } from './cursor';
import type { Settings } from './settings';

/** Filters the entries of one log, adds context lines, and collects the items of the next batch. */
export class EntryFilter {
	private items: INodeExecutionData[] = [];
	/** Entries that do not match, with their offsets: a later match may need them as context. */
	private recent: Array<{ json: IDataObject; offset: LogOffset }> = [];
	private contextLinesLeft = 0;
	private readonly isFiltering: boolean;

	constructor(
		private readonly log: LogName,
		private readonly settings: Settings,
	) {
		this.isFiltering =
			Boolean(settings.include ?? settings.exclude ?? settings.level) || settings.jsonOnly;
	}

	/** Lines collected so far, including context lines. */
	get size(): number {
		return this.items.length;
	}

	/**
	 * Where a later filter must resume, with {@link resumeAt}: before the first entry that may still be needed as context.
	 * @param offset the read offset
	 */
	resumeOffset(offset: LogOffset): ResumeOffset {
		return this.recent[0]?.offset ?? { ...offset, contextLinesLeft: this.contextLinesLeft };
	}

	/** Resumes at an offset: the next entry is the one after it. */
	resumeAt({ contextLinesLeft = 0 }: ResumeOffset): void {
		this.recent = [];
		this.contextLinesLeft = Math.min(contextLinesLeft, this.settings.contextLines);
	}

	/**
	 * Adds an entry, if it matches or is context.
	 * @param cursor must have read this event last
	 * @param isStop whether it is the line to stop on, which always matches
	 */
	add(event: StreamEvent, cursor: Cursor, receivedAt: string, isStop: boolean): void {
		const { contextLines } = this.settings;
		const isMatch = !this.isFiltering || isStop || this.matches(event.data);
		const isContext = !isMatch && this.contextLinesLeft > 0;
		if (!isMatch && !isContext && contextLines === 0) return;
		// V8 keeps the whole text alive that a string was sliced from: where few lines are kept, they are copied
		const kept = this.isFiltering ? { ...event, data: Buffer.from(event.data).toString() } : event;
		const json = entryJson(this.log, cursor.outputOffset(event), kept, receivedAt);
		if (contextLines > 0) json.matched = isMatch;
		if (isMatch) {
			for (const before of this.recent) this.items.push(itemOf(before.json));
			this.recent = [];
			this.contextLinesLeft = contextLines;
			this.items.push(itemOf(json));
		} else if (isContext) {
			this.contextLinesLeft--;
			this.items.push(itemOf(json));
		} else {
			this.recent.push({ json, offset: cursor.entryOffset });
			if (this.recent.length > contextLines) this.recent.shift();
		}
	}

	/** Returns the items of the collected lines and begins the next batch. */
	takeItems(): INodeExecutionData[] {
		const { items } = this;
		this.items = [];
		if (this.settings.output === 'entries') return items;
		const entries = items.map(({ json }) => json);
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

	private matches(line: string): boolean {
		const { include, exclude, level, jsonOnly } = this.settings;
		if (include && !include.test(line)) return false;
		if (exclude?.test(line)) return false;
		if (jsonOnly && !jsonObjectOf(line)) return false;
		if (!level) return true;
		const own = levelOf(line);
		return own !== undefined && LEVELS.indexOf(own) >= LEVELS.indexOf(level);
	}
}
