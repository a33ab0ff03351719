import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deploy } from '../../nodes/Vmaas/resources/deployment/deploy.ts';
import { deployParameters } from '../engine/nodes.mts';
import { inputOf } from './job-bench.mts';
import { message } from './parameters-form.mts';

const bodyOf = (additionalFields: IDataObject) =>
	inputOf(deploy, deployParameters({ additionalFields })).body;

const row = (changes: IDataObject = {}): IDataObject => ({
	name: 'jupyter',
	port: 8888,
	protocol: 'tcp',
	whitelist: ['0.0.0.0/0'],
	...changes,
});

const servicesOf = (rows: IDataObject[], more: IDataObject = {}) =>
	bodyOf({ networkServices: { services: rows }, ...more }).network_services;

describe('the network services of an order', () => {
	it('are sent by their names', () => {
		const whitelist = ['203.0.113.0/24', '2001:db8::/32'];
		const rows = [
			row({ port: 1 }),
			row({ name: 'voice', port: 65535, protocol: 'udp', whitelist }),
		];
		expect(servicesOf(rows)).toEqual({
			jupyter: { port: 1, protocol: 'tcp', whitelist: ['0.0.0.0/0'] },
			voice: { port: 65535, protocol: 'udp', whitelist },
		});
	});

	it('are not sent where there are none', () => {
		for (const fields of [{}, { networkServices: {} }, { networkServicesJson: '{}' }])
			expect(bodyOf(fields)).not.toHaveProperty('network_services');
	});

	it('are sent as they are, as JSON', () => {
		const services = { jupyter: { port: 8888, of: 'another shape' } };
		expect(bodyOf({ networkServicesJson: JSON.stringify(services) }).network_services).toEqual(
			services,
		);
	});

	it('are either rows or JSON', () => {
		const json = { networkServicesJson: '{"a": {}}' };
		expect(message(() => servicesOf([row()], json))).toBe(
			'Additional Fields: Network Services (JSON) cannot be combined with Network Services',
		);
		expect(servicesOf([row()], { networkServicesJson: '{}' })).toHaveProperty('jupyter');
	});

	const SERVICE = 'Additional Fields: Network Services';
	it.each<[string, IDataObject[], string]>([
		['two of one name', [row(), row()], `${SERVICE} 2: Name must be unique, got "jupyter" twice`],
		[
			'port 0',
			[row({ port: 0 })],
			`${SERVICE} 1: Port must be a whole number from 1 to 65535, got 0`,
		],
		[
			'port 65536',
			[row({ port: 65536 })],
			`${SERVICE} 1: Port must be a whole number from 1 to 65535, got 65536`,
		],
		[
			'another protocol',
			[row({ protocol: 'icmp' })],
			`${SERVICE} 1: Protocol must be one of tcp, udp, got "icmp"`,
		],
		[
			'nobody who may connect',
			[row({ whitelist: [] })],
			`${SERVICE} 1: Allowed Addresses must contain at least one address range, such as 203.0.113.0/24`,
		],
		[
			'one range that is none',
			[row({ whitelist: ['0.0.0.0/0', '10.0.0.0', '2001:db8::'] })],
			`${SERVICE} 1: Allowed Addresses must contain address ranges in CIDR notation, such as 203.0.113.0/24, got "10.0.0.0"`,
		],
	])('are refused with %s', (_, rows, text) => {
		expect(message(() => servicesOf(rows))).toBe(text);
	});
});

describe('an address range', () => {
	const rangeOf = (range: string) => message(() => servicesOf([row({ whitelist: [range] })]));

	it.each([
		...['0.0.0.0/0', '1.2.3.4/8', '123.123.123.123/32', '255.255.255.255/32', '10.200.30.4/9'],
		...['::/0', '2001:db8::/32', '2001:DB8::1/128', '::ffff:192.0.2.1/128', '1:2:3:4:5:6:7:8/64'],
	])('may be %s', (range) => {
		expect(rangeOf(range)).toBe('no error');
	});

	it.each([
		...['203.0.113.0', '203.0.113.0/', '/24', '203.0.113.0/33', '203.0.113.0/x', '203.0.113.0/8/8'],
		...['203.0.113.0/0008', '256.0.0.0/8', '0.0.0.256/8', '01.2.3.4/8', '1.2.3.04/8', '1.2.3/8'],
		...['1.2.3.4.5/8', '1.2.3.1234/8', '1.2x3.4/8', 'x1.2.3.4/8', '1.2.3.4x/8', '1-2-3-4/8'],
		...['2001:db8::/129', '2001:db8::g/32', ':::/8', '1:2:3:4:5:6:7:8:9/64', '[::1]/64', '::1%1/8'],
		...[
			'vm.example/8',
			'dead/8',
			'203.0.113.0/24x',
			'203.0.113.0/-1',
			'x/10.0.0.0/8',
			'x]@[::1/8',
			'::1]?[/8',
		],
	])('is not %s', (range) => {
		expect(rangeOf(range)).toBe(
			`Additional Fields: Network Services 1: Allowed Addresses must contain address ranges in CIDR notation, such as 203.0.113.0/24, got "${range}"`,
		);
	});
});
