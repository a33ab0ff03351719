import { once } from 'node:events';
import { promisify } from 'node:util';
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { catalogue } from './compute/catalogue.mts';
import { Purchases } from './compute/purchases.mts';
import { logTransition } from './compute/containers.mts';
import { writeLogs } from './compute/log-writer.mts';
import { ContainerLogs } from './compute/logs.mts';
import { documented } from './compute/habits.mts';
import { addResident } from './compute/residents.mts';
import { computeRoutes } from './compute/routes.mts';
import { VmServers } from './compute/vmServers.mts';
import { seedDeployments } from './compute/seeds.mts';
import { systemClock } from './core/clock.mts';
import { HeldConnections, faultHooks } from './core/fault-hooks.mts';
import { answerErrors } from './core/http.mts';
import { Recorder } from './core/recorder.mts';
import { group } from './core/scopes.mts';
import type { Service } from './core/service.mts';
import { Board } from './faults.mts';
import { Library } from './intelligence/library.mts';
import { Quota } from './intelligence/quota.mts';
import { intelligenceRoutes } from './intelligence/routes.mts';
import { tokenRoute } from './oauth2.mts';
import type { Keys, Sandbox, SandboxOptions, Settings } from './types.mts';

export { manualClock, systemClock } from './core/clock.mts';
export type { Clock, TestClock } from './core/clock.mts';
export { errorForms } from './faults.mts';
export type { ErrorForm, Fault, FaultBoard } from './faults.mts';
export { devices } from './compute/devices.mts';
export type { ComputeHabits } from './compute/habits.mts';
export type { Resident } from './compute/residents.mts';
export type { HardwareEntry, HardwareOffer } from './compute/catalogue.mts';
export type { Deployment, DeploymentState, Product } from './compute/deployment.mts';
export type { PurchaseRecords } from './compute/purchases.mts';
export type {
	ContainerLog,
	ContainerLogs,
	LogConnection,
	LogFormat,
	LogStream,
	ResumeHabits,
	StreamHabits,
} from './compute/logs.mts';
export type { BilledAnswer, ChatHabits, Completion } from './intelligence/chat-habits.mts';
export type { RecordedRequest } from './core/recorder.mts';
export type { Keys, Sandbox, SandboxOptions, Settings } from './types.mts';

const HOST = '127.0.0.1';

/** The intelligence service has its own base URL; here it is a path of the same server. */
const INTELLIGENCE_PATH = '/intelligence';

const LARGEST_BODY = 32 * 1024 * 1024;

/** They look like real secrets, so that a test that searches an output for a secret finds one. */
const defaultKeys: Keys = {
	apiKey: 'sandbox-api-key-4f1c9a72d05e4b8e9a3d',
	accessToken: 'sandbox-access-token-b86e0d3f27a94c51',
	intelligenceKey: 'sandbox-intelligence-key-7d2e61c0f8b34a95',
};

const defaultSettings: Settings = {
	...documented,
	service: 'svc',
	ragSegment: 'rag',
	startupMs: 30_000,
	warmUpMs: 5_000,
	ssh: false,
	sshAccess: 'address',
	terminationMs: 20_000,
	serviceFeePercent: 0,
	conversionFeePercent: 2,
	logLinesPerSecond: 0,
	offsetParameter: 'offset',
	modelsShape: 'list',
	creditsPerHour: Infinity,
	namesRetryAfter: true,
	streamNoise: false,
	habits: {},
};

/** Starts the whole service in memory on the loopback address: compute-api.md and intelligence-api.md, without faults. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { clock = systemClock(), port = 0, keys, ...chosen } = options;
	const atStart: Settings = { ...defaultSettings, ...chosen };
	const settings = { ...atStart };
	const logs = new ContainerLogs();
	const vms = new VmServers();
	const service: Service = {
		clock,
		settings,
		keys: { ...defaultKeys, ...keys },
		recorder: new Recorder((request) => sandbox.onRequest?.(request)),
		hardware: [],
		purchases: new Purchases(clock, settings, (deployment, state) => {
			if (deployment.order.kind === 'caas') logTransition(logs, deployment, state);
			else if (state !== 'running') vms.close(deployment);
		}),
		logs,
		vms,
		library: new Library(clock),
		quota: new Quota({ clock, settings }),
		answers: [],
	};
	const faults = new Board();
	const held = new HeldConnections();
	const app = build(service, faults, held);
	await app.ready();
	const address = await listen(app, port);
	const origin = `http://${HOST}:${address}`;

	const fill = () => {
		service.hardware.splice(0, Infinity, ...catalogue());
		seedDeployments(service);
	};
	fill();
	const endLogs =
		settings.logLinesPerSecond > 0
			? writeLogs(service, settings.logLinesPerSecond)
			: () => undefined;

	let resets = 0;
	const sandbox: Sandbox = {
		get resets() {
			return resets;
		},
		url: origin,
		intelligenceUrl: `${origin}${INTELLIGENCE_PATH}`,
		keys: service.keys,
		clock,
		faults,
		requests: service.recorder.requests,
		books: service.purchases,
		answers: service.answers,
		hardware: service.hardware,
		logs,
		vms,
		adopt: (habits) => void Object.assign(settings, habits),
		addResident: (resident) => addResident(service, resident),
		fail: (deploymentId) => {
			const deployment = service.purchases.find(deploymentId);
			if (!deployment || !['deployment requested', 'running'].includes(deployment.state)) {
				throw new Error(`no deployment that can fail: ${deploymentId}`);
			}
			deployment.fail(clock.now());
		},
		refuseNext: async () => {
			if (app.server.listening) app.server.close();
		},
		listenAgain: async () => {
			if (!app.server.listening) await listen(app, address);
		},
		reset: () => {
			resets++;
			held.drop();
			faults.clear();
			Object.assign(settings, atStart);
			sandbox.onRequest = undefined;
			service.recorder.requests.length = 0;
			service.purchases.clear();
			service.logs.clear();
			vms.closeAll();
			service.library.clear();
			service.quota.clear();
			service.answers.length = 0;
			fill();
		},
		heldRequests: () => held.count,
		openSockets: async () => await promisify(app.server.getConnections.bind(app.server))(),
		close: async () => {
			endLogs();
			held.drop();
			service.logs.clear();
			vms.closeAll();
			await Promise.all([shut(app), app.close()]);
		},
	};
	return sandbox;
}

function build(service: Service, faults: Board, held: HeldConnections): FastifyInstance {
	const app = fastify({
		bodyLimit: LARGEST_BODY,
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		routerOptions: { maxParamLength: 4_096 },
	});
	// Bodies stay bytes until the key is checked and the route parses them
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
	answerErrors(app);
	app.addHook('onSend', async (_request, reply) => {
		// While the server refuses connections, keep-alive would let the next request through
		if (!app.server.listening) reply.header('connection', 'close');
	});
	faultHooks(app, faults, service.recorder, service.clock, held);
	computeRoutes(app, service);
	tokenRoute(app, service.keys.accessToken);
	group(app, INTELLIGENCE_PATH, (scope) => tokenRoute(scope, service.keys.intelligenceKey));
	group(app, INTELLIGENCE_PATH, (scope) => intelligenceRoutes(scope, service));
	return app;
}

/** Stops listening and closes all connections, whatever they wait for. */
async function shut({ server }: FastifyInstance): Promise<void> {
	const closed = server.listening ? once(server, 'close') : undefined;
	server.close();
	server.closeAllConnections();
	await closed;
}

/** Listens and returns the port. It is the server that listens, since the framework's own `listen` works only once. */
async function listen(app: FastifyInstance, port: number): Promise<number> {
	app.server.listen(port, HOST);
	await once(app.server, 'listening');
	const address = app.server.address();
	if (address === null || typeof address === 'string') throw new Error('the sandbox has no port');
	return address.port;
}
