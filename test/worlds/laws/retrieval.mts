import type { Comparison, Ingestion, RetrievalRecord } from '../retrievalRecord.mts';
import type { Law } from '../stage.mts';

type RetrievalLaw = Law<RetrievalRecord>;

const told = (ingestion: Ingestion, problem: string) =>
	`${ingestion.operation} of ${ingestion.identity}: ${problem}`;

/** A sentence for each ingestion that contradicts it. */
const each =
	(test: (ingestion: Ingestion) => string | false | undefined): RetrievalLaw['broken'] =>
	({ ingestions }) =>
		ingestions.flatMap((ingestion) => {
			const problem = test(ingestion);
			return problem ? [told(ingestion, problem)] : [];
		});

const compared =
	(of: (record: RetrievalRecord) => Comparison[]): RetrievalLaw['broken'] =>
	(record) =>
		of(record).flatMap(({ what, shown, wanted }) =>
			JSON.stringify(shown) === JSON.stringify(wanted)
				? []
				: [`${what}: ${JSON.stringify(shown)} instead of ${JSON.stringify(wanted)}`],
		);

const namedIn = (output: Ingestion['output'], key: string): string[] =>
	[output?.[key] ?? []].flat().map(String);

/** Sentences about documents, searches and answers, judged by the books of the engine. */
export const retrievalLaws: RetrievalLaw[] = [
	{
		name: 'what must succeed, succeeds',
		broken: ({ world, refusals }) =>
			refusals
				.filter(({ operation }) => world.mustSucceed.includes(operation))
				.map(({ operation, reason }) => `${operation}: ${reason.slice(0, 400)}`),
	},
	{
		name: 'a document that the node did not create for this identity is never deleted',
		broken: each(({ deleted, identity }) =>
			deleted
				.filter((one) => one.identity !== identity)
				.map((one) => `deleted ${one.id} of ${one.identity}`)
				.join(),
		),
	},
	{
		name: 'no upload twice for one item',
		broken: each(
			({ uploaded, failed }) =>
				uploaded.length > Math.max(1, failed.length + 1) && `${uploaded.length} uploads`,
		),
	},
	{
		name: 'what is equal is not sent again',
		broken: each(
			({ operation, hadEarlier, isChanged, uploaded, deleted }) =>
				operation === 'replace if changed' &&
				hadEarlier &&
				!isChanged &&
				uploaded.length + deleted.length > 0 &&
				'it was',
		),
	},
	{
		name: 'what an output calls replaced is gone, and the new one is searchable',
		broken: each(({ operation, output, deleted, searchable, isFound, hadEarlier }) => {
			if (!output || !operation.startsWith('replace')) return undefined;
			const gone = namedIn(output, 'replaced_deleted');
			const stays = gone.find((id) => searchable.includes(id));
			if (stays !== undefined) return `${stays} is called deleted and can be searched`;
			const named = [...new Set([...gone, ...namedIn(output, 'replaced')])].sort().join();
			const really = [...new Set(deleted.map(({ id }) => id))].sort().join();
			if (named !== really) return `it names "${named}" as deleted, and "${really}" was`;
			if (!isFound && hadEarlier) return 'the new content cannot be searched';
			return searchable.length > 1 ? `${searchable.length} versions can be searched` : undefined;
		}),
	},
	{
		name: 'if the new one cannot be ingested, the earlier one stays',
		broken: each(
			({ hadEarlier, isFound, searchable }) =>
				hadEarlier && !isFound && searchable.length === 0 && 'no version can be searched',
		),
	},
	{
		name: 'Skip says where the content differs',
		broken: each(
			({ operation, output, isChanged, isRefused }) =>
				operation === 'skip' &&
				output?.existing === true &&
				output.content_changed !== isChanged &&
				!(isRefused && output.content_changed === null) &&
				`content_changed is ${String(output.content_changed)}`,
		),
	},
	{
		name: 'a filter that the form offers finds exactly what it says',
		broken: compared(({ searches }) => searches),
	},
	{
		name: 'a streamed answer keeps every word and citation that came',
		broken: compared(({ streams }) => streams),
	},
	{
		name: 'a turn that the memory has saved is kept once, in its order',
		broken: ({ chats }) =>
			[...chats].flatMap(([session, { saved, refused, kept }]) => {
				const wanted = saved.flatMap((turn) => [turn, `re: ${turn}`]);
				const others = new Set(refused.flatMap((turn) => [turn, `re: ${turn}`]));
				const shown = kept().filter((text) => !others.has(text));
				return JSON.stringify(shown) === JSON.stringify(wanted)
					? []
					: [`${session}: ${JSON.stringify(shown)} instead of ${JSON.stringify(wanted)}`];
			}),
	},
	{
		name: 'an error says what happened',
		broken: ({ world, refusals }) =>
			refusals
				.filter(({ reason }) => world.says && !world.says.test(reason))
				.map(({ operation, reason }) => `${operation}: ${reason.slice(0, 400)}`),
	},
	{
		name: 'a list shows what it says',
		broken: compared(({ lists }) => lists),
	},
];
