import type { FastifyInstance } from 'fastify';
import { group } from '../core/scopes.mts';
import type { Service } from '../core/service.mts';
import { checkApiKey } from '../core/service.mts';
import { caasRoutes } from './caas.mts';
import type { Product } from './deployment.mts';
import { deploymentRoutes } from './deployments.mts';
import { blockRoutes, explorerRoutes } from './explorer.mts';
import { worded } from './habits.mts';
import { logRoute } from './logs.mts';
import { publicRoutes } from './public.mts';
import { hardwareRoutes } from './vmaas-hardware.mts';
import { deployRoute } from './vmaas-deploy.mts';

/** All paths of the compute service (compute-api.md, beyond-the-spec.md sections 1 to 3), each group with its own authentication. */
export function computeRoutes(app: FastifyInstance, service: Service): void {
	const { service: segment } = service.settings;
	const cloud = `/enterprise/v1/${segment}-cloud`;

	group(app, `/v1/${segment}-explorer`, (scope) => explorerRoutes(scope, service));
	group(app, `/v1/${segment}-blocks`, (scope) => blockRoutes(scope, service));
	const product = (kind: Product, routes: (scope: FastifyInstance) => void) =>
		group(app, `${cloud}/${kind}`, (scope) => {
			scope.addHook('preValidation', async (request) => checkApiKey(service, request));
			scope.addHook('preSerialization', async (_request, reply, payload) =>
				reply.statusCode < 400 ? worded(service.settings, payload) : payload,
			);
			routes(scope);
			deploymentRoutes(scope, service, kind);
		});
	product('vmaas', (scope) => {
		hardwareRoutes(scope, service);
		deployRoute(scope, service);
	});
	product('caas', (scope) => caasRoutes(scope, service));
	publicRoutes(app, service);
	group(app, `${cloud}/caas`, (scope) => logRoute(scope, service));
}
