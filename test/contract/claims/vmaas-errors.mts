import type { Page } from './page.mts';

const I = 'integration';
const EXAMPLES = 'integration/examples.test.mts';

/** The part of the claims in `vmaas.mts` that is about errors. */
export const vmaasErrors: Page['claims'] = {
	"An error has the service's own words, with the field that they are about.": [
		`${I}/bad-answers.test.mts > one request, and an error in the words of the service`,
	],
	'Below them is what to do.': [`${I}/bad-answers.test.mts > Correct the fields that are named`],
	'`gpus_per_vm: must be 1, the cards of this hardware` | The service rejected a field (422). Nothing was bought':
		[`${I}/deploy.test.mts > a 422 names every field`],
	'`Hardware … comes in several sizes. …` | Nothing was bought. Enter the size that you want in GPUs per VM':
		[`${I}/sizes.test.mts > several sizes there are an error that names them`],
	'`The filters cannot be checked on any available offer` | Remove the filters below it, or choose the hardware and use Deploy':
		[`${I}/cheapest-filters.test.mts > an offer without its field cannot be checked`],
	'`The price of … is above the Maximum Price of …` | Nothing was bought. Raise the limit, or choose a smaller offer':
		[`${I}/deploy.test.mts > above the maximum price: an error with both prices`],
	'`The price limit cannot be checked: …` | The service named no total of this order in this currency, see Deploy':
		[
			`${I}/deploy.test.mts > a price response that %s: nothing is deployed under a price limit`,
			`${I}/price-limits.test.mts > is not the price of this order`,
		],
	'`… it cannot be told whether it has ended: …` | It was seen before, and nothing shows it now. Check it in the console':
		[
			`${I}/destroy-gone.test.mts > what shows at one time and not at another is an error`,
			`${I}/destroy-gone.test.mts > a 404 to everything after the first look is no end`,
		],
	'`The list of deployments could not be read: …` | Before a purchase: nothing was bought. After a destroy: it may be running':
		[
			`${I}/deploy-names.test.mts > an error with the name, and nothing is deployed`,
			`${I}/destroy-answers.test.mts > a list that is down for a while is waited for`,
		],
	'`Deployment … may still run: …` | The service does not know it, but shows it. Destroy it again':
		[`${I}/destroy-gone.test.mts > a 404 to the DELETE of one that shows`],
	'`The SSH server at … rejects the key for …` | The deployment has another key, or the user is another one':
		[`${I}/ssh-errors.test.mts > a wrong key`],
	'`Nothing listens at …` | The VM has no SSH server yet: Wait For first': [
		`${I}/ssh-errors.test.mts > a closed port`,
	],
	'`Command on VM …: outcome unknown. …` | It was sent. Look on the VM, then execute the workflow again':
		[`${I}/ssh-commands.test.mts > timeout: the outcome is unknown`],
	'`There is no deployment …` | A wrong ID or name, or another account. The message says what was meant':
		[
			'contract/extend-destroy.test.mts > [extend.404]',
			`${I}/destroy-gone.test.mts > the name of a deployment in place of its ID`,
		],
	'`… deployments named "…" have not ended: …` | Choose one of them by its ID': [
		`${I}/destroy-names.test.mts > several that have not ended: an error that names them, and nothing is destroyed`,
	],
	'`The list is incomplete: …` | Its entries move while it is read. Try again': [
		`${I}/pages-complete.test.mts > is an error where it stays incomplete`,
	],
	'`No entry of the list shows a name that is known` | A service that the node does not know. Nothing was deployed or destroyed':
		[`${I}/untrue-answers.test.mts > a list without names is no list in which a name is free`],
	'`Another execution has sent a deploy of …` | Its outcome is unknown. Nothing was deployed now; try in 15 minutes':
		[
			`${I}/untrue-answers.test.mts > another execution of this process sends nothing while the outcome is unknown`,
		],
	'`… it is not the one that this execution has ordered` | Another deployment has the name. If you mean it, choose it by its ID':
		[`${I}/untrue-answers.test.mts > one that was there before is left alone`],
	'`An entry of the list has no ID that is known; …` | A service that the node does not know': [
		`${I}/pages.test.mts > with an entry without an ID is an error that names its fields`,
	],
	'`A deployment named "…" already exists` | Use another name, Unique Name or If Name Exists': [
		`${I}/deploy.test.mts > If Name Exists = Error, the default, names ID and state`,
	],
	'`Deploy of "…": outcome unknown` | The response was lost. Look for the deployment before you deploy again':
		[`${I}/deploy-lost-answers.test.mts > not found in time: "outcome unknown" with the name`],
	'`Extension of … by … hours: outcome unknown` | Look at the remaining time before you extend again':
		[`${I}/extend.test.mts > a lost request without effect: "outcome unknown"`],
	'`… An earlier try was sent, and its outcome is unknown: …` | The values of a retry are not valid, but what was sent before may exist':
		[`${I}/invalid-items.test.mts > with an unknown outcome: the error says so, with the name`],
	'`An earlier extension of … by … hours was made` | An earlier call has added those hours. Run it again to add more':
		[`${I}/tool.test.mts > a call that repeats an extension is told of it in each try`],
	'`Nothing was destroyed now: … may still run and bill` | One item is not valid, so none was sent. Correct it and run again':
		[
			`${I}/invalid-items.test.mts > nothing is destroyed, and the error names those that may still run`,
		],
	'`Deployment … could not be read: …` | While waiting. The deployment keeps running and billing': [
		`${I}/waitFor-outages.test.mts > that does not pass: the timeout names the deployment that bills on`,
	],
	'`Rate limit or quota exceeded (429)` | The description says when to try again': [
		`${I}/bad-answers.test.mts > Retry after 60 minutes.`,
	],
	'The hardware list and the price have errors like that of the list of deployments.': [
		`${I}/deploy-names.test.mts > The hardware list`,
		`${I}/deploy-names.test.mts > The price`,
	],
	'If the error about an earlier extension comes again, wait five minutes.': [
		`${I}/tool.test.mts > minutes later it adds more`,
	],
	'With On Error set to Continue, a failed item has `error` and `details`; the others are not affected.':
		[`${I}/bad-answers-content.test.mts > a failed read is an item with error and details`],
	'One job on the cheapest offer with 24 GB or more, at most $2 per hour, destroyed at the end. nightly-training also destroys it on every path that fails.':
		[
			'e2e/pages.test.mts > executes as it is',
			`${EXAMPLES} > destroys it where it never becomes reachable`,
		],
};
