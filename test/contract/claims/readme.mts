import type { Page } from './page.mts';

const DEPLOY = 'contract/deploy.test.mts > [deploy.body]';
const LIMIT = 'integration/price-limits.test.mts > price limits';
const EXAMPLES = 'integration/examples.test.mts';
const EXPECTED = 'e2e/expectations.mts';
const EXPECTED_APPROVAL = 'e2e/expectations-approval.mts';
const EXPECTED_RAG = 'e2e/expectations-rag.mts';

const claims: Page['claims'] = {
	'n8n community nodes for a compute marketplace and its AI models: rent GPU VMs and containers within a price limit, run jobs on VMs, follow the logs of containers, chat with hosted models, and answer questions from your documents.':
		[
			DEPLOY,
			LIMIT,
			'contract/caas-deploy.test.mts > [caas.deploy.body]',
			'integration/job-run.test.mts > brings output and files back',
			'integration/logs.test.mts > becomes items, in order',
			'contract/chat.test.mts > [chat.path]',
			'integration/rag-ask.test.mts > sends the chunk texts',
		],
	'Each field says what belongs in it.': ['unit/credentials.test.mts > explains every field'],
	'n8n tests it.': ['e2e/credentials.test.mts > says that a wrong key is not accepted'],
	'More details says what is wrong: the key, the base URL or the service segment.': [
		'e2e/credentials.test.mts > says that a wrong key is not accepted',
		'e2e/credentials.test.mts > says that a base URL is that of a website',
		'e2e/credentials.test.mts > has a wrong service segment',
	],
	'VMaaS, CaaS, both triggers | Compute Marketplace API | Base URL, service segment, API key': [
		'contract/service.test.mts > [auth.api_key]',
		'contract/caas.test.mts > [caas.auth]',
		'integration/logs-activation.test.mts > sends the API key alone',
		'integration/compute-trigger.test.mts > tells what begins, changes and ends',
	],
	'Chat, embeddings, memory and RAG | Compute Intelligence API | Base URL, retrieval segment, API key':
		[
			'contract/chat.test.mts > [chat.auth]',
			'contract/embedding-agent.test.mts > [embedding.path]',
			'integration/chat-model-memory.test.mts > keeps the turns of a session',
			'contract/rag-service.test.mts > [rag.auth]',
		],
	'Commands, files and jobs on VMs | Compute SSH API, too | A private key': [
		'integration/ssh-errors.test.mts > without the credential, before anything is asked',
	],
	'Explorer, downtime of devices | Compute Marketplace Token API | Base URL, service segment, access token':
		[
			'contract/service.test.mts > [auth.access_token]',
			'integration/compute-trigger-devices.test.mts > tells each step of the downtime',
		],
	'It lists GPU offers with their hourly price and costs nothing.': [
		'contract/hardware.test.mts > [hardware.list.path]',
		'contract/hardware.test.mts > [hardware.price.unit]',
	],
	'To deploy, you need an SSH key pair, too.': [
		'integration/bad-input-deploy.test.mts > SSH Keys must contain at least one public key',
	],
	'VMaaS, CaaS, Explorer, Chat Completion and RAG can also be tools of an AI agent.': [
		'integration/execute.test.mts > can be used, and describes each operation',
	],
	'Finds and prices GPU offers; deploys, extends and destroys VMs; runs commands, moves files, and runs whole jobs: rent, run, bring back the result, destroy.':
		[
			'contract/extend-destroy.test.mts > hardware list → price → deploy → extend → destroy',
			'integration/ssh-commands.test.mts > returns the output, the exit code',
			'integration/ssh-files.test.mts > 5 MiB up and down',
			'integration/job-run.test.mts > brings output and files back, and its VM is destroyed',
		],
	'Runs a container image with an HTTP server on rented GPUs, and reads its logs.': [
		'contract/caas-deploy.test.mts > [caas.deploy.container]',
		'contract/caas-life.test.mts > [caas.public_url]',
		'contract/log-get-many.test.mts > reads up to a number of lines',
	],
	'Starts an execution for each batch of new log lines, at least once for each line by default, also across restarts of n8n.':
		['worlds/laws/logs.mts > no line is lost', 'e2e/logs-trigger.test.mts > a restart of n8n'],
	'Starts a workflow when a deployment changes or expires soon, an offer matches, or a device is down.':
		['e2e/compute-trigger.test.mts > each event arrives once in an active workflow'],
	'Reads a device: its jobs, downtime, totals, proof of work, block rewards.': [
		'contract/device.test.mts > [device.jobs]',
		'contract/device-jobs.test.mts > [device.downtime_by_date]',
		'contract/device-jobs.test.mts > [explorer.summary]',
		'contract/device-jobs.test.mts > [explorer.pow-summary]',
		'contract/device-jobs.test.mts > [explorer.block-rewards]',
	],
	'Chats with hosted models, with images, checked JSON and streaming; creates embeddings; runs ready-made agents.':
		[
			'contract/chat-messages.test.mts > [chat.content.parts]',
			'integration/chat-schema.test.mts > is checked in all its keywords',
			'contract/chat-streaming.test.mts > [chat.stream.chunks]',
			'contract/embedding-agent.test.mts > [embedding.path]',
			'contract/embedding-agent.test.mts > [agent.run.path]',
		],
	"The same models for n8n's AI Agent and chains.": [
		'e2e/agent.test.mts > an AI Agent with our chat model',
		'e2e/agent.test.mts > a chain with our chat model',
	],
	'Ingests documents and answers from them with sources: start with Ask.': [
		'integration/rag-documents.test.mts > waits until it is ingested',
		'integration/rag-ask.test.mts > names its sources',
	],
	"For n8n's vector stores.": ["e2e/ai-nodes.test.mts > n8n's vector store with our embeddings"],
	"Your documents for n8n's Question and Answer Chain.": [
		'e2e/ai-nodes.test.mts > the Question and Answer Chain answers from our retriever',
	],
	"The chat history of n8n's AI Agent.": ['e2e/ai-nodes.test.mts > remembers three turns'],
	'A note on the canvas says what to fill in.': [
		'unit/examples.test.mts > has one note, which says what to fill in',
	],
	'deploy-extend-destroy | Finds, prices, deploys, extends and destroys': [
		`${EXAMPLES} > ends with the deployment destroyed`,
	],
	'train-on-a-gpu | Runs a script on the cheapest VM, brings its result back, destroys the VM': [
		'integration/job-run.test.mts > computes a model and brings it back',
		`${EXPECTED} > train-on-a-gpu`,
	],
	'long-job | The same for hours: starts the job, waits, collects the result': [
		`${EXPECTED} > long-job`,
		'unit/examples.test.mts > waits long enough for n8n to free the worker',
	],
	'nightly-training | The cheapest offer each night, destroyed on every path, even after an error':
		[
			`${EXAMPLES} > deploys the cheapest, waits for SSH, runs a command, destroys it`,
			`${EXAMPLES} > destroys it where it never becomes reachable`,
			`${EXAMPLES} > finds the deployment by its name where the response has no ID`,
			`${EXAMPLES} > destroys what has its own name where the deploy is an error`,
		],
	'keep-alive-while-busy | Extends a VM while its GPUs work and an hour costs $2 at most, else ends it':
		[
			`${EXPECTED} > keep-alive-while-busy`,
			'integration/extend.test.mts > above the maximum price: an error with both prices',
		],
	'inference-endpoint | Deploys a container image, asks it at its public URL, destroys it': [
		`${EXAMPLES} > deploys, waits until it answers, asks it, destroys it`,
	],
	"wait-loop | Waits for a VM with n8n's Wait node, which frees n8n's worker meanwhile": [
		`${EXPECTED} > wait-loop`,
		'unit/examples.test.mts > waits long enough for n8n to free the worker',
	],
	'approve-before-deploy | Asks a person with the price before it deploys': [
		`${EXPECTED_APPROVAL} > approve-before-deploy`,
	],
	'agent-with-approval | An AI agent that may deploy once a person has approved': [
		`${EXPECTED_APPROVAL} > agent-with-approval`,
	],
	"budget-guard | Adds up the month's cost, and buys below a budget (Dry Run until you decide)": [
		`${EXAMPLES} > adds up the month, and would deploy under both limits`,
		`${EXPECTED} > budget-guard`,
	],
	'weekend-guard | Every hour, destroys VMs that are older than twelve hours': [
		`${EXAMPLES} > destroys what is older than twelve hours and nothing else`,
	],
	'price-watch | Tells when a GPU is cheap, and keeps the prices in a Data Table': [
		`${EXAMPLES} > tells offers within the limit, and again when they get cheaper`,
		`${EXPECTED} > price-watch`,
	],
	'expiry-alert | Asks before the paid time is over: extend, or let it end': [
		`${EXPECTED_APPROVAL} > expiry-alert`,
	],
	'rag-from-files | A form for documents, a chat about them (try these)': [
		'integration/rag-examples.test.mts > three ingested documents are in the collection',
		`${EXPECTED_RAG} > rag-from-files`,
	],
	'rag-nightly-reindex | Keeps the documents equal to a folder: new, changed, gone': [
		'integration/rag-examples.test.mts > sends what is new or changed',
		'integration/rag-examples.test.mts > 10 uploads and 15 deletions',
	],
	'rag-ask-with-fallback | Asks the documents first, then the web': [
		'integration/rag-examples.test.mts > and from the web where they do not',
	],
	"rag-evaluation | Ten questions in n8n's Evaluations tab: hit rate, and a judge of the answers": [
		"e2e/evaluation.test.mts > n8n's Evaluations tab measures ten questions",
	],
	'`npm ci && npm start` runs deploy-extend-destroy on it and prints the bill; `npm run n8n` opens an n8n with all examples (installs 2.4 GB once).':
		[
			'contract/docs.test.mts > has the two commands for a fresh clone',
			'unit/overview.test.mts > the overview links to each example',
		],
	'You need Node.js 20.19 or later.': ['contract/docs.test.mts > the versions that are tested'],
	'Tested with n8n 2.41.1 (on Node.js 24, self-hosted, also in queue mode).': [
		'contract/docs.test.mts > the versions that are tested',
		'nightly/queue/main.mts > no execution is lost',
	],
	'Compute Chat Model and Compute Memory need an n8n with the SDK for AI nodes.': [
		'integration/chat-model-alone.test.mts > the model is an error that says what is missing',
		'integration/chat-model-alone.test.mts > nor does the memory work',
	],
	'Development: Node.js 20.19 and 24.': ['contract/docs.test.mts > the versions that are tested'],
	'Deploy and Extend are sent once.': [
		'contract/vms.test.mts > [deploy.once]',
		'integration/extend.test.mts > found in the details, and extended once',
	],
	'After a lost answer the node looks for what became of them.': [
		'integration/deploy-lost-answers.test.mts > found by name, and deployed once',
		'integration/extend.test.mts > found in the details, and extended once',
	],
	"n8n's Retry On Fail does not buy a second time: the next try looks first.": [
		'integration/execute-retry.test.mts > Retry On Fail deploys nothing twice',
		'worlds/laws/compute.mts > no wish is bought twice',
	],
	'Maximum Price and Maximum Hourly Price stop a purchase that costs more, or whose price cannot be read.':
		[
			'integration/deploy.test.mts > above the maximum price: an error',
			'integration/deploy.test.mts > above the maximum hourly price: an error',
			'integration/deploy.test.mts > nothing is deployed under a price limit',
		],
	'Set one: there is none by default.': ['contract/forms.test.mts > shows its price limits, empty'],
	'Dry Run makes the same checks, returns the price and buys nothing.': [
		'integration/deploy.test.mts > a dry run returns the request and the price',
		'integration/deploy-names.test.mts > a dry run: the same error, the same item',
	],
	'An error names the deployment that may still be running.': [
		'worlds/laws/compute.mts > errors say what may bill',
	],
	'Destroy waits until the end is seen.': [
		'integration/destroy.test.mts > Verify, which is on by default: polls until it has ended',
	],
	'An AI agent buys only under a price limit that you have fixed in the form, and with your approval if you want.':
		[
			'integration/agent-limit.test.mts > with a limit that the model chooses',
			'integration/agent-limit.test.mts > with a fixed limit',
			`${EXPECTED_APPROVAL} > agent-with-approval`,
		],
	'The service never refunds the first hour.': [
		'contract/extend-destroy.test.mts > [first_hour.never]',
	],
};

const instructions = [
	'n8n is a fair-code licensed workflow automation platform.',
	'In a self-hosted n8n, open Settings > Community Nodes > Install, enter `n8n-nodes-compute-marketplace`, and agree.',
	"n8n's guide has the details.",
	'n8n Cloud installs verified community nodes only, and this package is not verified.',
	'Create an API key at your provider, and look up its base URL and path segments. io.net, for example, documents base URL `https://api.io.solutions` with service segment `io`, and `https://api.intelligence.io.solutions` with retrieval segment `r2r`.',
	'In n8n, choose Credentials > Create credential and one of these.',
	'Save.',
	'Credentials has the OAuth2 variants and explains each error of the test.',
	'Then try this: add Compute VMaaS > Hardware > Get Many, turn on Simplify and execute it.',
	'Set Authentication to API Key unless your provider also wants a token.',
	'Import a file with ⋯ > Import > From file.',
	'Without an account: the repository has a sandbox of the service.',
	'Other versions of n8n are not tested.',
	'Cost safety has the rest, and the risk that remains.',
	'To change the package: CONTRIBUTING.',
	'`npm cit` installs and tests it.',
];

export const readme: Page = { file: 'README.md', claims, instructions };
