import type { Page } from './page.mts';

const DEPLOY = 'contract/caas-deploy.test.mts';
const LIFE = 'contract/caas-life.test.mts';
const CAAS = 'integration/caas.test.mts';
const SECRETS = 'integration/caas-secrets.test.mts';
const ANSWERS = 'integration/caas-answers.test.mts';
const LOG = 'contract/log-get-many.test.mts';
const GET_MANY = 'review/logs2/getMany.test.mts';
const URL = `${LIFE} > [caas.public_url] is reached once every container answers`;
const UPDATE = `${LIFE} > [caas.update] PATCH`;
const BY_NAME = `${LIFE} > by name, and never the VMs of the same name`;
const LAW = 'worlds/laws/compute.mts';

const claims: Page['claims'] = {
	'Runs container images on rented GPUs by the hour, and reads their containers and logs.': [
		'e2e/caas.test.mts > a container is deployed, updated, extended and destroyed',
		`${LOG} > containers, as items and in the list searches`,
	],
	'Deploy and Extend spend money; Cost safety says how the node protects it.': [
		'contract/forms.test.mts > what spends money shows its price limits',
	],
	'Credentials: Compute Marketplace API.': ['contract/caas.test.mts > [caas.auth]'],
	'If your service wants a second credential for logs, choose it under Authentication: an access token or OAuth2.':
		[
			'contract/log.test.mts > [log.headers] Authorization: Bearer and x-api-key together',
			'contract/log.test.mts > [log.headers.oauth2]',
		],
	'Both must have the same base URL.': ['unit/auth.test.mts > of two services are an error'],
	'Deployment | Deploy | Runs an image with an HTTP server, one port, and environment variables': [
		`${DEPLOY} > [caas.deploy.body]`,
		`${DEPLOY} > [caas.deploy.container]`,
	],
	'Update | Changes the image, the port, the environment or the command': [UPDATE],
	'Wait For | Waits until it is running, every public URL answers, it has ended or is destroyed': [
		URL,
		'integration/waitFor.test.mts > returns with the first check after the state is reached',
	],
	'Extend | Adds hours': [`${LIFE} > [caas.extend]`],
	'Destroy | Ends one deployment, or several by expression': [
		`${LIFE} > [caas.destroy]`,
		'integration/destroy.test.mts > several IDs: all are tried',
	],
	'Destroy Many | Ends all with a name, or a prefix of it, up to Limit': [
		`${CAAS} > is the prefix of those that Destroy Many ends`,
		'integration/destroy-many.test.mts > destroys by prefix, up to the limit',
		'integration/destroy-many.test.mts > Match = Exact',
	],
	'Get, Get Many | Returns one, or all filtered by status, name prefix and age': [
		'contract/caas.test.mts > [caas.deployment]',
		'contract/caas.test.mts > [caas.deployments.status]',
		'integration/deployment-filters.test.mts > the age is read from',
	],
	'Get Spending | As in Compute VMaaS': ['integration/spending.test.mts > of containers'],
	'Price | Get | Calculates the price of containers': [`${DEPLOY} > [caas.price]`],
	'Hardware | Get Available Replicas | Returns for each location how many containers of a size it has room for':
		[`${DEPLOY} > [caas.available-replicas]`],
	'Container | Get Many, Get Jobs | Returns the containers with status, events and public URL, and the jobs of one':
		[
			'contract/caas.test.mts > [caas.containers]',
			'contract/container.test.mts > [container.jobs.path]',
		],
	'Log | Get Many | Returns an item for each line. Options: Stream, Limit, Max Wait (Seconds)': [
		`${LOG} > reads up to a number of lines and stops`,
		`${LOG} > or for a number of seconds`,
		'contract/log.test.mts > [log.stream]',
	],
	'What fits: an HTTP server that listens on one port.': [`${DEPLOY} > [caas.deploy.body]`],
	'A container runs on one machine; Replica Count starts several equal ones, and each is billed.': [
		`${DEPLOY} > [caas.price] GET`,
		'worlds/scenarios/life.mts > four replicas within a limit',
	],
	'Hardware is a whole number.': [`${DEPLOY} > [caas.deploy.ids]`],
	'The list shows that of VMs, since none is documented for containers.': [
		'integration/list-search.test.mts > hardware whose ID is a whole number, by its model',
	],
	'Location Names or IDs lists where the chosen hardware has room; several may be chosen.': [
		'integration/list-search.test.mts > with the number of containers for which there is room',
		`${DEPLOY} > [caas.deploy.body]`,
	],
	'Environment Variables and Secret Environment Variables are rows, or JSON under Additional Fields.':
		[`${DEPLOY} > [caas.deploy.container]`],
	'A name may be there once.': [
		`${DEPLOY} > an error that names the field, before anything is sent`,
	],
	'Secrets (secret variables, the registry secret) are masked in every item, error and log of this node, also where the service repeats them.':
		[
			`${LAW} > no secret is shown`,
			`${CAAS} > that the service repeats in an error are masked`,
			`${SECRETS} > as the login of the registry is masked`,
		],
	'Under other keys than its own, values of fewer than six characters stay, and so do those that another node has sent.':
		[
			`${SECRETS} > a secret that is a word of the service`,
			`${CAAS} > that are ordinary words do not hide the state`,
		],
	'Safety, names, lost answers and Dry Run are those of Compute VMaaS, with limits in USDC.': [
		`${DEPLOY} > [caas.price.limit]`,
		`${CAAS} > is looked up, and nothing is bought twice`,
		`${CAAS} > are masked in a dry run`,
	],
	'A name of VMs and a name of containers have nothing to do with each other.': [
		`${CAAS} > is that of containers or of VMs: neither stops the other, and each ends its own`,
	],
	'Wait For with Running and Reachable at Its Public URL asks the public URL of each container, followed by Health Path, until all answer with a status of 200 to 399.':
		[
			URL,
			`${ANSWERS} > is asked under the health path`,
			`${ANSWERS} > one that answers with 500 is not`,
		],
	'No key is sent there.': [URL],
	'The item has `public_url`, that of the first, and `public_urls`, those of all.': [URL],
	'The error after the timeout says what answered.': [
		`${LIFE} > says what the URL answers when the time is over`,
	],
	'Update sends only the fields that you add.': [UPDATE],
	'Hardware, locations, replicas and hours cannot change.': [
		UPDATE,
		'contract/frozen/interface.test.mts > nodes: nothing is removed or changed',
	],
	'The item has `updated: true` and `updated_fields`, or `updated: null` with a hint where the service said yes and went on to show the former settings.':
		[
			`${ANSWERS} > the former settings`,
			'worlds/laws/computeChanges.mts > updates were made, once',
		],
	'If the answer is lost, the node looks at the details: where they do not tell, such as for secrets, the outcome is unknown, and it is not sent again.':
		[
			`${CAAS} > of an update is looked up in the details`,
			`${CAAS} > of an update that changes secrets alone stays unknown, also for a retry`,
		],
	'Get, Update, Wait For, Extend and Destroy also take the exact name of a deployment (By Name).': [
		BY_NAME,
		'worlds/scenarios/containers.mts > deployed, reachable, updated, extended, destroyed by name',
	],
	'Log > Get Many reads until it has Limit lines, until Max Wait is over, or until the log ends.': [
		`${LOG} > reads up to a number of lines and stops`,
		`${LOG} > or for a number of seconds`,
		'contract/caas.test.mts > [log.end]',
	],
	'So it fits schedules and AI agents.': [`${LOG} > or for a number of seconds`],
	'Some services answer only when a line is written: if none is written within Max Wait, the error says that nothing was seen.':
		[`${GET_MANY} > a service that answers only with a line: Max Wait bounds the wait`],
	'Where the service answers in pages, they are joined, as long as each shows that it honors the offset.':
		[
			`${GET_MANY} > joins pages of 100 lines`,
			`${GET_MANY} > repeats no page of a service that ignores the offset`,
		],
	'Include and Exclude filter lines by regular expression.': [
		`${LOG} > the last lines, matching lines, lines from an offset on`,
	],
	'Last Lines returns the last lines instead of the first.': [
		`${LOG} > the last lines, matching lines, lines from an offset on`,
	],
	'It also stops after one second without a new line.': [
		`${LOG} > the last lines of a log that goes on, once a second brings no new one`,
	],
	'Offset skips lines at the start of the log, if the service supports that.': [
		`${LOG} > the last lines, matching lines, lines from an offset on`,
	],
	'If it does not, `offset` of the items begins at 0; it is `null` if the lines do not show which is true.':
		[`${GET_MANY} > the offset of a line is what was seen`],
	'So it has with Last Lines if Max Wait is over before a second without a new line: later lines may be missing.':
		['review/logs2/getMany.test.mts > where a line comes every'],
	'It also has it where the pages of the service cannot be joined, as where each has fewer than four lines.':
		[
			'review/logs6/lines.test.mts > Get Many joins pages of',
			`unit/log-pages.test.mts > are known to be a part`,
		],
	'If the connection is lost while reading, the last item has `broken_off: true`.': [
		`${LOG} > that breaks off returns what came, marked`,
	],
	'`Hardware must be a whole number …` | Containers take no hardware IDs such as `8H100.80S.176V`':
		[`${DEPLOY} > an error that names the field, before anything is sent`],
	'`… answers with 503` | The server is not up yet: wait longer, or look at its log': [
		`${LIFE} > says what the URL answers when the time is over`,
	],
	'`… outcome unknown …` | Look at Deployment > Get Many before you run it again': [
		`${ANSWERS} > details in another form tell nothing: the outcome stays unknown`,
	],
	'`The service returned an error instead of a log: …` | Check the credential, or try again later':
		[
			'review/logs5/gateways.test.mts > Get Many: a 200 with an error envelope is no line of the log',
		],
	'`There is no deployment …` | Check the ID, and that the key belongs to the same account': [
		'contract/extend-destroy.test.mts > [extend.404]',
	],
	'`Include is not a supported regular expression: …` | The message says what cannot be read': [
		'unit/regex.test.mts > is refused: %s',
	],
	'`The two credentials of this node must belong to the same service: …` | Enter the same base URL and service segment in both':
		['unit/auth.test.mts > of two services are an error'],
	'The example inference-endpoint deploys an image, waits until its URL answers, asks it, and destroys it on every path.':
		[
			'integration/examples.test.mts > deploys, waits until it answers, asks it, destroys it',
			'integration/examples.test.mts > destroys it where it never answers',
			'integration/examples.test.mts > destroys it by its name where the outcome of the deploy is unknown',
		],
	'This one reads the last lines of each container that is running.': [
		'e2e/pages.test.mts > executes as it is',
	],
};

const instructions = [
	'To follow a log as it is written, use the logs trigger.',
	'The specification of the service documents the log of a container alone.',
	'All else here is documented by a public provider of the same kind: try a Dry Run first.',
	'n8n saves what is typed into a field with the workflow: take it from an expression if others can see the workflow.',
	'Its options:',
];

export const caas: Page = { file: 'docs/caas.md', claims, instructions };
