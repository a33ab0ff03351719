import type { FastifyReply } from 'fastify';
import { refusal } from '../core/http.mts';
import type { Service } from '../core/service.mts';
import type { HardwareOffer } from './catalogue.mts';
import type { Deployment } from './deployment.mts';
import { details } from './views.mts';

/**
 * Refuses what an offer has no room for. Not in the specification: capacity that was free when the list was read and is taken
 * now is a conflict, not bad input.
 * @param gpus cards of each VM or container
 */
export function checkCapacity(
	{ purchases }: Service,
	offer: HardwareOffer,
	workers: number,
	gpus: number,
): void {
	if (purchases.free(offer, Math.max(gpus, 1)) < workers)
		throw refusal(
			409,
			`Not enough capacity: hardware ${offer.deploy_id} is sold out in ${offer.location}`,
		);
}

/** The answer to a successful deploy. */
export function answerDeploy(
	{ clock, settings }: Service,
	reply: FastifyReply,
	deployment: Deployment,
): FastifyReply {
	switch (settings.deployAnswer) {
		case 'empty':
			return reply.send();
		case 'data':
			return reply.send({ data: details(deployment, clock.now(), settings) });
		case 'request':
			return reply.send({ id: 'req-8841', data: { deployment_id: deployment.id } });
		case 'flat':
			return reply.send({ status: 'succeeded', deployment_id: deployment.id });
	}
}
