import type { Page } from './page.mts';
import { vmaasErrors } from './vmaas-errors.mts';
import { vmaasExtend } from './vmaas-extend.mts';
import { vmaasTeardown } from './vmaas-teardown.mts';

const I = 'integration';
const LAW = 'worlds/laws/compute.mts';
const NAMES = 'worlds/scenarios/names.mts';

const claims: Page['claims'] = {
	'Rents GPU VMs by the hour, extends deployments and destroys them.': [
		'contract/extend-destroy.test.mts > hardware list → price → deploy → extend → destroy',
	],
	'Deploy, Deploy Cheapest and Extend spend money; Cost safety says how the node protects it.': [
		'contract/forms.test.mts > what spends money shows its price limits',
	],
	'Credentials: Compute Marketplace API.': ['contract/service.test.mts > [auth.api_key]'],
	'For commands and files on a VM also Compute SSH API, see Commands and files.': [
		`${I}/ssh-errors.test.mts > without the credential, before anything is asked`,
	],
	'Hardware | Get Many | Lists offers. Filters: GPU, family, regions, supplier, memory, cores, storage':
		['contract/hardware.test.mts > [hardware.filter.%s] is sent under this name alone'],
	'Price | Get | Calculates the total, with fees and discount': [
		'contract/price.test.mts > [price.200]',
	],
	'Deployment | Deploy | Rents VMs of one hardware, in a location or a private node pool': [
		'contract/deploy.test.mts > [deploy.body.all]',
		'contract/deploy-fields.test.mts > [deploy.node_pool_id]',
	],
	'Deploy Cheapest | Rents the cheapest offer that passes the filters': [
		`${I}/cheapest.test.mts > deploys the cheapest available offer`,
	],
	'Wait For | Waits until it is running, shows its SSH addresses, has ended or is destroyed': [
		`${I}/waitFor.test.mts > returns with the first check after the state is reached`,
		`${I}/waitFor.test.mts > until every VM has an SSH address`,
	],
	'Extend | Adds hours': [
		`${I}/extend.test.mts > adds hours; returns ID, added hours and the new end`,
	],
	'Destroy | Terminates one deployment, or several by expression': [
		`${I}/destroy.test.mts > returns deleted`,
		`${I}/destroy.test.mts > several IDs: all are tried`,
	],
	'Destroy Many | Terminates all with a name, or a prefix of it, up to Limit': [
		`${I}/destroy-many.test.mts > destroys by prefix, up to the limit`,
		`${I}/destroy-many.test.mts > Match = Exact`,
	],
	'Get, Get Many | Returns one, or all filtered by status, name prefix and age': [
		'contract/deployments.test.mts > [deployment.get]',
		'contract/deployments.test.mts > [deployments.status]',
		'contract/deployments.test.mts > [deployments.older]',
	],
	'Get Spending | Adds up what was paid, what is left of it, and the cost of an hour': [
		`${I}/spending.test.mts > equals the books: paid after refunds, what is left, and the cost of an hour`,
	],
	'VM | Get Many, Get Jobs | Returns the VMs with SSH address, ports and events, and their jobs': [
		'contract/deployments.test.mts > [vms.get]',
		'contract/deployments.test.mts > [vms.jobs]',
		'contract/vms.test.mts > [vms.fields]',
	],
	'Run Command | Runs a shell command on a VM; returns its output and exit code': [
		`${I}/ssh-commands.test.mts > returns the output, the exit code and where it ran`,
	],
	'Upload File | Puts a file of the input item on a VM': [
		`${I}/ssh-files.test.mts > 5 MiB up and down have the same checksum`,
	],
	'Download File | Gets a file of a VM into a binary field': [
		`${I}/ssh-files.test.mts > 5 MiB up and down have the same checksum`,
	],
	'Job | Run, Start, Collect | Runs a command on a VM of its own and destroys it: see Jobs': [
		`${I}/job-run.test.mts > brings output and files back, and its VM is destroyed`,
	],
	'Hardware, location and deployment are searchable lists.': [
		`${I}/list-search.test.mts > is a resource locator with the modes list and id`,
	],
	'The list of locations depends on the hardware.': [
		`${I}/list-search.test.mts > depend on the hardware: %j has %d`,
	],
	'Sold-out offers come last.': [
		`${I}/list-search.test.mts > cheapest first, then without a price, then sold out`,
	],
	'The `price` of an offer is in USD for an hour of the whole configuration, with all of its GPUs.':
		['contract/hardware.test.mts > [hardware.price.unit]'],
	'Otherwise Deploy stops at the second item, whose name exists already.': [
		`${I}/deploy.test.mts > a second item of the same name`,
	],
	'Get, Wait For, Extend and Destroy also take the exact name of a deployment (By Name).': [
		`${I}/destroy-names.test.mts > Get and Extend, too; where there is not exactly one`,
		`${I}/waitFor.test.mts > by name: the one that has not ended`,
	],
	'Exactly one deployment of that name may be alive.': [
		`${I}/destroy-names.test.mts > several that have not ended: an error that names them`,
	],
	'One hardware may come in several sizes: the lists then read `1 or 8 × RTX A6000 · from $0.55/h · 48 GB each` and `US · 1 × $0.55/h, 8 × $4.40/h`.':
		[
			`${I}/sizes.test.mts > hardware: once, with its sizes`,
			`${I}/sizes.test.mts > locations: each size with its price`,
		],
	'An empty GPUs per VM takes the only size that the hardware has in the location.': [
		`${I}/sizes.test.mts > the only size there is taken, whatever there is elsewhere`,
	],
	'If there are several, Deploy and Price > Get stop with an error that names them: enter the one that you want.':
		[`${I}/sizes.test.mts > several sizes there are an error that names them`],
	'In Deploy Cheapest, an empty field means any number.': [
		`${I}/bad-input.test.mts > GPUs per VM of Deploy Cheapest: any number by default`,
	],
	'Price > Get takes further locations under Options > More Locations and asks for all of them in one request.':
		['contract/price.test.mts > [price.location_ids] several locations in one request'],
	'A deployment has exactly one location.': [
		'contract/deploy-fields.test.mts > [deploy.location_ids] [deploy.location_ids.length] exactly 1 element',
	],
	'The node checks the name first, then hardware and price.': [
		`${I}/deploy-names.test.mts > If Name Exists is checked first`,
	],
	'Dry Run does the same checks and returns the request and its price.': [
		`${I}/deploy.test.mts > a dry run returns the request and the price`,
		`${I}/deploy-names.test.mts > a dry run: the same error, the same item`,
	],
	"Price limits: Maximum Price and Maximum Hourly Price are compared with the service's total for all VMs, in their Currency.":
		[
			`${I}/deploy.test.mts > above the maximum price: an error`,
			`${I}/deploy.test.mts > above the maximum hourly price: an error`,
			`${I}/price-limits.test.mts > the price of several VMs`,
		],
	'If the service names no total above 0, or one for another number of VMs, GPUs or hours, or in another currency, nothing is bought.':
		[
			`${I}/price-limits.test.mts > is not the price of this order: nothing is sent`,
			`${I}/price-limits.test.mts > a total in usdc does not count for another currency`,
			`${I}/deploy.test.mts > names no total`,
		],
	'Some services only name a total in usdc: choose usdc as Currency there.': [
		`${I}/price-limits.test.mts > the service shows no total price in usdc, only in tok`,
	],
	'Without a limit, such a price is left out of the item.': [
		`${I}/price-limits.test.mts > without a limit, it is no error and not in the output`,
	],
	'If Name Exists: stop with an error (default), use the existing deployment, or deploy anyway.': [
		`${I}/deploy.test.mts > If Name Exists = Error, the default`,
		`${I}/deploy.test.mts > If Name Exists = Use Existing, Deploy Anyway`,
	],
	'An existing deployment is used, whatever its price, if it runs or starts, has the ordered size and has Min Remaining Hours left (1 unless you set it).':
		[
			`${I}/deploy-names.test.mts > the existing one is returned whatever its hardware and price are now`,
			`${NAMES} > exists: use it, three minutes are left`,
			`${NAMES} > exists: use it, it is smaller`,
		],
	'Otherwise it is an error.': [
		`${NAMES} > exists: use it, it is smaller`,
		`${NAMES} > exists: use it, three minutes are left`,
	],
	'A `hint` says if its hardware is not the one that was ordered.': [
		`${I}/deploy-names.test.mts > the existing one is returned whatever its hardware and price are now`,
	],
	'Some services change names: a name in another case, with other characters between its words (`my-job` of `My Job`), without its accents or some of its characters, or cut at 20 characters or more, stops a purchase, too, but is never used as the existing one.':
		[
			'review/money/purchases.test.mts > is not asked for a second one each night',
			'review/money3/identity.test.mts > stops a purchase, and is never used',
			'sandbox/worlds/compute/names.mts > names lower-cased',
			'sandbox/worlds/compute/names.mts > names cut at 20',
			`${LAW} > no wish is bought twice`,
		],
	'What this n8n process has deployed in the last two minutes counts even if the service does not list it yet, and for 15 minutes if its details show it.':
		[
			'review/money5/starting.test.mts > is not bought again by an execution %d minutes later',
			`${NAMES} > two executions at once`,
		],
	"If the details show that the service has changed the name, the item has its name for it, and yours as `requested_name`: use the service's name from then on.":
		[`${I}/deploy-names.test.mts > another name is in the item, beside the one that was asked for`],
	'A `hint` says if they show another size or other hours than ordered, and if something else is new under the name: a proxy may have sent the request twice.':
		[
			'review/money/purchases.test.mts > names both containers',
			`${I}/deploy-names.test.mts > another size, or other hours, are told in a hint`,
		],
	'As a tool of an AI agent, Deploy, Deploy Cheapest and Extend need a fixed Maximum Price, or a fixed Maximum Hourly Price with fixed hours.':
		[
			`${I}/agent-limit.test.mts > without a price limit`,
			`${I}/agent-limit.test.mts > with a limit per hour where the model chooses the hours`,
			`${I}/agent-limit.test.mts > an extension without a limit is refused`,
		],
	'A limit that the model fills in does not count.': [
		`${I}/agent-limit.test.mts > with a limit that the model chooses`,
	],
	'Unique Name adds a suffix to the name, so that each execution gets its own deployment.': [
		`${I}/deploy.test.mts > a unique name is that of this execution, node and item`,
	],
	'As a tool of an AI agent, leave it off: a model repeats a call that failed, and the same name is what finds the first purchase (`recovered: true`).':
		[
			`${I}/tool.test.mts > a lost answer is found by name`,
			`${I}/tool.test.mts > the same call again: the name exists`,
		],
	'If the list of deployments cannot be read, Unique Name and Deploy Anyway deploy nevertheless.': [
		`${I}/deploy-names.test.mts > does not stop a deploy that does not need it`,
	],
	'If the answer to Deploy Anyway is then lost, the outcome stays unknown: an older deployment may have the same name.':
		[
			`${I}/deploy-names.test.mts > without the list: an older deployment is not taken for the new one`,
		],
	'Additional Fields: GitHub IDs whose keys may log in, network services (open ports), image type.':
		[
			'contract/deploy-fields.test.mts > [deploy.github_ids]',
			'contract/deploy-fields.test.mts > [deploy.network_services.port]',
			'contract/deploy-fields.test.mts > [deploy.vm_image_type.values]',
		],
	'Network Services (JSON) is for a service that wants another shape; it is sent as it is.': [
		'contract/deploy-fields.test.mts > [deploy.network_services] an opaque object: JSON of any shape',
	],
	'Deploy Cheapest has the same parameters, with filters in place of the hardware:': [
		`${I}/cheapest.test.mts > filters by GPU count and hardware filters`,
	],
	'It takes the Max Tries cheapest offers of the hardware list, reads the total of each with fees and discount, and tries them from the lowest total on.':
		[
			`${I}/cheapest.test.mts > the first Max Tries offers are priced, once each`,
			`${I}/cheapest-prices.test.mts > decides, not the list price`,
		],
	'An offer that is sold out or above a price limit is skipped; `tried` in the item says which and why.':
		[
			`${I}/cheapest.test.mts > offers above the price limit are skipped and named`,
			`${I}/cheapest.test.mts > an offer whose price request reports no capacity is skipped`,
		],
	'A `hint` says that a total is far from the price in the list.': [
		`${I}/cheapest-prices.test.mts > decides, not the list price; one that is far from it is told`,
	],
	'It checks every filter on the offers themselves, since a service may ignore a query parameter that it does not know.':
		[`${I}/cheapest-filters.test.mts > the offer that passes is bought, not the cheaper one`],
	'`skipped` counts the offers that do not pass or cannot be checked, such as those without CPU cores when CPU Cores Min is set.':
		[
			`${I}/cheapest-filters.test.mts > an offer without its field cannot be checked`,
			`${I}/cheapest-filters.test.mts > no offer passes: an error that counts them by reason`,
		],
	'If none can be checked, it stops with an error.': [
		`${I}/cheapest-filters.test.mts > an offer without its field cannot be checked`,
	],
	'Regions pass by their code or its first part (`US` includes `us-east-1`); a GPU family passes by whole words (`H100 SXM` includes `H100 SXM5`; `L4` does not include `L40S`).':
		[
			`${I}/cheapest-filters.test.mts > Regions FI, US-East-1`,
			`${I}/cheapest-filters.test.mts > GPU Family h100-sxm, L40, L4`,
			`${I}/cheapest-filters.test.mts > a GPU family`,
		],
	'Additional Fields > Keep Trying For looks again each minute for up to so many minutes (1,440 at most) while everything is sold out or above the limit.':
		[
			`${I}/cheapest-prices.test.mts > looks again each minute until something is free`,
			`${I}/cheapest-prices.test.mts > must be a number from 0 to 1440, got 1441`,
		],
	'It holds a worker of n8n meanwhile.': [
		`${I}/cheapest-prices.test.mts > looks again each minute until something is free`,
	],
	'A stop of the execution ends it at once.': [
		`${I}/cheapest-prices.test.mts > a cancelled execution ends in the pause and sends nothing more`,
	],
	'An answer that leaves open whether something was bought, such as any 5xx, also ends it.': [
		`${I}/cheapest-prices.test.mts > is an unknown outcome: nothing else is tried, also with Keep Trying For`,
	],
	'If your service has another name for a filter, use Query Parameters (JSON) among the filters: `{"gpu": null, "gpu_name": "H100"}` sends `gpu_name` in place of `gpu`.':
		[`${I}/cheapest-filters.test.mts > are sent besides the filters, replace and remove them`],
	'Values replace those of the filters, and null removes one, which is still checked if it is set in the form.':
		[
			`${I}/cheapest-filters.test.mts > replace and remove them; the filters are checked all the same`,
		],
	'Parameters that are only here are not checked on the offers.': [
		`${I}/cheapest-filters.test.mts > are sent besides the filters, replace and remove them`,
	],
	"The item has the fields of the service's answer.": [
		`${I}/deploy-names.test.mts > its fields are kept, the ID as deployment_id`,
	],
	'A `hint` says what is not known yet, such as the ID.': [
		`${I}/deploy-lost-answers.test.mts > a 2xx without an ID, not in the list yet: a success with a null ID and a hint`,
	],
	"An `error` in the service's answer is called `service_error` in the item.": [
		`${I}/deploy-names.test.mts > an error field (%j) does not make n8n deploy again`,
	],
	'Otherwise n8n would treat the item as failed and run the node again.': [
		`${I}/execute-retry.test.mts > a success with a top-level error field is no failure for n8n`,
		`${I}/deploy-names.test.mts > an error field (%j) does not make n8n deploy again`,
	],
	'Deploy Cheapest and Deployment > Get Many reject a filter that is added but empty, such as an expression that returned nothing: an empty filter would let everything pass.':
		[
			`${I}/bad-input.test.mts > Filters: … must not be empty; remove the filter to include everything`,
		],
	...vmaasExtend,
	...vmaasTeardown,
	...vmaasErrors,
};

const instructions = [
	'A node runs once for each input item.',
	'To get one price, or to deploy once, after a list, turn on Execute Once in the settings of the node.',
	'In the editor, Execute step on a later node may run Deploy again, which buys again if its name is free.',
	'Pin the output of Deploy first, or put Destroy into a workflow of its own.',
	'Make a key pair for n8n alone: `ssh-keygen -t ed25519 -f n8n-key`.',
	'Create the credential Compute SSH API with the content of `n8n-key`, and its passphrase if it has one.',
	'In Deploy or Deploy Cheapest, choose the credential and turn on Use Public Key of SSH Credential.',
	'Keys of PuTTY must be exported as OpenSSH keys first.',
	'Do not send secrets over networks that you do not trust.',
	'Long commands: a command of hours is better run in the background (`nohup … > log 2>&1 &`) and looked at later, or as a job.',
	'Check it in the console.',
	'Use the ID where you have it.',
	"Workers in queue mode are separate processes: they see a purchase of another one once the service's list shows it.",
];

export const vmaas: Page = { file: 'docs/vmaas.md', claims, instructions };
