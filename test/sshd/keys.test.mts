import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { ICredentialTestFunction } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSshd, type Sshd } from '../e2e/sshd.mts';
import { startEngine, type Engine } from '../engine/engine.mts';
import { readKey, withSsh } from '../../nodes/shared/ssh/index.ts';

/** Keys as ssh-keygen and OpenSSL write them, told by OpenSSH's server. */
const folder = mkdtempSync(path.join(os.tmpdir(), 'ssh-keys-'));
const PASSPHRASE = 'a passphrase of the tests';
let engine: Engine;
let sshd: Sshd;

interface Made {
	text: string;
	publicKey: string;
	passphrase: string;
}

function make(name: string, ...options: string[]): Made {
	const passphrase = name.includes('encrypted') ? PASSPHRASE : '';
	const file = path.join(folder, name.replaceAll(' ', '-'));
	execFileSync('ssh-keygen', ['-q', ...options, '-N', passphrase, '-C', '', '-f', file]);
	const publicKey = readFileSync(`${file}.pub`, 'utf8').trim();
	return { text: readFileSync(file, 'utf8'), publicKey, passphrase };
}

const KEYS: Array<[name: string, ...options: string[]]> = [
	['Ed25519', '-t', 'ed25519'],
	['Ed25519 encrypted', '-t', 'ed25519'],
	['RSA', '-t', 'rsa', '-b', '2048'],
	['RSA encrypted', '-t', 'rsa', '-b', '2048'],
	['RSA PEM', '-t', 'rsa', '-b', '2048', '-m', 'PEM'],
	['RSA PEM encrypted', '-t', 'rsa', '-b', '2048', '-m', 'PEM'],
	['RSA PKCS8 encrypted', '-t', 'rsa', '-b', '2048', '-m', 'PKCS8'],
	['ECDSA 256', '-t', 'ecdsa', '-b', '256'],
	['ECDSA 384 PEM', '-t', 'ecdsa', '-b', '384', '-m', 'PEM'],
	['ECDSA 521 PKCS8', '-t', 'ecdsa', '-b', '521', '-m', 'PKCS8'],
];
const made = new Map<string, Made>();
const keyOf = (name: string): Made => made.get(name) ?? { text: '', publicKey: '', passphrase: '' };

beforeAll(async () => {
	for (const [name, ...options] of KEYS) made.set(name, make(name, ...options));
	sshd = await startSshd([...made.values()].map(({ publicKey }) => publicKey));
	engine = await startEngine({});
});
afterAll(async () => {
	await sshd.close();
	rmSync(folder, { recursive: true, force: true });
});

const functions = () => new CredentialTestContext({} as never);
const testOf = async (text: string, passphrase: string) => {
	const test = engine.nodeType('vmaas').methods?.credentialTest
		?.testSshKey as ICredentialTestFunction;
	const data = { privateKey: text, passphrase, username: '' };
	return await test.call(functions(), { id: '1', name: 'SSH', type: 'computeSshApi', data });
};

describe.each(KEYS.map(([name]) => name))('%s', (name) => {
	it('logs in, and its public key is the one of ssh-keygen', async () => {
		const { text, publicKey, passphrase } = keyOf(name);
		const key = readKey(text, passphrase);
		expect(key.publicKey).toBe(publicKey);
		const { signal } = new AbortController();
		const login = { host: sshd.host, port: sshd.port, username: sshd.user, ...key };
		const request = { command: 'echo in', timeoutMs: 10_000, maxOutputBytes: 100, signal };
		const result = await withSsh(functions(), login, signal, async (ssh) => await ssh.run(request));
		expect(result.stdout).toBe('in\n');
		expect((await testOf(text, passphrase)).status).toBe('OK');
	});

	it('without its passphrase, or with a wrong one, the test says so', async () => {
		const { text, passphrase } = keyOf(name);
		if (passphrase === '') return;
		expect(await testOf(text, '')).toEqual({
			status: 'Error',
			message:
				'The private key of the SSH credential is encrypted: set Passphrase in the credential, too',
		});
		const wrong = await testOf(text, 'wrong');
		expect(wrong.status).toBe('Error');
		expect(wrong.message).toMatch(/passphrase.* is wrong, or the key is damaged/);
	});
});

it('Ed25519 in PKCS #8, which no SSH client reads, is made one that they do', () => {
	const { privateKey } = generateKeyPairSync('ed25519', {
		privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	const key = readKey(privateKey, '');
	const file = path.join(folder, 'converted');
	writeFileSync(file, `${key.privateKey}\n`, { mode: 0o600 });
	const derived = execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' }).trim();
	expect(derived).toBe(key.publicKey);
});
