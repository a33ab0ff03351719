import type { FastifyInstance } from 'fastify';
import type { Service } from '../core/service.mts';

export function intelligenceRoutes(_app: FastifyInstance, _service: Service): void {}
