import type { Page } from './page.mts';

const DEVICE = 'contract/device.test.mts';
const JOBS = 'contract/device-jobs.test.mts';
const SCHEMA = 'contract/output-schemas.test.mts > lists each field that it puts out';

const claims: Page['claims'] = {
	'Reads the details of a device: its hardware, network speed, jobs, earnings and downtime.': [
		`${DEVICE} > [device.%s] is a %s, from the service to the item`,
		`${DEVICE} > [device.jobs]`,
		`${JOBS} > [device.downtime_by_date]`,
	],
	'It changes nothing.': ['contract/service.test.mts > [service.explorer.read_only]'],
	'Credential: Compute Marketplace Token API or Compute Marketplace OAuth2 API, chosen under Authentication.':
		[
			'contract/service.test.mts > [auth.access_token]',
			'integration/oauth2.test.mts > a valid token is sent as Authorization: Bearer',
		],
	'Get | Output: the device, its jobs, or its downtime by day | One item; one for each job; one for each day':
		[`${DEVICE} > [device.get.200]`, `${DEVICE} > [device.jobs]`, `${JOBS} > one item a day`],
	'Get Block Rewards | From Date and To Date; the time of day is ignored | One item with the total':
		[
			`${JOBS} > [explorer.block-rewards]`,
			`${JOBS} > [explorer.block-rewards.date] a day may be what`,
		],
	'Get Proof of Work | One item: challenges passed and failed': [
		`${JOBS} > [explorer.pow-summary]`,
		SCHEMA,
	],
	'Get Summary | One item: hours, traffic, earnings, speed': [
		`${JOBS} > [explorer.summary]`,
		SCHEMA,
	],
	'All operations belong to the resource Device.': [
		'contract/frozen/interface.test.mts > nodes: nothing is removed or changed',
	],
	'The service sends the times of a job in UTC, but without a time zone.': [`${JOBS} > [job.time]`],
	'`start_time` and `end_time` keep that text; `start_time_iso` and `end_time_iso` have the zone.':
		[`${JOBS} > kept as sent, with an ISO time beside each`],
	'`Device ID is required and must not be empty` | An expression returned nothing: check the input of the node':
		['integration/bad-input.test.mts > Device ID … '],
	'`From Date must not be after To Date …` | Swap the two dates': [
		'integration/bad-input.test.mts > days in the wrong order',
	],
	'`The service reports "…" for device …` | The service answered without the device: try again later':
		['integration/bad-answers-content.test.mts > a device response without success'],
	'`Authentication failed (401)` | The token has expired, or it belongs to another base URL': [
		'integration/bad-answers.test.mts > Authentication failed (401)',
	],
	'Returns the jobs of a device that earned something.': ['e2e/pages.test.mts > executes as it is'],
};

const instructions = [
	'It is meant for people who operate devices, and for reports.',
	'Replace `YOUR-DEVICE` with the ID of your device.',
];

export const explorer: Page = { file: 'docs/explorer.md', claims, instructions };
