import type { Page } from './page.mts';

const I = 'integration';
const LAW = 'worlds/laws/retrieval.mts';
const ENGINES = 'sandbox/worlds/retrieval/engines.mts';

/** The part of the claims in `rag.mts` that is about documents and errors. */
export const ragDocuments: Page['claims'] = {
	'The node makes the ID of a document from what identifies it, so it finds the same document again.':
		[
			'unit/upload.test.mts > the ID of a file comes from its name, or from its content where it has none',
			`${I}/rag-documents-exists.test.mts > %s: found by its ID, uploaded once`,
		],
	'If a response is lost, the node looks for that ID, and in the list of documents, since some engines choose IDs by themselves.':
		[
			`${I}/rag-documents-exists.test.mts > %s: found by its ID, uploaded once`,
			`${ENGINES} > IDs of its own`,
			`${I}/rag-conflicts.test.mts > a lost answer: the list shows one with %s`,
		],
	'If neither shows it within two minutes, the outcome is unknown.': [
		`${I}/rag-documents-exists.test.mts > not found: "outcome unknown" with the ID, and one upload`,
		`${I}/rag-conflicts.test.mts > it is unknown, and not sent again`,
	],
	'A retry looks again, and sends the document once more only if neither has it.': [
		`${I}/rag-documents-exists.test.mts > Retry On Fail asks for it first, then sends the same ID again`,
		`${LAW} > no upload twice for one item`,
	],
	'A service that shows a document even later and does not keep its ID then has it twice.': [
		'review/intelligence5/documents.test.mts > at a service whose reads are 150 s behind',
	],
	'Identify By says what makes a document the same one as an earlier document:': [
		`${I}/rag-documents-exists.test.mts > identified by its content, a file of the same name is another document`,
	],
	'File Name | The default: a file with the same name. Of a text or a file without a name: same content':
		[
			'unit/upload.test.mts > the ID of a file comes from its name, or from its content where it has none',
		],
	'Content | The same bytes, whatever the name: for forms, where people upload files of one name': [
		`${I}/rag-documents-exists.test.mts > identified by its content, a file of the same name is another document`,
	],
	'Document Key | The same Document Key, such as a path or an ID from another system': [
		`${I}/rag-documents-exists.test.mts > a key of its own identifies a document, whatever its name is`,
	],
	'Skip returns the existing document.': [
		`${I}/rag-documents-exists.test.mts > skip: the existing document`,
	],
	'`content_changed` says whether its content differs.': [
		`${LAW} > Skip says where the content differs`,
	],
	'It is `null` if that is unknown, for example after an upload that was refused.': [
		`${LAW} > Skip says where the content differs`,
	],
	'If a document has no hash, it is downloaded and compared, up to 1 MiB.': [
		'integration/rag-compared.test.mts > without a hash is compared, or not',
	],
	'Replace If Changed keeps a document with the same content, and replaces it otherwise.': [
		`${I}/rag-documents-exists.test.mts > replace if changed: what is equal is not sent`,
		`${LAW} > what is equal is not sent again`,
	],
	"It stores a hash of the content in the metadata, as `n8n_sha256`, and the document's identity as `n8n_identity`.":
		[
			`${I}/rag-conflicts.test.mts > one with its identity and its hash needs no look at the content`,
		],
	'Replace does so in any case.': [
		`${I}/rag-documents-exists.test.mts > replace: one document, with the new content`,
	],
	'A replacement uploads the new document, waits until it can be searched (up to Timeout, also without Wait Until Ingested), and then deletes the earlier one.':
		[
			`${LAW} > what an output calls replaced is gone, and the new one is searchable`,
			`${I}/rag-replace.test.mts > a timeout of the ingestion: nothing is deleted`,
		],
	'`replaced_deleted` in the output names it.': [
		`${LAW} > what an output calls replaced is gone, and the new one is searchable`,
	],
	'If the new one cannot be ingested, the earlier one stays.': [
		`${LAW} > if the new one cannot be ingested, the earlier one stays`,
		`${I}/rag-replace.test.mts > an ingestion that fails: the earlier document stays`,
	],
	'In three cases the earlier one is deleted first: if the content is the same, which keeps its ID (`replaced` in the output); if you set a Document ID, which only one document can have; and if the service refuses a second document with the same file name or text (409).':
		[
			`${I}/rag-documents-exists.test.mts > replace with the same content keeps the ID`,
			`${I}/rag-replace.test.mts > replace with a Document ID of its own`,
			`${ENGINES} > names are unique`,
		],
	'So use a Document Key rather than a Document ID: whatever has that ID is taken for the earlier document.':
		[`${I}/rag-replace.test.mts > replace with a Document ID of its own`],
	'Otherwise, a document that the node did not create for this identity is never deleted.': [
		`${LAW} > a document that the node did not create for this identity is never deleted`,
	],
	'Executions that create the same document take turns within one n8n process.': [
		`${I}/rag-races.test.mts > %s: what each says that it stored was stored, and the last one stays`,
	],
	'There, a version is deleted only if it was seen before the upload, or was created before the new one.':
		[
			`${I}/rag-races.test.mts > a later version that has the ID of an earlier one by now is not deleted`,
		],
	'If both IDs are in use, the node waits for the one that is still being ingested.': [
		`${I}/rag-races.test.mts > where no ID is free, what is being ingested is waited for, and not deleted`,
	],
	'Wait Until Ingested waits until the document can be searched.': [
		`${I}/rag-documents.test.mts > waits until it is ingested, and returns the states`,
	],
	'Then the document is also in all Collection IDs, which some versions of the engine forget.': [
		`${ENGINES} > collections lost at ingestion`,
		`${I}/rag-examples.test.mts > three ingested documents are in the collection`,
	],
	'Title is the name in lists and sources.': [
		'contract/rag-extra.test.mts > [document.create.title] of a text is sent as it is',
	],
	"For a file, the file's extension is added, since R2R takes the title for the file name and refuses one without (415).":
		['contract/rag-extra.test.mts > [document.create.title] "%s" of %s is sent as %s'],
	'Chunk Size, Chunk Overlap and Ingestion Config apply with the Ingestion Mode Custom.': [
		'contract/rag-extra.test.mts > [document.create.ingestion_config]',
	],
	'Files can have up to 100 MiB.': [`${I}/rag-documents-input.test.mts > a file above the limit`],
	'If Exists of Collection > Create can return the existing collection, so that a workflow can start with it each time.':
		[
			`${I}/rag-groups.test.mts > are created, read, updated, filled, emptied and deleted`,
			`${I}/rag-examples.test.mts > three ingested documents are in the collection`,
		],
	'Add Document with a document that is there already returns `already_added: true`.': [
		'contract/rag-extra.test.mts > a document that is in the collection already is no error',
	],
	'Any other conflict (409) is an error.': [
		'review/intelligence10/collections.test.mts > is not called added before: %s',
	],
	'If the service puts an `error` at the top of a successful answer, the item calls it `service_error`.':
		[`${I}/paid-results.test.mts > a response with an error field is one item, requested once`],
	"Otherwise n8n's Retry On Fail would treat the item as failed.": [
		`${I}/paid-results.test.mts > a response with an error field is one item, requested once`,
	],
	'Ask, Generate, RAG Query and Agent wait for a 429, up to a minute, and are sent again twice.': [
		`${I}/rag-paid.test.mts > is sent again twice after a 429 that names a time`,
		'unit/retry.test.mts > waits for exactly 60 s',
	],
	'What was answered is not paid for again by Retry On Fail.': [
		`${I}/rag-paid.test.mts > that was answered is not paid for again by Retry On Fail`,
	],
	'Delete Many reads the list of documents, compares each with the filters, and deletes those that match by their IDs.':
		[`${I}/rag-delete-many.test.mts > deletes what the dry run shows, and nothing else`],
	'Dry Run is on until you turn it off, and shows the same documents.': [
		`${I}/rag-delete-many.test.mts > a dry run, which is the default, lists what matches and deletes nothing`,
	],
	'So nothing is deleted that a dry run does not show, though a service may delete by a filter itself.':
		[`${I}/rag-delete-many.test.mts > deletes what the dry run shows, and nothing else`],
	'At least one condition is needed.': [`${I}/rag-delete-many.test.mts > no condition`],
	'A field that a document does not have matches no condition, not even Is None Of: documents that somebody else has made stay.':
		[
			`${I}/rag-delete-many.test.mts > what a document lacks does not make it match: documents of others stay`,
		],
	'After the deletions, each document is read again, for up to 14 seconds while one still shows.': [
		'unit/document-delete-many.test.mts > are not called deleted, and are looked at together',
	],
	'Of one that still shows, or that the service takes to delete later (202), `deleted` is `null` and `accepted` is `true`, with a `hint`, as for every Delete.':
		[`${I}/rag-delete-many.test.mts > what the service takes to delete later`],
	'If more documents match than Limit allows, none is deleted.': [
		`${I}/rag-delete-many.test.mts > more than Limit deletes none; the error says how many match`,
	],
	'To delete what vanished from a folder, compare the metadata of its documents with the files that are there: Is None Of, with a list from an expression.':
		[`${I}/rag-examples.test.mts > 10 uploads and 15 deletions`],
	'Without If Exists it is an error: a second run with the same document stops.': [
		`${I}/rag-documents-exists.test.mts > error, the default: nothing is sent, and the error names the document`,
	],
	'`Document … already exists` | Nothing was sent. If Exists skips or replaces': [
		`${I}/rag-documents-exists.test.mts > error, the default: nothing is sent, and the error names the document`,
	],
	'`Max Context Characters must be at least the length of the best chunk …` | Chunks are not cut: allow more, or ingest smaller chunks':
		[`${I}/rag-ask.test.mts > cuts the context between chunks`],
	'`The response contains no answer` | What came is in the details, under `response`. Check the prompt and the model':
		[`${I}/rag-ask.test.mts > a response that is %s is an error with what came`],
	'`The service sends the same … entries for every page: …` | It ignores `offset`. Turn off Return All and set Limit to get these':
		[`${I}/pages-offset.test.mts > where the offset is ignored and the service`],
	'`Document … was deleted while it was ingested` | Another execution has replaced it. Run the item again':
		[`${I}/rag-races.test.mts > a document that is deleted while it is ingested is an error`],
	'`The service could not ingest document …` | If Exists set to Replace sends it again, even in a retry':
		[
			`${I}/rag-documents.test.mts > a failed ingestion is an error`,
			`${I}/rag-replace.test.mts > a retry sends again a document whose ingestion failed`,
		],
	'`Minimum Score needs the option Include Scores` | Without scores, no chunk can reach it': [
		`${I}/rag-ask.test.mts > a minimum score without scores is an error, and nothing is sent`,
	],
	'`Metadata (JSON) must contain at least one key: there is nothing to change` | The expression returned an empty object':
		['contract/rag-metadata.test.mts > must contain at least one key: there is nothing to change'],
	'`No collection has the name …`, `… collections have the name …` | Choose it from the list, or use its ID. Case and whitespace are significant':
		[`${I}/rag-collection-names.test.mts > a name that is not that of one collection is an error`],
	'`Collection IDs must contain at least one ID` | The expression returned nothing. Without the option, all collections are searched':
		[`${I}/rag-filters.test.mts > Options: Collection IDs must contain at least one ID`],
	'`… The earlier document was deleted already` | The new one is not ingested: run the item again':
		[`${I}/rag-replace.test.mts > after the deletion: the error names the document, in each try`],
	'`Document … is ingested, but the earlier one is not deleted: …` | Run the item again, or delete it with Document > Delete':
		[`${I}/rag-replace.test.mts > a deletion that is refused: the new document is ingested`],
	'`Document … is not an earlier version of this one, so it is not replaced` | Somebody else has put it there. Delete it, or use another file name':
		[
			`${I}/rag-replace.test.mts > a document of somebody else that has the name: it is not replaced`,
		],
	'`Items … and … of this execution are the same document: …` | Give one of them another file name or text, or a Document ID of its own':
		[
			`${I}/rag-documents-exists.test.mts > the same file twice in one execution is an error`,
			`${I}/rag-replace-items.test.mts > two items with the same ID: the error advises another one`,
		],
	"Ingests a text and asks a question about it. rag-from-files does the same with files, a form and a chat. rag-evaluation measures the answers to ten questions in n8n's Evaluations tab: how often the expected document is among the sources, and what another model thinks of the answer.":
		[
			'e2e/pages.test.mts > executes as it is',
			"e2e/evaluation.test.mts > n8n's Evaluations tab measures ten questions",
		],
	'A successful answer that has nothing but an error is an error.': [
		'review/intelligence/refusals.test.mts > a gateway answers 200 and says no in the body',
	],
	'Dates such as `2026-01`, `2026-01-31` or `2026-01-31T09:00:00+01:00` are compared by the moment that they name, also by Equals, Not Equals, Is One Of and Is None Of; without a time zone, that is UTC.':
		[
			'review/intelligence/documents.test.mts > times in other zones and forms',
			'unit/filterMatch.test.mts > is one moment, however it is written',
		],
	'A document whose value cannot be compared stays, also with Not Equals and Is None Of: a number with `true`, a list or a text that is no number, a date with a text that is no date.':
		['unit/filterMatch.test.mts > only what matches for certain'],
	'Not Equals, Like and those for less and greater refuse a list.': [
		'unit/filterMatch.test.mts > cannot be evaluated',
	],
	'If a deletion fails, `details.deleted_before` has the documents that were deleted before it.': [
		`${I}/rag-delete-many.test.mts > a deletion that fails is an error that names what was deleted before it`,
	],
	'Retry On Fail goes on with what matches then, and the output has the documents of all tries.': [
		'review/intelligence7/documents.test.mts > tells each document that it has deleted',
		'unit/document-delete-many.test.mts > leaves what does not match any more',
	],
	'`The list … in each of … tries to read it, so entries may be missing` | Its pages overlap, so others may be missing. Try again':
		['review/intelligence/documents.test.mts > the pages of the list overlap'],
	'`The service answered 200, but says no: …` | What the service says is in its own words: it took the request as refused':
		[`${I}/bad-answers-content.test.mts > a status without its data`],
	'`The search found … chunks, but no … in them that is known` | Search shows them. Without scores, Minimum Score cannot be used':
		[`${I}/rag-ask.test.mts > if none has one, nobody can tell`],
};
