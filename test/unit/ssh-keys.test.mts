import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deploy } from '../../nodes/Vmaas/resources/deployment/deploy.ts';
import { OWN_ENTRY_NAME } from '../../nodes/Vmaas/sshAndNetwork.ts';
import { withSshKey } from '../../nodes/Vmaas/resources/deployment/order.ts';
import { deployParameters, SSH_KEY } from '../engine/nodes.mts';
import { newKey, OWN_KEY } from '../engine/sshKey.mts';
import { inputOf, jobBench } from './job-bench.mts';

/** Without its comment. */
const [TYPE = '', DATA = ''] = SSH_KEY.split(' ');
const BARE = `${TYPE} ${DATA}`;

const form = (changes: IDataObject) => inputOf(deploy, deployParameters(changes));
const keysOf = (keys: IDataObject[], more: IDataObject = {}) =>
	form({ sshKeys: { keys }, ...more }).body.ssh_keys;

/** What a form with these keys is refused with. */
function refusal(keys: IDataObject[], more: IDataObject = {}) {
	try {
		keysOf(keys, more);
	} catch (error) {
		if (!(error instanceof NodeOperationError)) throw error;
		return { message: error.message, description: error.description };
	}
	return undefined;
}

/** A public key of these fields, each behind its length, as a `.pub` file has it. */
function publicKey(type: string, ...more: string[]): string {
	const fields = [type, ...more].flatMap((field) => {
		const length = Buffer.alloc(4);
		length.writeUInt32BE(field.length);
		return [length, Buffer.from(field, 'latin1')];
	});
	return `${type} ${Buffer.concat(fields).toString('base64')}`;
}

const NOT_PUBLIC = {
	message:
		'SSH Keys 1: Public Key must be a public SSH key of type RSA, ECDSA or ED25519, on one line',
	description:
		'It starts with one of ssh-rsa, ssh-ed25519, ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, ecdsa-sha2-nistp521.',
};

describe('the keys of a deployment', () => {
	it.each([
		['RSA', publicKey('ssh-rsa', '\x01\x00\x01', 'n'.repeat(257))],
		['ED25519', publicKey('ssh-ed25519', 'k'.repeat(32))],
		['ECDSA 256', publicKey('ecdsa-sha2-nistp256', 'nistp256', 'p'.repeat(65))],
		['ECDSA 384', publicKey('ecdsa-sha2-nistp384', 'nistp384', 'p'.repeat(97))],
		['ECDSA 521', publicKey('ecdsa-sha2-nistp521', 'nistp521', 'p'.repeat(133))],
		['ECDSA, as ssh2 writes it', newKey().publicKey],
		['ED25519, with a comment', `${SSH_KEY} me@laptop`],
		['ED25519, its parts far apart', SSH_KEY.replace(' ', '  ')],
	])('may be of type %s', (_, key) => {
		expect(keysOf([{ name: 'laptop', publicKey: key }])).toEqual({ laptop: key });
	});

	it('are sent by their names', () => {
		const other = newKey().publicKey;
		expect(
			keysOf([
				{ name: 'laptop', publicKey: SSH_KEY },
				{ name: 'desk', publicKey: other },
			]),
		).toEqual({ laptop: SSH_KEY, desk: other });
	});

	it('must have a name each, so that none replaces another', () => {
		const row = { name: 'laptop', publicKey: SSH_KEY };
		expect(refusal([row, row])?.message).toBe(
			'SSH Keys 2: Name must be unique, got "laptop" twice',
		);
	});

	it.each([
		['there is no row', []],
		['nobody has filled in the row', [{ name: '', publicKey: '' }]],
	])('must be one at least where %s', (_, keys) => {
		expect(refusal(keys)).toEqual({
			message: 'SSH Keys must contain at least one public key',
			description:
				'Whoever has a key of these can log in to the VM. Enter a name and the content of a .pub file, or turn on Use Public Key of SSH Credential. To make a key: ssh-keygen -t ed25519 -f n8n-key',
		});
		expect(keysOf(keys, { useSshCredential: true })).toEqual({});
	});

	it.each([
		['name', { name: '', publicKey: SSH_KEY }, 'Name'],
		['key', { name: 'laptop', publicKey: '' }, 'Public Key'],
	])('are not taken without a %s, also beside that of the credential', (_, row, field) => {
		for (const useSshCredential of [false, true])
			expect(refusal([row], { useSshCredential })?.message).toBe(
				`SSH Keys 1: ${field} is required and must not be empty`,
			);
	});

	it('are never a private one, which is in no message', () => {
		const { privateKey } = OWN_KEY;
		expect(refusal([{ name: 'laptop', publicKey: privateKey }])).toEqual({
			message: 'SSH Keys 1: Public Key holds a private key',
			description:
				'Paste the content of the file that ends in .pub. Treat this private key as compromised and create a new one.',
		});
	});

	it('are whole: one that is cut off anywhere is none', () => {
		const bytes = Buffer.from(DATA, 'base64');
		for (let length = 0; length < bytes.length; length++) {
			const cut = `${TYPE} ${bytes.toString('base64', 0, length)}`;
			expect(refusal([{ name: 'laptop', publicKey: cut }]), cut).toEqual(NOT_PUBLIC);
		}
	});

	it.each([
		[
			'another type than it says',
			publicKey('ssh-rsa', 'k'.repeat(32)).replace('ssh-rsa', 'ssh-ed25519'),
		],
		['a type that VMs do not take', publicKey('ssh-dss', 'p', 'q')],
		['more after its end', `${BARE}AAAA`],
		['something else before it', SSH_KEY.replace(' ', ' !')],
		['something else behind it', `${BARE}!`],
		['more padding than there is', `${publicKey('ssh-ed25519', 'k'.repeat(32))}===`],
		['a carriage return', `${SSH_KEY}\rme@laptop`],
		['a second line', `${SSH_KEY}\nme@laptop`],
		['no space before it', SSH_KEY.replace(' ', '')],
	])('are none with %s', (_, key) => {
		expect(refusal([{ name: 'laptop', publicKey: key }])).toEqual(NOT_PUBLIC);
	});
});

describe('the key of the credential', () => {
	async function keysWith(keys: IDataObject[], useSshCredential = true) {
		const input = form({ sshKeys: { keys }, useSshCredential });
		const { body, ...rest } = await withSshKey(jobBench().context(), input);
		expect(rest).toEqual({ ...input, body: undefined });
		expect(body).toEqual({ ...input.body, ssh_keys: body.ssh_keys });
		return body.ssh_keys;
	}

	it('is added under a name of its own', async () => {
		expect(await keysWith([{ name: 'laptop', publicKey: SSH_KEY }])).toEqual({
			laptop: SSH_KEY,
			[OWN_ENTRY_NAME]: OWN_KEY.publicKey,
		});
		expect(await keysWith([])).toEqual({ [OWN_ENTRY_NAME]: OWN_KEY.publicKey });
	});

	it('is not added a second time where it was entered, whatever its comment', async () => {
		const own = { name: 'mine', publicKey: `${OWN_KEY.publicKey} me@laptop` };
		const laptop = { name: 'laptop', publicKey: SSH_KEY };
		expect(await keysWith([laptop, own])).toEqual({ laptop: SSH_KEY, mine: own.publicKey });
	});

	it('is not added where the form does not ask for it', async () => {
		const laptop = { name: 'laptop', publicKey: SSH_KEY };
		expect(await keysWith([laptop], false)).toEqual({ laptop: SSH_KEY });
	});
});
