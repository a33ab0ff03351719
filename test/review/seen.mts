import type { IDataObject, IRun } from 'n8n-workflow';
import type { Engine } from '../engine/engine.mts';
import type { VirtualTime } from '../engine/virtualTime.mts';

/** What a person reads of an execution. */
export interface Seen {
	items: IDataObject[];
	/** Message and description of the error that has ended it. */
	error: string;
	/** What n8n's log has got meanwhile; of an execution that was stopped it is all there is to read. */
	log: string;
	all: string;
}

const DAY_MS = 86_400_000;

/** Starts an execution, lets a day pass for it at most, and tells what a person reads of it; the items are those of one node. */
export async function seenOf(
	{ engine, time }: { engine: Engine; time: VirtualTime },
	start: () => Promise<IRun>,
	node = 'Node',
): Promise<Seen> {
	const logged = engine.log.length;
	const { runData, error } = (await time.during(start(), DAY_MS)).data.resultData;
	const { message = '', description = '' } = (error ?? {}) as Partial<Record<string, string>>;
	const { context } = (error ?? {}) as { context?: unknown };
	const output = (runData[node] ?? []).at(-1)?.data?.main?.[0] ?? [];
	const seen = {
		items: output.map(({ json }) => json),
		error: error ? `${message} ${description}` : '',
		log: JSON.stringify(engine.log.slice(logged)),
	};
	return { ...seen, all: [...Object.values(seen), context ?? ''].map(asText).join(' ') };
}

function asText(said: unknown): string {
	return typeof said === 'string' ? said : JSON.stringify(said);
}
