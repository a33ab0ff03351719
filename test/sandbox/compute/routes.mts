import type { FastifyInstance } from 'fastify';
import type { Service } from '../core/service.mts';
import { checkApiKey } from '../core/service.mts';
import { caasRoutes } from './caas.mts';
import { deploymentRoutes } from './deployments.mts';
import { blockRoutes, explorerRoutes } from './explorer.mts';
import { logRoute } from './logs.mts';
import { hardwareRoutes } from './vmaas-hardware.mts';
import { deployRoute } from './vmaas-deploy.mts';

/** All paths of the compute service (compute-api.md, beyond-the-spec.md sections 1 to 3), each group with its own way to ask for a key. */
export function computeRoutes(app: FastifyInstance, service: Service): void {
	const { service: segment } = service.settings;
	const cloud = `/enterprise/v1/${segment}-cloud`;
	const group = (prefix: string, routes: (scope: FastifyInstance) => void) => {
		app.register((scope, _options, done) => {
			routes(scope);
			done();
		}, { prefix });
	};

	group(`/v1/${segment}-explorer`, (scope) => explorerRoutes(scope, service));
	group(`/v1/${segment}-blocks`, (scope) => blockRoutes(scope, service));
	group(`${cloud}/vmaas`, (scope) => {
		scope.addHook('preValidation', async (request) => checkApiKey(service, request));
		hardwareRoutes(scope, service);
		deployRoute(scope, service);
		deploymentRoutes(scope, service, 'vmaas');
	});
	group(`${cloud}/caas`, (scope) => {
		scope.addHook('preValidation', async (request) => checkApiKey(service, request));
		caasRoutes(scope, service);
		deploymentRoutes(scope, service, 'caas');
	});
	group(`${cloud}/caas`, (scope) => logRoute(scope, service));
}
