import type { FastifyInstance, FastifyRequest } from 'fastify';
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
import { Invalid, parse } from '../core/validation.mts';
import { deploymentStates } from './deployment.mts';
import type { Deployment, Product } from './deployment.mts';
import type { ComputeHabits } from './habits.mts';
import { moveEntries } from './residents.mts';
import { details, summary, workers } from './views.mts';

const DEFAULT_PAGE_SIZE = 10;

/** First page and default size of the lists of VMs and containers (beyond-the-spec.md sections 1 and 2). */
const workerPages = {
	vmaas: { first: 1, size: 20 },
	caas: { first: 0, size: DEFAULT_PAGE_SIZE },
} as const;
const workerWords = { vmaas: 'vms', caas: 'containers' } as const;

/** Whether a copy without any deployment answers: see `emptyCopyMs`. */
function isFailedOver({ clock, purchases, settings }: Service): boolean {
	return clock.now() < (purchases.shownAt ?? -Infinity) + settings.emptyCopyMs;
}

/** A deployment of this kind in any state; one of the other kind is unknown here. */
function found(service: Service, kind: Product, id: string): Deployment {
	const deployment = service.purchases.find(id, kind);
	if (!deployment || isFailedOver(service)) throw refusal(404, 'Deployment not found');
	return deployment;
}

/** As {@link found}, of a write: it may know a deployment later than a purchase makes it. */
function foundByWrite(service: Service, kind: Product, id: string): Deployment {
	const deployment = found(service, kind, id);
	if (service.clock.now() - deployment.createdAt < service.settings.writeLagMs)
		throw refusal(404, 'Deployment not found');
	return deployment;
}

/** A deployment that can still be changed: neither ended nor being terminated. */
export function alive(service: Service, kind: Product, id: string): Deployment {
	const deployment = foundByWrite(service, kind, id);
	if (deployment.isGone || deployment.state === 'termination requested')
		throw refusal(404, `Deployment not found: it is ${deployment.state}`);
	return deployment;
}

/** What a page says of the length of the list. */
function totalOf({ total }: ComputeHabits, count: number, shown: number): Record<string, unknown> {
	if (total === 'missing') return {};
	if (total === 'hasNext') return { has_next: shown < count };
	return { total: total === 'true' ? true : count };
}

function isListed(
	deployment: Deployment,
	{ stateWords, hidesEnded, ignoresStatus }: ComputeHabits,
	status: string | undefined,
): boolean {
	if (hidesEnded && deployment.isGone) return false;
	if (ignoresStatus || status === undefined) return true;
	const { state } = deployment;
	return status === (stateWords[state] ?? state);
}

/** List, details, extend, destroy and workers, which VMaaS and CaaS have in common (beyond-the-spec.md sections 1 and 2). */
export function deploymentRoutes(app: FastifyInstance, service: Service, kind: Product): void {
	const { clock, purchases, settings } = service;
	const idOf = (request: FastifyRequest) => param(request, 'deployment_id');

	app.get('/deployments', (request) => {
		if (settings.withoutList) throw refusal(settings.withoutList, 'Not Found');
		const lowest = settings.refusesPageBelowFirst ? settings.firstPage : 0;
		const wanted = queryOf(
			request,
			z.object({ status: queryValue(z.string()).optional(), ...pageQuery(lowest) }),
		);
		const size = wanted.page_size ?? DEFAULT_PAGE_SIZE;
		if (size > settings.refusesPagesAbove)
			throw new Invalid([
				{
					loc: ['query', 'page_size'],
					msg: `must be at most ${settings.refusesPagesAbove}`,
					type: 'less_than_equal',
				},
			]);
		const at = clock.now() - settings.listLagMs;
		const shown = isFailedOver(service) ? [] : purchases.ofKind(kind);
		const past = settings.listLagMs > 0 ? shown.flatMap((one) => one.asOf(at) ?? []) : shown;
		const all = past.filter((one) => isListed(one, settings, wanted.status));
		if (settings.oldestFirst) all.reverse();
		const page =
			Math.max((!settings.ignoresPage && wanted.page) || 0, settings.firstPage) -
			settings.firstPage;
		const length = Math.min(size, settings.largestPage);
		const deployments = pageOf(all, page, length).map((deployment) =>
			summary(deployment, at, settings),
		);
		moveEntries(service, kind);
		return {
			data: {
				deployments,
				...totalOf(settings, all.length, (page + 1) * length),
				statuses: deploymentStates,
			},
		};
	});

	app.get('/deployment/:deployment_id', (request) => {
		if (settings.withoutDetails) throw refusal(settings.withoutDetails, 'Not Found');
		const at = clock.now() - settings.detailsLagMs;
		const deployment = found(service, kind, idOf(request)).asOf(at);
		if (!deployment || (settings.forgetsEnded && deployment.isGone))
			throw refusal(404, 'Deployment not found');
		if (deployment.state === 'running') purchases.shownAt ??= clock.now();
		return { data: details(deployment, at, settings) };
	});

	app.post('/deployment/:deployment_id/extend', (request) => {
		const { duration_hours: hours } = parse(extendBody, jsonBody(request), 'body');
		const extended = foundByWrite(service, kind, idOf(request));
		const isTaken = extended.isGone && settings.extendsEnded;
		const deployment = isTaken ? extended : alive(service, kind, extended.id);
		deployment.extend(hours, clock.now());
		return { data: details(deployment, clock.now(), settings) };
	});

	app.delete('/deployment/:deployment_id', (request) => {
		if (isFailedOver(service) && settings.emptyCopyStatus === 200)
			return { status: 'succeeded', deployment_id: idOf(request) };
		const deployment = foundByWrite(service, kind, idOf(request));
		if (deployment.isGone) throw refusal(settings.endedStatus, 'Deployment not found');
		deployment.destroy(clock.now());
		return { status: 'succeeded', deployment_id: deployment.id };
	});

	const pages = workerPages[kind];
	const workerQuery = z.object(pageQuery(pages.first));
	const workersOf = async (request: FastifyRequest) => {
		if (settings.withoutDetails) throw refusal(settings.withoutDetails, 'Not Found');
		const past = clock.now() - settings.detailsLagMs;
		const present = found(service, kind, idOf(request));
		const deployment = present.asOf(past);
		if (!deployment) throw refusal(404, 'Deployment not found');
		if (settings.ssh) await service.vms.open(present);
		return workers(deployment, settings, `${request.protocol}://${request.host}`, service.vms);
	};
	const workerPage = (request: FastifyRequest, entries: ReturnType<typeof workers>) => {
		const { page = pages.first, page_size: size = pages.size } = queryOf(request, workerQuery);
		return { data: { total: entries.length, workers: pageOf(entries, page - pages.first, size) } };
	};

	app.get(`/deployment/:deployment_id/${workerWords[kind]}`, async (request) =>
		workerPage(request, await workersOf(request)),
	);

	app.get(`/deployment/:deployment_id/${workerWords[kind]}-jobs/:worker_id`, async (request) => {
		const worker = (await workersOf(request)).filter((entry) =>
			[entry.vm_id, entry.container_id].includes(param(request, 'worker_id')),
		);
		if (worker.length === 0) throw refusal(404, 'Not found');
		return workerPage(request, worker);
	});
}
