import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { SshError } from './types';

/** A private key in a form that n8n's SSH client reads. */
export interface SshKey {
	privateKey: string;
	/** Where the key is still encrypted. */
	passphrase?: string;
	/** As in a `.pub` file, without a comment: `ssh-ed25519 AAAA…`. */
	publicKey: string;
	/** As `ssh-keygen -l` shows it: `SHA256:…`. */
	fingerprint: string;
}

/**
 * Reads a private key as people paste it: with Windows line ends, `\n` in place of line ends, in one line, with blanks
 * around. OpenSSH's own format passes as it is, since Node.js does not read it and its public part is never encrypted; PEM
 * and PKCS #8 are decrypted here and become what n8n's client reads.
 * @throws SshError `key` with what is wrong; nothing of the key is in it
 */
export function readKey(text: string, passphrase: string): SshKey {
	const privateKey = straightened(text);
	const kind = /^-----BEGIN ([A-Z0-9 ]+)-----/.exec(privateKey)?.[1];
	if (kind === undefined) throw unreadable(privateKey);
	if (!privateKey.endsWith(`-----END ${kind}-----`))
		throw keyProblem(`is not complete: its last line must be -----END ${kind}-----`);
	if (kind === 'OPENSSH PRIVATE KEY') return openSshKey(privateKey, passphrase);
	if (!kind.endsWith('PRIVATE KEY')) throw keyProblem(`is something else: ${kind.toLowerCase()}`);
	return convertedKey(privateKey, passphrase);
}

function straightened(text: string): string {
	const lines = text
		.replace(/\\r/g, '')
		.replace(/\\n/g, '\n')
		.replace(/\r\n?/g, '\n')
		.split('\n')
		.map((line) => line.trim())
		.join('\n')
		.trim();
	const oneLine = /^(-----BEGIN [A-Z0-9 ]+-----) ([A-Za-z0-9+/= ]+) (-----END [A-Z0-9 ]+-----)$/;
	const [, begin, body, end] = oneLine.exec(lines) ?? [];
	return body === undefined ? lines : `${begin}\n${body.replace(/ +/g, '\n')}\n${end}`;
}

function unreadable(text: string): SshError {
	if (text === '') return keyProblem('is empty');
	if (text.startsWith('PuTTY-User-Key-File'))
		return keyProblem('is in the format of PuTTY: convert it with puttygen, Export OpenSSH key');
	if (/^(ssh-|ecdsa-)/.test(text))
		return keyProblem('is a public key: paste the content of the file without .pub');
	return keyProblem('must begin with a line such as -----BEGIN OPENSSH PRIVATE KEY-----');
}

function openSshKey(privateKey: string, passphrase: string): SshKey {
	const body = Buffer.from(privateKey.replace(/-----[^-]+-----|\s/g, ''), 'base64');
	const damaged = keyProblem('is damaged, or not complete');
	if (body.toString('latin1', 0, MAGIC.length) !== MAGIC) throw damaged;
	let position = MAGIC.length;
	const next = (): Buffer => {
		const start = position + 4;
		if (start > body.length) throw damaged;
		position = start + body.readUInt32BE(position);
		if (position > body.length) throw damaged;
		return body.subarray(start, position);
	};
	const cipher = next().toString('latin1');
	// How the passphrase becomes a key, and how many keys follow
	next();
	next();
	position += 4;
	const blob = next();
	const isEncrypted = cipher !== 'none';
	if (isEncrypted && passphrase === '')
		throw keyProblem('is encrypted: set Passphrase in the credential, too');
	const type = typeOf(blob);
	if (type === undefined) throw damaged;
	if (!TYPES.has(type))
		throw keyProblem(`has the type ${type.slice(0, 40)}, and a VM takes RSA, ECDSA or Ed25519`);
	return { privateKey, ...(isEncrypted && { passphrase }), ...publicParts(type, blob) };
}

function convertedKey(pem: string, passphrase: string): SshKey {
	const isEncrypted = /ENCRYPTED/.test(pem);
	if (isEncrypted && passphrase === '')
		throw keyProblem('is encrypted: set Passphrase in the credential, too');
	const key = privateKeyOf(pem, passphrase);
	if (!key)
		throw keyProblem(
			isEncrypted
				? 'cannot be decrypted: the passphrase is wrong, or the key is damaged'
				: 'is damaged, or not complete',
		);
	const { kty, crv, n, e, x, y, d } = key.export({ format: 'jwk' });
	const bytes = (part: string | undefined) => Buffer.from(part ?? '', 'base64url');
	if (kty === 'RSA') {
		const blob = fields(Buffer.from('ssh-rsa'), number(bytes(e)), number(bytes(n)));
		const privateKey = key.export({ type: 'pkcs1', format: 'pem' }).toString();
		return { privateKey, ...publicParts('ssh-rsa', blob) };
	}
	const curve = kty === 'EC' ? CURVES[crv ?? ''] : undefined;
	if (curve !== undefined) {
		const point = Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]);
		const type = `ecdsa-sha2-${curve}`;
		const blob = fields(Buffer.from(type), Buffer.from(curve), point);
		const privateKey = key.export({ type: 'sec1', format: 'pem' }).toString();
		return { privateKey, ...publicParts(type, blob) };
	}
	if (crv === 'Ed25519') {
		const type = Buffer.from('ssh-ed25519');
		const blob = fields(type, bytes(x));
		return { privateKey: openSshOf(type, bytes(x), bytes(d)), ...publicParts('ssh-ed25519', blob) };
	}
	throw keyProblem(
		`has the type ${crv ?? key.asymmetricKeyType}, and a VM takes RSA, ECDSA or Ed25519`,
	);
}

function privateKeyOf(pem: string, passphrase: string): KeyObject | undefined {
	try {
		const key = createPrivateKey({ key: pem, passphrase });
		createPublicKey(key);
		return key;
	} catch {
		// OpenSSL's words name neither the cause nor what to do
		return undefined;
	}
}

/** Ed25519 in OpenSSH's own format, the only one in which clients read it (PROTOCOL.key of OpenSSH). */
function openSshOf(type: Buffer, publicKey: Buffer, seed: Buffer): string {
	const none = Buffer.from('none');
	const nothing = Buffer.alloc(0);
	// Two equal numbers, by which a reader sees that it has decrypted well
	const check = Buffer.alloc(8);
	const secret = Buffer.concat([
		check,
		fields(type, publicKey, Buffer.concat([seed, publicKey]), nothing),
	]);
	const padding = Buffer.from(
		Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1),
	);
	const body = Buffer.concat([
		Buffer.from(MAGIC, 'latin1'),
		fields(none, none, nothing),
		Buffer.from([0, 0, 0, 1]),
		fields(fields(type, publicKey), Buffer.concat([secret, padding])),
	]);
	const lines = body.toString('base64').match(/.{1,70}/g) ?? [];
	return [
		'-----BEGIN OPENSSH PRIVATE KEY-----',
		...lines,
		'-----END OPENSSH PRIVATE KEY-----',
	].join('\n');
}

function publicParts(type: string, blob: Buffer): { publicKey: string; fingerprint: string } {
	const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
	return { publicKey: `${type} ${blob.toString('base64')}`, fingerprint: `SHA256:${digest}` };
}

/** Each with its length before it (RFC 4251 section 5). */
function fields(...values: Buffer[]): Buffer {
	return Buffer.concat(
		values.flatMap((value) => {
			const length = Buffer.alloc(4);
			length.writeUInt32BE(value.length);
			return [length, value];
		}),
	);
}

/** A positive number: a first bit would make it negative (RFC 4251 section 5). */
function number(bytes: Buffer): Buffer {
	return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
}

function typeOf(blob: Buffer): string | undefined {
	if (blob.length < 4) return undefined;
	const length = blob.readUInt32BE(0);
	return length + 4 <= blob.length ? blob.toString('latin1', 4, 4 + length) : undefined;
}

function keyProblem(problem: string): SshError {
	return new SshError('key', `The private key of the SSH credential ${problem}`);
}

const MAGIC = 'openssh-key-v1\0';

const CURVES: Record<string, string> = {
	'P-256': 'nistp256',
	'P-384': 'nistp384',
	'P-521': 'nistp521',
};

/** RSA, ECDSA or ED25519 (compute-api.md "Deploy VMs"). */
const TYPES = new Set([
	'ssh-rsa',
	'ssh-ed25519',
	...Object.values(CURVES).map((curve) => `ecdsa-sha2-${curve}`),
]);
