import { isIP } from 'node:net';
import { checkedText, choice, integer, list, mapOf, object } from '../core/schema.mts';
import type { Parsed } from '../core/schema.mts';

function cidrFault(value: string): string | undefined {
	const [address = '', prefix, more] = value.split('/');
	const version = isIP(address);
	const bits = Number(prefix);
	const isRight =
		version !== 0 &&
		more === undefined &&
		/^\d{1,3}$/.test(prefix ?? '') &&
		bits <= (version === 4 ? 32 : 128);
	return isRight ? undefined : 'must be an address range in CIDR form';
}

const service = {
	port: integer({ min: 1, max: 65535 }),
	protocol: choice(['tcp', 'udp']),
	whitelist: list(checkedText('value_error', cidrFault), { min: 1 }),
};

export type NetworkService = Parsed<typeof service>;

/** `network_services`: name → port, protocol and who may come in (beyond-the-spec.md section 1, "Deploy"). */
export const networkServices = mapOf(object(service));
