import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
	extendBody,
	jsonBody,
	pageOf,
	pageQuery,
	param,
	queryOf,
	queryValue,
	refusal,
} from '../core/http.mts';
import type { Service } from '../core/service.mts';
import { parse } from '../core/validation.mts';
import { deploymentStates } from './deployment.mts';
import type { Deployment, Order } from './deployment.mts';
import { details, summary, workers } from './views.mts';

type Kind = Order['kind'];

const DEFAULT_PAGE_SIZE = 10;

/** First page and default size of the lists of VMs and containers (beyond-the-spec.md sections 1 and 2). */
const workerPages = {
	vmaas: { first: 1, size: 20 },
	caas: { first: 0, size: DEFAULT_PAGE_SIZE },
} as const;
const workerWords = { vmaas: 'vms', caas: 'containers' } as const;

/** A deployment of this kind in any state; one of the other kind is unknown here. */
export function found(service: Service, kind: Kind, id: string): Deployment {
	const deployment = service.purchases.find(id);
	if (deployment?.order.kind !== kind) throw refusal(404, 'Deployment not found');
	return deployment;
}

/** A deployment that can still be changed: neither ended nor being terminated. */
export function alive(service: Service, kind: Kind, id: string): Deployment {
	const deployment = found(service, kind, id);
	if (deployment.isGone || deployment.state === 'termination requested')
		throw refusal(404, `Deployment not found: it is ${deployment.state}`);
	return deployment;
}

/** List, details, extend, destroy and workers, which VMaaS and CaaS have in common (beyond-the-spec.md sections 1 and 2). */
export function deploymentRoutes(app: FastifyInstance, service: Service, kind: Kind): void {
	const { clock, purchases, settings } = service;
	const idOf = (request: Parameters<typeof param>[0]) => param(request, 'deployment_id');

	app.get('/deployments', (request) => {
		const lowest = settings.refusesPageBelowFirst ? settings.firstPage : 0;
		const wanted = queryOf(
			request,
			z.object({ status: queryValue(z.string()).optional(), ...pageQuery(lowest) }),
		);
		const all = purchases
			.ofKind(kind)
			.filter(({ state }) => wanted.status === undefined || wanted.status === state);
		const page =
			Math.max(wanted.page ?? settings.firstPage, settings.firstPage) - settings.firstPage;
		const deployments = pageOf(all, page, wanted.page_size ?? DEFAULT_PAGE_SIZE);
		return {
			data: {
				deployments: deployments.map((deployment) =>
					summary(deployment, clock.now(), settings.nameField),
				),
				total: all.length,
				statuses: deploymentStates,
			},
		};
	});

	app.get('/deployment/:deployment_id', (request) => ({
		data: details(found(service, kind, idOf(request)), clock.now()),
	}));

	app.post('/deployment/:deployment_id/extend', (request) => {
		const { duration_hours: hours } = parse(extendBody, jsonBody(request), 'body');
		const deployment = alive(service, kind, idOf(request));
		deployment.extend(hours, clock.now());
		return { data: details(deployment, clock.now()) };
	});

	app.delete('/deployment/:deployment_id', (request) => {
		const deployment = found(service, kind, idOf(request));
		if (deployment.isGone) throw refusal(404, 'Deployment not found');
		deployment.destroy(clock.now());
		return { status: 'succeeded', deployment_id: deployment.id };
	});

	const pages = workerPages[kind];
	const workerQuery = z.object(pageQuery(pages.first));
	const workerPage = (
		request: Parameters<typeof queryOf>[0],
		entries: ReturnType<typeof workers>,
	) => {
		const { page = pages.first, page_size: size = pages.size } = queryOf(request, workerQuery);
		return { data: { total: entries.length, workers: pageOf(entries, page - pages.first, size) } };
	};

	app.get(`/deployment/:deployment_id/${workerWords[kind]}`, (request) =>
		workerPage(request, workers(found(service, kind, idOf(request)))),
	);

	app.get(`/deployment/:deployment_id/${workerWords[kind]}-jobs/:worker_id`, (request) => {
		const worker = workers(found(service, kind, idOf(request))).filter((entry) =>
			[entry.vm_id, entry.container_id].includes(param(request, 'worker_id')),
		);
		if (worker.length === 0) throw refusal(404, 'Not found');
		return workerPage(request, worker);
	});
}
