import { z } from 'zod';

const TYPES = [
	'ssh-rsa',
	'ssh-ed25519',
	'ecdsa-sha2-nistp256',
	'ecdsa-sha2-nistp384',
	'ecdsa-sha2-nistp521',
];

/** A public SSH key: RSA, ECDSA or ED25519 (compute-api.md, "Deploy VMs"), in the one-line form `type base64 [comment]`. */
export const sshPublicKey = z.string().superRefine((value, context) => {
	const message = problemOf(value);
	if (message !== undefined) context.addIssue({ code: 'custom', message });
});

function problemOf(value: string): string | undefined {
	const [type = '', blob = ''] = value.trim().split(/\s+/, 2);
	if (/PRIVATE KEY/.test(value)) return 'must be a public SSH key, got a private one';
	if (!TYPES.includes(type)) return 'must be a public SSH key (RSA, ECDSA or ED25519)';
	return isKeyBlob(type, blob) ? undefined : 'must be a public SSH key: its data is damaged';
}

/** The data is a sequence of length-prefixed fields (RFC 4253 section 6.6); the first repeats the type. */
function isKeyBlob(type: string, blob: string): boolean {
	if (!/^[A-Za-z0-9+/]+={0,2}$/.test(blob)) return false;
	const data = Buffer.from(blob, 'base64');
	const fields: Buffer[] = [];
	let at = 0;
	while (at + 4 <= data.length) {
		const end = at + 4 + data.readUInt32BE(at);
		if (end > data.length) return false;
		fields.push(data.subarray(at + 4, end));
		at = end;
	}
	return at === data.length && fields.length >= 2 && fields[0]?.toString('latin1') === type;
}
