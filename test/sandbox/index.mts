import { once } from 'node:events';
import { promisify } from 'node:util';
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { catalogue } from './compute/catalogue.mts';
import { Ledger } from './compute/ledger.mts';
import { writeLogs } from './compute/log-writer.mts';
import { LogBook } from './compute/logs.mts';
import { computeRoutes } from './compute/routes.mts';
import { seedDeployments } from './compute/seeds.mts';
import { systemClock } from './core/clock.mts';
import { Lines, faultHooks } from './core/fault-hooks.mts';
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
export type { Clock } from './core/clock.mts';
export { errorForms } from './faults.mts';
export type { ErrorForm, Fault, FaultBoard } from './faults.mts';
export { devices } from './compute/devices.mts';
export type { HardwareEntry, HardwareOffer } from './compute/catalogue.mts';
export type { Deployment, DeploymentState } from './compute/deployment.mts';
export type { Books } from './compute/ledger.mts';
export type { ContainerLog, LogBook, LogFormat, LogStream, ResumeHabits } from './compute/logs.mts';
export type { RecordedRequest } from './core/recorder.mts';
export type { Keys, Sandbox, SandboxOptions, Settings } from './types.mts';

const HOST = '127.0.0.1';

/** The intelligence service has a base address of its own; here it is the same server under a path. */
const INTELLIGENCE_PATH = '/intelligence';

const LARGEST_BODY = 32 * 1024 * 1024;

/** They look like real secrets, so that a test that looks for a secret in an output would find one. */
const defaultKeys: Keys = {
	apiKey: 'sandbox-api-key-4f1c9a72d05e4b8e9a3d',
	accessToken: 'sandbox-access-token-b86e0d3f27a94c51',
	intelligenceKey: 'sandbox-intelligence-key-7d2e61c0f8b34a95',
};

const defaultSettings: Settings = {
	service: 'svc',
	ragSegment: 'rag',
	startupMs: 30_000,
	terminationMs: 20_000,
	firstPage: 0,
	refusesPageBelowFirst: false,
	nameField: 'name',
	deployAnswer: 'flat',
	serviceFeePercent: 0,
	conversionFeePercent: 2,
	logLinesPerSecond: 0,
	offsetParameter: 'offset',
	modelsShape: 'list',
	creditsPerHour: Infinity,
	namesRetryAfter: true,
	streamNoise: false,
};

/** Starts the whole service in memory on the loopback address: compute-api.md and intelligence-api.md, with its faults off. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { clock = systemClock(), port = 0, keys, ...chosen } = options;
	const settings: Settings = { ...defaultSettings, ...chosen };
	const service: Service = {
		clock,
		settings,
		keys: { ...defaultKeys, ...keys },
		recorder: new Recorder(),
		hardware: [],
		ledger: new Ledger(clock, settings),
		logs: new LogBook(),
		library: new Library(clock),
		quota: new Quota({ clock, settings }),
	};
	const faults = new Board();
	const lines = new Lines();
	const app = build(service, faults, lines);
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

	return {
		url: origin,
		intelligenceUrl: `${origin}${INTELLIGENCE_PATH}`,
		keys: service.keys,
		clock,
		faults,
		requests: service.recorder.requests,
		books: service.ledger,
		hardware: service.hardware,
		logs: service.logs,
		fail: (deploymentId) => {
			const deployment = service.ledger.find(deploymentId);
			if (!deployment || !['deployment requested', 'running'].includes(deployment.state)) {
				throw new Error(`no deployment is there that could fail: ${deploymentId}`);
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
			lines.cut();
			faults.clear();
			service.recorder.requests.length = 0;
			service.ledger.clear();
			service.logs.clear();
			service.library.clear();
			service.quota.clear();
			fill();
		},
		openSockets: async () => await promisify(app.server.getConnections.bind(app.server))(),
		close: async () => {
			endLogs();
			lines.cut();
			service.logs.clear();
			await Promise.all([shut(app), app.close()]);
		},
	};
}

function build(service: Service, faults: Board, lines: Lines): FastifyInstance {
	const app = fastify({
		bodyLimit: LARGEST_BODY,
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		routerOptions: { maxParamLength: 4_096 },
	});
	// Bodies stay bytes until the key is checked and the route knows what it wants
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
	answerErrors(app);
	app.addHook('onSend', async (_request, reply) => {
		// While the server refuses, a kept connection would let the next request through
		if (!app.server.listening) reply.header('connection', 'close');
	});
	faultHooks(app, faults, service.recorder, service.clock, lines);
	computeRoutes(app, service);
	tokenRoute(app, service.keys.accessToken);
	group(app, INTELLIGENCE_PATH, (scope) => tokenRoute(scope, service.keys.intelligenceKey));
	group(app, INTELLIGENCE_PATH, (scope) => intelligenceRoutes(scope, service));
	return app;
}

/** Stops listening and ends all connections, whatever they wait for. */
async function shut({ server }: FastifyInstance): Promise<void> {
	const closed = server.listening ? once(server, 'close') : undefined;
	server.close();
	server.closeAllConnections();
	await closed;
}

/** Opens the port and tells which one it is. The server itself listens: the framework's own listen works only once. */
async function listen(app: FastifyInstance, port: number): Promise<number> {
	app.server.listen(port, HOST);
	await once(app.server, 'listening');
	const address = app.server.address();
	if (address === null || typeof address === 'string') throw new Error('the sandbox has no port');
	return address.port;
}
