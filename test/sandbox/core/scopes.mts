import type { FastifyInstance } from 'fastify';

/** Registers routes under a prefix in their own scope, so that their hooks apply to no other route. */
export function group(
	app: FastifyInstance,
	prefix: string,
	routes: (scope: FastifyInstance) => void,
): void {
	const scoped = (scope: FastifyInstance, _options: unknown, done: () => void) => {
		routes(scope);
		done();
	};
	app.register(scoped, { prefix });
}
