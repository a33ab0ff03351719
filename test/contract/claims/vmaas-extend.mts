import type { Page } from './page.mts';

const I = 'integration';

/** The part of the claims in `vmaas.mts` that is about Extend and Wait For. */
export const vmaasExtend: Page['claims'] = {
	'Extend adds whole hours to a deployment that has not ended.': [
		'contract/extend-destroy.test.mts > [extend.duration_hours] integer',
	],
	'`added_hours` counts what the details show.': [
		`${I}/extend.test.mts > adds hours; returns ID, added hours and the new end`,
	],
	'Where the service took the request and two minutes later nothing shows it, `added_hours` is null, with `accepted: true`, `requested_hours` and a `hint`.':
		[`${I}/extend.test.mts > a 2xx that the details do not show in time: a success with a hint`],
	'The price limits are those of the added hours for all VMs.': [
		`${I}/extend.test.mts > above the maximum price: an error with both prices`,
		`${I}/price-limits.test.mts > extend prices the size that the details show`,
	],
	'Extensions of one deployment in this n8n process are sent one after the other, and each counts only the hours that the earlier ones have not added.':
		[
			'worlds/scenarios/life.mts > two items extend',
			'worlds/laws/computeChanges.mts > added hours were added',
		],
	'If an answer is lost and the details then show more hours than ordered, the outcome is unknown, since somebody else may have extended it.':
		[
			'worlds/scenarios/life.mts > extend, not made, another extends',
			`${I}/unknown-outcome-extend.test.mts > details without a time prove nothing`,
		],
	'Some services add up the minutes of all VMs or GPUs: with a price limit, the node can tell by the amount that was paid.':
		[
			'sandbox/worlds/compute/times.mts > minutes summed over GPUs',
			'worlds/scenarios/life.mts > extend within a limit',
		],
	'On Timeout is an error, or an item with `reached: false` for a loop.': [
		`${I}/waitFor.test.mts > timeout: an error with the last state`,
		`${I}/waitFor.test.mts > timeout with On Timeout = Output`,
	],
	'The node keeps waiting through an outage of the service, until Timeout, and waits 300 seconds at most, since it occupies an n8n worker: use Retry On Fail or the loop to wait longer.':
		[
			`${I}/waitFor-outages.test.mts > an outage that passes is waited for`,
			`${I}/waitFor.test.mts > waits 300 seconds at most`,
		],
	'Running and Reachable by SSH means that the SSH server of every VM has answered; VMs that have ended or were replaced do not count.':
		[
			`${I}/waitFor.test.mts > VMs that were replaced or have ended do not count for SSH`,
			'sshd/sshd.test.mts > is reachable for a stranger',
		],
	'It needs no SSH credential, since an answer that rejects the login is an answer, too.': [
		`${I}/ssh-errors.test.mts > without the credential: a server that rejects a stranger is one`,
	],
	'With the credential, the node logs in.': [
		`${I}/ssh-errors.test.mts > Running and Reachable by SSH`,
	],
	'At the timeout, the error names the first VM that does not answer, and why.': [
		`${I}/ssh-errors.test.mts > names the VM and says why not`,
	],
	'A deployment that the service has not shown yet may be new: the node waits two minutes for it.':
		[
			`${I}/waitFor.test.mts > one that is too young to show is waited for`,
			`${I}/waitFor.test.mts > one that was never seen is looked for for two minutes`,
		],
	'A deployment counts as gone only if it was seen in this execution and then missing for a minute, in three looks or more, since a service may show nothing for some seconds; a new one not within its first two minutes.':
		[
			`${I}/waitFor.test.mts > what the service no longer shows is gone after two minutes, where it is new, and only if it was seen`,
			'review/money5/copies.test.mts > after a machine was seen: it has not ended',
		],
	'A look that is under way at the timeout gets ten more seconds.': [
		`${I}/waitFor-outages.test.mts > a look does not go on after the timeout`,
	],
	'Then the last state that was read counts.': [
		`${I}/waitFor-outages.test.mts > with the last state that was read, or unknown`,
	],
};
