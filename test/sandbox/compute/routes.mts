import type { FastifyInstance } from 'fastify';
import { group } from '../core/scopes.mts';
import type { Service } from '../core/service.mts';
import { checkApiKey } from '../core/service.mts';
import { caasRoutes } from './caas.mts';
import { deploymentRoutes } from './deployments.mts';
import { blockRoutes, explorerRoutes } from './explorer.mts';
import { worded } from './habits.mts';
import { logRoute } from './logs.mts';
import { hardwareRoutes } from './vmaas-hardware.mts';
import { deployRoute } from './vmaas-deploy.mts';

/** All paths of the compute service (compute-api.md, beyond-the-spec.md sections 1 to 3), each group with its own authentication. */
export function computeRoutes(app: FastifyInstance, service: Service): void {
	const { service: segment } = service.settings;
	const cloud = `/enterprise/v1/${segment}-cloud`;

	group(app, `/v1/${segment}-explorer`, (scope) => explorerRoutes(scope, service));
	group(app, `/v1/${segment}-blocks`, (scope) => blockRoutes(scope, service));
	group(app, `${cloud}/vmaas`, (scope) => {
		scope.addHook('preValidation', async (request) => checkApiKey(service, request));
		scope.addHook('preSerialization', async (_request, reply, payload) =>
			reply.statusCode < 400 ? worded(service.settings, payload) : payload,
		);
		hardwareRoutes(scope, service);
		deployRoute(scope, service);
		deploymentRoutes(scope, service, 'vmaas');
	});
	group(app, `${cloud}/caas`, (scope) => {
		scope.addHook('preValidation', async (request) => checkApiKey(service, request));
		caasRoutes(scope, service);
		deploymentRoutes(scope, service, 'caas');
	});
	group(app, `${cloud}/caas`, (scope) => logRoute(scope, service));
}
