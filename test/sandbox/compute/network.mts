import { z } from 'zod';
import { integer } from '../core/validation.mts';

/** `network_services`: name → port, protocol and the address ranges that may connect (beyond-the-spec.md section 1, "Deploy"). */
export const networkServices = z.record(
	z
		.object({
			port: integer().min(1).max(65535),
			protocol: z.enum(['tcp', 'udp']),
			whitelist: z.array(z.string().cidr()).min(1),
		})
		.strict(),
);
