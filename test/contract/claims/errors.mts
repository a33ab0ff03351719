import type { Page } from './page.mts';

const I = 'integration';
const ANSWERS = `${I}/bad-answers.test.mts`;
const RETRY = 'unit/retry.test.mts';
const HOSTILE = 'property/hostile-server.test.mts';
const DEADLINES = `${I}/deadlines.test.mts`;

const claims: Page['claims'] = {
	"An error repeats the service's own words.": [
		`${ANSWERS} > one request, and an error in the words of the service`,
	],
	'Its description says what to do.': [
		`${ANSWERS} > Check the key or token in the credential`,
		'unit/errors.test.mts > has the advice of the service where that has some',
	],
	'`location_ids: only a single location is supported` | The service rejected this field (422)': [
		`${ANSWERS} > location_ids: only a single location is supported`,
	],
	'`Duration (Hours) must be a whole number from 1 to 8760, got …` | Found before anything was sent':
		[`${I}/bad-input-deploy.test.mts > Duration (Hours) must be a whole number from 1 to 8760`],
	'`Authentication failed (401)` | Wrong key or token, or it belongs to another base URL': [
		`${ANSWERS} > Authentication failed (401)`,
	],
	'`Rate limit or quota exceeded (429)` | The description says when to try again': [
		`${ANSWERS} > Retry after 60 minutes.`,
	],
	'`The service redirects to another address` | Redirects are not followed, so that no key reaches another host':
		[`${I}/http.test.mts > to another host is not followed and carries no key`],
	'`Deploy of "…": outcome unknown` | The deployment may exist, see Cost safety': [
		`${I}/deploy-lost-answers.test.mts > not found in time: "outcome unknown"`,
	],
	'`There is no deployment …` | Unknown ID, or the key belongs to another account': [
		'contract/extend-destroy.test.mts > [extend.404]',
	],
	'With On Error set to Continue, a failed item has `error` and `details`; the other items are not affected.':
		[
			`${I}/bad-answers-content.test.mts > a failed read is an item with error and details`,
			`${I}/execute.test.mts > four deployments and an error, paired`,
		],
	'The nodes retry by themselves and wait as long as `Retry-After` asks, up to 60 seconds, and never less than a back-off of their own:':
		[
			`${RETRY} > waits its back-off after a Retry-After of 0`,
			`${ANSWERS} > waited for, then tried again`,
			`${RETRY} > waits for exactly 60 s, and gives up at once above that`,
		],
	'Reads and searches | 3 | 408, 425, 429, 500, 502, 503, 504, lost connections': [
		`${RETRY} > … is sent … times at most`,
		`${RETRY} > …: … is tried again`,
		`${ANSWERS} > three tries, then an error`,
	],
	'Destroy | 5 | The same; then again until Verify Timeout is over': [
		`${RETRY} > … is sent … times at most`,
		`${I}/destroy.test.mts > is asked again within Verify Timeout`,
	],
	'Chat, answers, embeddings | 3 | 429, 503 with `Retry-After`, requests that were not sent': [
		`${RETRY} > … is sent … times at most`,
		`${RETRY} > billed: a lost answer is final, its tokens are billed`,
		`${RETRY} > billed: … with Retry-After is …`,
	],
	'Deploy, Extend, new documents | 3 | Requests that were not sent': [
		`${RETRY} > … is sent … times at most`,
		`${RETRY} > ifUnsent: a lost answer is final`,
	],
	'Duration | 1 to 8760 whole hours': [
		'contract/deploy-fields.test.mts > [deploy.duration_hours.max]',
		`${I}/bad-input-deploy.test.mts > duration 0`,
		`${I}/bad-input-deploy.test.mts > duration 1.5`,
	],
	'GPUs per VM | 1 to 8': [
		'contract/deploy-fields.test.mts > [deploy.gpus_per_vm.max]',
		'contract/deploy-fields.test.mts > [deploy.gpus_per_vm.min]',
	],
	'Locations of a deployment | Exactly one': [
		'contract/deploy-fields.test.mts > [deploy.location_ids]',
	],
	'SSH keys | RSA, ECDSA or ED25519, at least one': [
		'contract/deploy-fields.test.mts > [deploy.ssh_keys.types]',
		`${I}/bad-input-deploy.test.mts > SSH Keys must contain at least one public key`,
	],
	'Filters | GPU memory (GB) from 0; CPU cores, device memory and storage (MB) from 1': [
		'contract/hardware.test.mts > [hardware.filter.%s.min] >= 0',
		'contract/hardware.test.mts > [hardware.filter.%s.min] >= 1',
		'contract/hardware.test.mts > [hardware.filter.unit]',
	],
	'Size of a response | 16 MiB; chat 64 MiB; files 100 MiB; embeddings 128 KiB for each text, if that is more':
		[
			`${I}/http.test.mts > a body of exactly the limit is read`,
			`${HOSTILE} > a chat that streams`,
			`${HOSTILE} > a download`,
			`${I}/embeddings.test.mts > 17 MB in one answer, are 230 items`,
		],
	'Time for a response | 60 s; Deploy and Extend 120 s; RAG answers 300 s; chat, embeddings, agents and files 600 s':
		[`${DEADLINES} > has %d seconds`, `${DEADLINES} > a RAG answer`],
	'Concurrent requests | 5 for reads; purchases one after the other': [
		`${I}/execute.test.mts > run at most five at once`,
		`${I}/execute.test.mts > are sent one after the other`,
	],
};

export const errors: Page = { file: 'docs/errors.md', claims };
