import type { Page } from './page.mts';

const T = 'integration/compute-trigger.test.mts';
const OFFER_EVENTS = 'integration/compute-trigger-offers.test.mts';
const DEVICES = 'integration/compute-trigger-devices.test.mts';
const ACTIVATION = 'integration/compute-trigger-activation.test.mts';
const SERVICE = 'integration/compute-trigger-service.test.mts';
const MEMORY = 'integration/compute-trigger-memory.test.mts';
const POLLS = 'integration/compute-trigger-polls.test.mts';
const STATES = `${POLLS} > tell each state of each deployment, and no other`;
const OFFERS = `${POLLS} > tell each offer that appears, but for those that were gone at a restart only`;
const SCHEMA = 'contract/output-schemas.test.mts > lists each field that it puts out';
const REFUSED = `${ACTIVATION} > is refused at the activation`;

const claims: Page['claims'] = {
	'Starts a workflow when a deployment changes or is about to expire, when an offer matches, or when a device is down.':
		['e2e/compute-trigger.test.mts > each event arrives once in an active workflow'],
	'Credential: Compute Marketplace API for deployments and offers, Compute Marketplace Token API or OAuth2 API for devices.':
		[REFUSED],
	'Deployment State Changed | a deployment that is new, or whose status is another one than at the last poll | Compute Marketplace API':
		[`${T} > tells what begins, changes and ends after the base line`, STATES],
	'Deployment Expires Soon | a running deployment with Minutes Before of paid time left, or less; once for each end | Compute Marketplace API':
		[
			`${T} > tells each end once: after an extension it is another event`,
			`${POLLS} > tell each end of each deployment once`,
		],
	'Offer Matches | an available offer that passes the filters and the price, and did not at the last poll | Compute Marketplace API':
		[
			`${OFFER_EVENTS} > tells an offer that appears or gets cheap enough, and again when it has gone`,
			`${OFFER_EVENTS} > a service that ignores the filters shows nothing that does not pass`,
		],
	'Device Down | Downtime Step more minutes of downtime of a device on a day | Compute Marketplace Token or OAuth2':
		[`${DEVICES} > tells each step of the downtime of a day`],
	'With a credential that does not fit the event, the activation fails and says which one it needs.':
		[REFUSED],
	'One item for each event, all events of a poll in one execution.': [
		`${T} > tells what begins, changes and ends after the base line`,
		'e2e/compute-trigger.test.mts > each event arrives once',
	],
	'Each item has what the service shows, and': [
		`${SERVICE} > what the service calls as the trigger does, does not replace its fields`,
		SCHEMA,
	],
	'`event_id` | the same whenever this event is repeated; no other event has it': [
		`${ACTIVATION} > events that n8n drops are told again, with the same ID`,
		'review/logs6/events.test.mts > two ends have two IDs',
		STATES,
	],
	'`event` | as in Trigger On: `deploymentStateChanged`, `deploymentExpiresSoon`, ...': [
		`${ACTIVATION} > a test run shows a sample`,
	],
	'`seen_at` | when the poll saw it. It happened some time since the last poll': [SCHEMA],
	'deployments: `product` (`vmaas` or `caas`), `deployment_id`, `resource_private_name`, `status`, and `state` (`starting`, `running`, `ending`, `ended` or `unknown`, for a status without a known meaning); after a change `former_status` and `former_state`, null for a new one; before an end `remaining_minutes` and `expires_at`.':
		[SCHEMA, `${T} > tells of VMs and containers, whose IDs may be equal`],
	'Other minutes are those of the service, which may add them up over GPUs.': [
		'sandbox/worlds/compute/times.mts > minutes summed over GPUs',
	],
	'offers: `hourly_price` and `former_price`, in USD by the hardware list, without fees.': [
		`${OFFER_EVENTS} > tells a lower price where that is wanted`,
		'contract/hardware.test.mts > [hardware.price.unit]',
	],
	'devices: `device_id`, `date`, `downtime` (seconds of that day) and `note`.': [
		`${DEVICES} > tells each step of the downtime of a day`,
		'contract/device-jobs.test.mts > [downtime.downtime]',
	],
	'The service shows no state of a device, only its downtime by day: a short outage is seen once it is in there, and two of one day may be one event.':
		[`${DEVICES} > tells each step of the downtime of a day`],
	'Execute step in the editor shows what is there now as one item with `sample: true`, and changes nothing for the active workflow.':
		[`${ACTIVATION} > a test run shows a sample, and changes nothing`],
	'The first poll, at the activation, only notes what is there and starts no execution.': [
		`${T} > an empty base line is no reason to tell what was there already`,
		`${MEMORY} > another event has another base line`,
	],
	'What expires soon already then comes with the second poll.': [
		`${T} > tells what expires at the activation with the second poll`,
	],
	'When you change the event or a filter, the next poll is a first one again.': [
		`${ACTIVATION} > another filter has another base line`,
		`${MEMORY} > another event has another base line`,
	],
	'When you activate a workflow again, what has changed meanwhile comes as events.': [
		`${MEMORY} > activated again, what has changed meanwhile comes as events`,
	],
	'Every event comes at least once | n8n saves which events have come with the execution that they start':
		[STATES],
	"Repeated, with the same `event_id` | events that n8n has started an execution for but not saved, as after a kill at that moment. With N8N_POLLER_DURABLE_CURSORS_ENABLED both are one step. Use n8n's Remove Duplicates node on `event_id` where twice is too often":
		[STATES, `${ACTIVATION} > events that n8n drops are told again, with the same ID`],
	'Missed | what comes and goes between two polls. An offer that disappears and comes back around a restart of n8n, with no event in between: n8n saves nothing after a poll without events, unless durable cursors are on. What expires soon and is in no list that the trigger reads in the time before its end. What changed while n8n was down comes when it starts':
		[STATES, OFFERS],
	'Before the first event | n8n saves at the activation what is there. If it could not, its next start is a first poll again':
		[STATES, `${SERVICE} > static data that another node has damaged is another base line`],
	'That something is missing from a list is no event.': [
		`${T} > is no end`,
		`${SERVICE} > a list that loses some for a while tells of none of them`,
	],
	'If the list does not show a deployment any more, the trigger reads its details (5 deployments a poll, for 24 hours and 100 times at least).':
		[
			`${T} > asks for the details of what the list does not show any more`,
			`${SERVICE} > and asks for 5 details a poll`,
			`${MEMORY} > deployments that go without an end do not fill the memory`,
		],
	'If they show its end, that is an event; if nothing shows it, there is none.': [
		`${T} > asks for the details of what the list does not show any more`,
		`${T} > says nothing of what nothing shows`,
	],
	'An empty or incomplete list, an outage, or a web page in place of an answer ends nothing.': [
		`${T} > an empty list`,
		`${T} > half of a list`,
		`${T} > a web page`,
	],
	'A status that goes backwards (running after ended) is an event only after two minutes: until then it may be an old answer.':
		[
			`${T} > an answer of a copy that is behind is no change`,
			'unit/compute-states.test.mts > two copies tell each once',
		],
	'Several statuses after the end (completed, then destroyed) count as one: ended.': [
		`${MEMORY} > one end has several statuses, and is one event`,
	],
	'If a poll fails, n8n shows a failed execution and runs its error workflow.': [
		`${SERVICE} > is shown as a failed poll`,
	],
	'No event is lost by that.': [STATES, OFFERS],
	'At the activation, the error is shown, and the workflow is not activated.': [
		`${ACTIVATION} > an outage at the activation is shown to the person who activates`,
	],
	'If the service is down when n8n starts, the workflow starts all the same.': [
		`${ACTIVATION} > an outage when n8n starts does not keep the workflow down`,
	],
	'One list is read a poll, in pages of 100: 1,000 deployments are 10 requests, and nothing is looked up for each.':
		[`${T} > reads one list of 1,000 deployments in ten requests, and no details`],
	'Before an end, details are read of those alone that the list shows without minutes, with 0, or with minutes that would be few enough if they were added up over GPUs.':
		['review/money5/trigger.test.mts > is told of once, an hour before its end'],
	'10,000 deployments that have not ended.': [
		`${MEMORY} > more than 10,000 that have not ended are an error`,
	],
	'With more, there is an error: set Name Prefix.': [
		`${MEMORY} > more than 10,000 that have not ended are an error`,
	],
	'Those that the service has not shown for a day are forgotten first. 20,000 deployments that have ended are remembered.':
		[
			`${MEMORY} > deployments that go without an end do not fill the memory`,
			`${MEMORY} > beside 20,000 that have ended`,
		],
	'Beyond that, there is no event for one that ended before it was ever seen.': [
		`${MEMORY} > beside 20,000 that have ended, one that was never seen before its end is no event`,
	],
	'100 devices; each poll reads 20 of them in turn.': [
		`${DEVICES} > reads 20 devices a poll, all of them in turn`,
		REFUSED,
	],
	'One message for each offer with 24 GB of GPU memory at $1 an hour or less; put Slack, Gmail or Telegram after it.':
		['e2e/pages.test.mts > executes as it is'],
};

const instructions = [
	"It polls: n8n asks at the node's poll times, once a minute at most.",
	'Beside them:',
	'Give it a workflow without other triggers: n8n saves the static data of a workflow as a whole, and a trigger that was published at another time may take back what this one has saved.',
	'Minutes Before should be more than the time between two polls.',
	'More: expiry-alert, price-watch.',
];

export const computeTrigger: Page = { file: 'docs/compute-trigger.md', claims, instructions };
