import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deploy } from '../../nodes/Vmaas/resources/deployment/deploy.ts';
import { deployParameters, SSH_KEY } from '../engine/nodes.mts';
import { inputOf, jobBench, outcome } from './job-bench.mts';
import { message } from './parameters-form.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const form = (changes: IDataObject = {}) => inputOf(deploy, deployParameters(changes));

describe('an order of an AI agent', () => {
	/** What an agent's call does at a service that has no deployment and no hardware. */
	async function called(safety: IDataObject, saved: IDataObject = safety) {
		const bench = jobBench({ list: [{ deployment_id: 'd1', name: 'other', status: 'running' }] });
		const context = bench.context();
		const parameters = { ...deployParameters(), safety: saved };
		Object.assign(context.functions, {
			isToolExecution: () => true,
			getInputData: () => [],
			getNode: () => ({ name: 'Node', parameters }),
		});
		const result = await outcome(async () => await deploy.run(context, form({ safety })));
		if (!(result instanceof Error)) throw new Error('It was made');
		return { message: result.message, wasAsked: bench.requests.length > 0 };
	}
	const REFUSED = {
		message: expect.stringMatching(
			/^An AI agent may spend money only under a price limit that a person has set/,
		) as unknown,
		wasAsked: false,
	};
	const GOES_ON = {
		message: expect.stringMatching(/^The hardware list could not be read/) as unknown,
		wasAsked: true,
	};

	it.each([
		['without a price limit', {}],
		['under a limit that the model may choose', { maxPrice: 50 }, { maxPrice: '={{ $json.x }}' }],
	])('is refused %s', async (_, safety, saved?: IDataObject) => {
		expect(await called(safety, saved)).toEqual(REFUSED);
	});

	it.each([
		['under a price limit', { maxPrice: 50 }],
		['as a dry run without a price limit', { dryRun: true }],
	])('goes on %s', async (_, safety) => {
		expect(await called(safety)).toEqual(GOES_ON);
	});
});

describe('the public keys of an order', () => {
	const keysOf = (publicKey: string) =>
		form({ sshKeys: { keys: [{ name: 'laptop', publicKey }] } }).body.ssh_keys;

	it('are sent as they are', () => {
		expect(keysOf(SSH_KEY)).toEqual({ laptop: SSH_KEY });
	});

	it.each([
		'ssh-ed25519',
		'ssh-ed25519 not!base64',
		'ssh-ed25519 AAAA',
		SSH_KEY.replace('ssh-ed25519 ', ''),
		SSH_KEY.replace('ssh-ed25519', 'ssh-rsa'),
		`${SSH_KEY}\n${SSH_KEY}`,
	])('are none as %j', (publicKey) => {
		const text = message(() => keysOf(publicKey));
		expect(text).toContain('must be a public SSH key of type RSA, ECDSA or ED25519, on one line');
		expect(text).not.toContain(publicKey);
	});
});
